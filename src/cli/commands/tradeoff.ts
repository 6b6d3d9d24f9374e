import {
  compose,
  convexHull,
  groupPrivacy,
  runTradeoff,
  symmetrise,
  type TradeoffFunction,
} from '../../index.js';
import { tradeoffPlot } from '../../plot/index.js';
import { shortDecimal } from '../../text/decimal.js';
import { seen } from '../../tradeoff/subject.js';
import type { Args } from '../args.js';
import type { Command, Context } from '../command.js';
import { UsageError } from '../errors.js';
import { list, toggle, value } from '../flags.js';
import { answers, DIGITS_FLAGS, FORMATS, inTurn, type Safe } from '../output.js';
import { PHASE_FLAGS } from '../phase-flags.js';
import { SVG_FLAGS, writeRunSvg } from '../profile-plot.js';
import {
  accountedRun,
  RUN_FLAGS,
  RUN_OPERAND,
  readRun,
  type Source,
  sourceOf,
  titleOf,
} from '../run-source.js';
import { compareWithAnswered, GROUP_FLAGS, grouped, groupOf, groupProvenance } from '../subject-source.js';

/** A false negative rate is safe to publish from below. */

export const tradeoff: Command = {
  name: 'tradeoff',
  usage: 'FILE|- [--alpha A] | A B ... --tensor',
  summary: 'least false negative rate beta at a false positive rate alpha',
  operand: RUN_OPERAND,
  flags: {
    ...PHASE_FLAGS,
    alpha: list('A[,A...]', 'in [0, 1], repeatable (default 1e-4,1e-3,1e-2,1e-1)'),
    tensor: toggle('of several FILEs: their composition'),
    hull: toggle('of several FILEs: what holds whichever of them it is'),
    direction: value('D', 'remove or add: of one direction alone, not of both'),
    symmetrise: toggle(
      'with --direction: its curve or the mirror image,\nwhichever is the true one (default: both directions)',
    ),
    scale: value('S', 'of the plot: linear (default), or log for small rates'),
    ...SVG_FLAGS,
    ...DIGITS_FLAGS,
    ...GROUP_FLAGS,
    ...RUN_FLAGS,
  },
  async run(args, context) {
    const given = args.numbers('alpha', 'a number in [0, 1]');
    const alphas = given.length > 0 ? given : [1e-4, 1e-3, 1e-2, 1e-1];
    const named = ({ alpha, beta }: { alpha: number; beta: ReturnType<TradeoffFunction['fnr']> }) =>
      [`beta(${shortDecimal(alpha)})`, beta, FORMATS.missRate] as [string, typeof beta, Safe];
    const direction = directionOf(args);
    const scale = args.oneOf('scale', ['linear', 'log'] as const) ?? 'linear';
    const several = args.operands.length > 1 || args.has('tensor') || args.has('hull');
    if (several && !requireSeveral(args)) {
      if (args.has('svg')) throw new UsageError('"--svg" draws the curve of a run, not a hull');
      const f = await hullOf(args, context);
      const results = inTurn(context, alphas, (alpha) => ({ alpha, beta: f.fnr(alpha) }));
      return answers(args, results, { curve: f.name }, named);
    }
    const source = several ? await composed(args, context) : await sourceOf(args, context, 'tradeoff');
    const run = await accountedRun(args, context, source);
    await writeRunSvg(args, context, () => tradeoffPlot(run, { scale }));
    if (direction !== 'both') {
      const one = groupPrivacy(runTradeoff(run, direction), groupOf(args));
      const f = args.has('symmetrise') ? symmetrise(one) : one;
      const results = inTurn(context, alphas, (alpha) => ({ alpha, beta: f.fnr(alpha) }));
      return answers(args, results, { ...groupProvenance(args, run), direction, curve: f.name }, named);
    }
    const { ask } = seen(grouped(args, run));
    const results = inTurn(context, alphas, (alpha) => ({ alpha, beta: ask.tradeoff(alpha) }));
    if (groupOf(args) === 1)
      for (const { alpha, beta } of results)
        compareWithAnswered(source, context, ['alpha', alpha], ['beta', beta]);
    return answers(args, results, groupProvenance(args, run), named);
  },
};

function directionOf(args: Args): 'both' | 'remove' | 'add' {
  const direction = args.oneOf('direction', ['remove', 'add'] as const) ?? 'both';
  if (args.operands.length > 1 && (direction !== 'both' || args.has('symmetrise')))
    throw new UsageError('"--direction" and "--symmetrise" are about one FILE');
  return direction;
}

/** Whether several FILEs are to be composed; else their hull is asked for. */
function requireSeveral(args: Args): boolean {
  if (args.operands.length < 2 || args.has('tensor') === args.has('hull'))
    throw new UsageError(
      'give two or more FILEs with either "--tensor" (their composition) or "--hull" (any one of them)',
    );
  if (args.operands.filter((file) => file === '-').length > 1)
    throw new UsageError('standard input (-) can be one of the FILEs only');
  return args.has('tensor');
}

async function composed(args: Args, context: Context): Promise<Source> {
  const parts = [];
  for (const file of args.operands) parts.push((await readRun(file, context)).mechanism);
  return { mechanism: compose(parts), title: args.operands.map(titleOf).join(' and ') };
}

async function hullOf(args: Args, context: Context): Promise<TradeoffFunction> {
  const curves: TradeoffFunction[] = [];
  for (const file of args.operands)
    curves.push(runTradeoff(await accountedRun(args, context, await readRun(file, context))));
  return groupPrivacy(convexHull(...curves), groupOf(args));
}
