import {
  BudgetExceeded,
  type Charge,
  type Odometer,
  type PrivacyBudget,
  type Reading,
  type Spending,
} from '../../budget/index.js';
import { AlreadySpent, type LedgerLog } from '../../budget/ledger-log.js';
import { roundDecimal, shortDecimal } from '../../text/decimal.js';
import { type Args, given, UsageError, withPlace } from '../args.js';
import { type Command, type Context, input, type Output, toggle, value } from '../command.js';
import { nameOf, textOf } from '../files.js';
import { printed, row } from '../output.js';
import { shortForm } from '../short-form.js';

/** The subcommands, each with its options. */
const VERBS: Readonly<Record<string, { takes: readonly string[]; run: typeof opened }>> = {
  open: { takes: ['budget', 'per-record', 'at', 'nonce'], run: opened },
  spend: { takes: ['spend', 'count', 'charges', 'id', 'at', 'nonce'], run: spent },
  left: { takes: ['record', 'delta'], run: left },
};

/** A warning: the sum spent by a record depends on its data. */
const SECRET =
  'what a record has spent, its epsilon and who is left out depend on data. Publish the budget and the releases alone.';

export const budget: Command = {
  name: 'budget',
  usage: 'open|spend|left FILE',
  summary: 'a privacy budget in a file that processes share; exit code 1 where it is refused',
  examples: [
    'gdp budget open ledger.log --budget gdp:1',
    'gdp budget spend ledger.log --spend gdp:0.1 --count 50',
    'gdp budget left ledger.log',
    'gdp budget open records.log --budget gdp:1 --per-record',
    'gdp budget spend records.log --charges charges.csv',
  ],
  operand: `the ledger: made by open, appended to by spend, read by left;
on a local disk, not one over a network`,
  flags: {
    budget: value(
      'G',
      'for open: pure-dp:1, approximate-dp:1,1e-5[,SLACK], gdp:0.5,\nzcdp:0.5, rdp:8=1.2,16=2.5, or JSON; decimals are exact',
    ),
    spend: value('G', 'for spend: the cost of the release, in the same forms'),
    count: value('N', 'releases of that cost (default 1)', 'a whole number from 1 to 2^53 - 1'),
    'per-record': toggle(
      'for open: the budget is that of each record of the data;\nwho has spent it is left out of further releases',
    ),
    charges: input(
      'FILE',
      'for spend per record: lines RECORD,G, or RECORD and --spend;\nexit code 1 where one is left out, the others are charged',
    ),
    record: value('NAME', 'for left per record: what that record has left'),
    id: value('NAME', 'name of the release; one of the same name is refused'),
    at: value(
      'TIME',
      'in a request that holds the ledger, for open and spend:\nnow, as 2026-07-01T12:00:00Z',
    ),
    nonce: value('HEX', 'with --at: 16 random digits, the same until it is paid'),
    delta: value('D', 'for left: bounds the loss so far, except with\nprobability D', 'a number in (0, 1)'),
  },
  async run(args, context) {
    const [verb, file, extra] = args.operands;
    if (!Object.hasOwn(VERBS, verb) || file === undefined || extra !== undefined || file === '')
      throw new UsageError(`gdp budget needs ${Object.keys(VERBS).join(', ')} and one FILE`);
    const { takes, run } = VERBS[verb];
    const others = Object.keys(budget.flags).filter((flag) => !takes.includes(flag));
    args.without(others, `has no meaning for gdp budget ${verb}`);
    return run(args, file, context);
  },
};

async function opened(args: Args, file: string, { files }: Context): Promise<Output> {
  const whole = args.required(args.text('budget'), 'budget', 'what may be spent in all, gdp:1 say');
  const budgeted = await withPlace('"--budget"', async () => statement(whole));
  const perRecord = args.has('per-record');
  return answer(args, files.createLedger(file, budgeted as PrivacyBudget, stampOf(args), perRecord));
}

