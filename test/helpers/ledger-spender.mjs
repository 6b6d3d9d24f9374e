// One of several processes that pay from a ledger: releases NAME-0 … NAME-(TOTAL − 1) of GDP mu MU, those not yet paid;
// each one's name on standard output once it is paid, then what ended it. Killed at any time by the test that runs it.
import { writeSync } from 'node:fs';
import { BudgetExceeded, LedgerFile } from '../../dist/budget.js';

const [path, name, total, mu] = process.argv.slice(2);
const ledger = LedgerFile.open(path);
for (let i = 0; i < Number(total); i++) {
  const id = `${name}-${i}`;
  if (ledger.find(id) !== undefined) continue;
  try {
    ledger.spend({ kind: 'gdp', mu }, { id });
    writeSync(1, `${id}\n`);
  } catch (error) {
    if (!(error instanceof BudgetExceeded)) throw error;
    writeSync(1, 'refused\n');
    process.exit(0);
  }
}
writeSync(1, 'done\n');
