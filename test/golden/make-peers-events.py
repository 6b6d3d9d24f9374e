"""Writes peers-events.json: what dp_accounting (installed) says of the events in the table of docs/guide/migration.md, at delta = 1e-5."""
import json
import math
import re

from dp_accounting import NeighboringRelation, dp_event
from dp_accounting.pld import PLDAccountant
from dp_accounting.rdp import RdpAccountant

RELATIONS = {
    'add-remove': NeighboringRelation.ADD_OR_REMOVE_ONE,
    'zero-out': NeighboringRelation.REPLACE_SPECIAL,
    'replace-one': NeighboringRelation.REPLACE_ONE,
    'none': NeighboringRelation.ADD_OR_REMOVE_ONE,
}
ACCOUNTANTS = {'PLD': PLDAccountant, 'RDP': RdpAccountant}
CLASSES = {name: getattr(dp_event, name) for name in dir(dp_event) if name.endswith('DpEvent')} | {'inf': math.inf}


def epsilon(text, neighbours, accountant):
  """Their epsilon; None where they support no such event."""
  event = eval(text, dict(CLASSES))
  own = accountant(neighboring_relation=RELATIONS[neighbours])
  if not own.supports(event):
    return None
  found = float(own.compose(event).get_epsilon(1e-5))
  return 'infinite' if found == math.inf else float(f'{found:.6g}')


page = open('docs/guide/migration.md', encoding='utf8').read()
events = {}
for text, neighbours in re.findall(r'^\| `(\w+DpEvent\(.*?\))` \| .+? \| (.+?) \|', page, re.M):
  if text.split('(')[0] in CLASSES:
    events[text] = {name: epsilon(text, neighbours, each) for name, each in ACCOUNTANTS.items()}
  else:
    events[text] = None
with open('test/golden/peers-events.json', 'w', encoding='utf8') as file:
  source = 'dp_accounting b5b0286: epsilon(1e-5) by its two accountants with their defaults; null: not supported, or no such class'
  json.dump({'source': source, 'events': events}, file, indent=2)
  file.write('\n')