async function spent(args: Args, file: string, context: Context): Promise<Output> {
  const id = args.text('id');
  const count = args.number('count');
  const stated = args.text('spend');
  const charged = args.text('charges');
  const spending = stated === undefined ? undefined : await spendingOf(stated, '"--spend"');
  const charges = charged === undefined ? undefined : await chargesIn(charged, spending, context);
  if (charges !== undefined) args.without(['count'], 'has no meaning with "--charges"');
  const cost = charges ?? args.required(spending, 'spend', 'what the release costs, gdp:0.1 say');
  const ledger = context.files.openLedger(file, stampOf(args));
  try {
    if ('kind' in cost) ledger.spend(cost, given({ count, id }));
    else {
      const receipt = ledger.charge(cost, given({ id }));
      if (receipt !== undefined) return answer(args, ledger, { leftOut: receipt.leftOut });
    }
  } catch (refusal) {
    if (!(refusal instanceof BudgetExceeded || refusal instanceof AlreadySpent)) throw refusal;
    const { message } = refusal;
    return printed(args, { refused: message, ...standing(ledger) }, () => `refused: ${message}\n`, 1);
  }
  return answer(args, ledger);
}

async function left(args: Args, file: string, { files }: Context): Promise<Output> {
  const delta = args.number('delta');
  const record = args.text('record');
  const ledger = files.openLedger(file);
  const own = record === undefined ? ledger : ledger.of(record);
  const odometer = delta === undefined ? undefined : own.odometer({ delta });
  return answer(args, ledger, given({ record, readings: own.readings, odometer }));
}

/** The charges in a file: lines RECORD,COST; or RECORD alone, if all have one cost. */
async function chargesIn(file: string, stated: Spending | undefined, context: Context): Promise<Charge[]> {
  const text = await textOf(file, context);
  const costs = new Map<string, { spend: Spending; records: string[] }>();
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const [, record, cost] = /^([^,]*)(?:,(.*))?$/.exec(line.trim())!;
    const place = `${nameOf(file)}, line ${i + 1}`;
    if ((cost === undefined) !== (stated !== undefined))
      throw new UsageError(
        `${place}: it must be ${stated ? 'RECORD, as "--spend" says the cost' : 'RECORD,COST'}`,
      );
    const found = costs.get(cost ?? '');
    if (found !== undefined) found.records.push(record);
    else costs.set(cost ?? '', { spend: stated ?? (await spendingOf(cost, place)), records: [record] });
  }
  return [...costs.values()];
}

const spendingOf = (text: string, place: string) =>
  withPlace(place, async () => statement(text)) as Promise<Spending>;

const stampOf = (args: Args) => given({ at: args.text('at'), nonce: args.text('nonce') });

const statement = (text: string): object =>
  shortForm(text, (number) => number, { 'approximate-dp': ['slack'] });

function standing(ledger: LedgerLog) {
  const { budget: guarantee, perRecord, count, records, digest, readings } = ledger;
  return {
    budget: guarantee,
    ...(perRecord && { perRecord, secret: SECRET }),
    count,
    records,
    digest,
    readings,
  };
}

/** Fields of an answer beside the state of the ledger. */
interface Said {
  readonly record?: string;
  readonly readings?: readonly Reading[];
  readonly odometer?: Odometer;
  readonly leftOut?: readonly string[];
}

function answer(args: Args, ledger: LedgerLog, said: Said = {}): Output {
  const { readings = ledger.readings, odometer, leftOut } = said;
  const text = (): string => {
    const rows = readings.map(({ sum, capacity, spent: used, left: rest }) =>
      row(sum, `${used} of ${capacity} spent, ${rest} left`),
    );
    if (leftOut) rows.push(row('left out', leftOut.length === 0 ? 'nobody' : leftOut.join(' ')));
    if (odometer) {
      const epsilon = roundDecimal(odometer.epsilon, 'up', { digits: 6 });
      const except = `except with probability ${shortDecimal(odometer.delta)}`;
      rows.push(row('loss so far', `epsilon at most ${epsilon}, ${except}`));
    }
    rows.push(row('releases', String(ledger.count)), row('digest', ledger.digest));
    return rows.join('') + (ledger.perRecord ? `secret: ${SECRET}\n` : '');
  };
  return printed(args, { ...standing(ledger), ...said }, text, leftOut?.length ? 1 : 0);
}
