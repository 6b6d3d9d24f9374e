import { BudgetExceeded, type PrivacyBudget, type Spending } from '../../budget/index.js';
import { AlreadySpent, type LedgerLog } from '../../budget/ledger-log.js';
import { roundDecimal, shortDecimal } from '../../text/decimal.js';
import { type Args, given, UsageError, withPlace } from '../args.js';
import { type Command, type Files, type Output, value } from '../command.js';
import { printed, row } from '../output.js';
import { shortForm } from '../short-form.js';

/** The verbs, each with the flags that have a meaning for it. */
const VERBS: Readonly<Record<string, { takes: readonly string[]; run: typeof opened }>> = {
  open: { takes: ['budget', 'at', 'nonce'], run: opened },
  spend: { takes: ['spend', 'count', 'id', 'at', 'nonce'], run: spent },
  left: { takes: ['delta'], run: left },
};

export const budget: Command = {
  name: 'budget',
  usage: 'open|spend|left FILE',
  summary: 'a privacy budget in a file that processes share; exit code 1 where it is refused',
  examples: [
    'gdp budget open ledger.log --budget gdp:1',
    'gdp budget spend ledger.log --spend gdp:0.1 --count 50',
    'gdp budget left ledger.log',
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
    id: value('NAME', 'name of the release; one of the same name is refused'),
    at: value(
      'TIME',
      'in a request that holds the ledger, for open and spend:\nnow, as 2026-07-01T12:00:00Z',
    ),
    nonce: value('HEX', 'with --at: 16 random digits, the same until it is paid'),
    delta: value('D', 'for left: bounds the loss so far, except with\nprobability D', 'a number in (0, 1)'),
  },
  async run(args, { files }) {
    const [verb, file, extra] = args.operands;
    if (!Object.hasOwn(VERBS, verb) || file === undefined || extra !== undefined || file === '')
      throw new UsageError(`gdp budget needs ${Object.keys(VERBS).join(', ')} and one FILE`);
    const { takes, run } = VERBS[verb];
    const others = Object.keys(budget.flags).filter((flag) => !takes.includes(flag));
    args.without(others, `has no meaning for gdp budget ${verb}`);
    return run(args, file, files);
  },
};

async function opened(args: Args, file: string, files: Files): Promise<Output> {
  const whole = args.required(args.text('budget'), 'budget', 'what may be spent in all, gdp:1 say');
  const budgeted = await withPlace('"--budget"', async () => statement(whole));
  return answer(args, files.createLedger(file, budgeted as PrivacyBudget, stampOf(args)));
}

async function spent(args: Args, file: string, files: Files): Promise<Output> {
  const cost = args.required(args.text('spend'), 'spend', 'what the release costs, gdp:0.1 say');
  const id = args.text('id');
  const count = args.number('count');
  const spending = (await withPlace('"--spend"', async () => statement(cost))) as Spending;
  const ledger = files.openLedger(file, stampOf(args));
  try {
    ledger.spend(spending, given({ count, id }));
  } catch (refusal) {
    if (!(refusal instanceof BudgetExceeded || refusal instanceof AlreadySpent)) throw refusal;
    const { message } = refusal;
    return printed(args, { refused: message, ...standing(ledger) }, () => `refused: ${message}\n`, 1);
  }
  return answer(args, ledger);
}

async function left(args: Args, file: string, files: Files): Promise<Output> {
  const delta = args.number('delta');
  const ledger = files.openLedger(file);
  return answer(args, ledger, delta === undefined ? undefined : ledger.odometer({ delta }));
}

const stampOf = (args: Args) => given({ at: args.text('at'), nonce: args.text('nonce') });

const statement = (text: string): object =>
  shortForm(text, (number) => number, { 'approximate-dp': ['slack'] });

function standing(ledger: LedgerLog) {
  const { budget: guarantee, count, records, digest, readings } = ledger;
  return { budget: guarantee, count, records, digest, readings };
}

function answer(args: Args, ledger: LedgerLog, odometer?: { epsilon: number; delta: number }): Output {
  return printed(args, { ...standing(ledger), ...(odometer && { odometer }) }, () => {
    const rows = ledger.readings.map(({ sum, capacity, spent: used, left: rest }) =>
      row(sum, `${used} of ${capacity} spent, ${rest} left`),
    );
    if (odometer) {
      const epsilon = roundDecimal(odometer.epsilon, 'up', { digits: 6 });
      const except = `except with probability ${shortDecimal(odometer.delta)}`;
      rows.push(row('loss so far', `epsilon at most ${epsilon}, ${except}`));
    }
    return [...rows, row('releases', String(ledger.count)), row('digest', ledger.digest)].join('');
  });
}
