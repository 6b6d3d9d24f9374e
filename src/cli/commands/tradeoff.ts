import {
  compose,
  convexHull,
  groupPrivacy,
  runTradeoff,
  symmetrise,
  type TradeoffFunction,
} from '../../index.js';
import { tradeoffPlot } from '../../plot/index.js';
import { seen } from '../../tradeoff/subject.js';
import { type Args, UsageError } from '../args.js';
import { type Command, type Context, list, toggle, value } from '../command.js';
import { FORMATS } from '../output.js';
import { PHASE_FLAGS } from '../phase-flags.js';
import { SVG_FLAGS, writeRunSvg } from '../profile-plot.js';
import { accountedRun, adjacencyOf, RUN_OPERAND, readRun, type Source, sourceOf } from '../run-source.js';
import { answersAt, GROUP_FLAGS, grouped, groupOf, groupProvenance } from '../subject-source.js';

export const tradeoff: Command = {
  name: 'tradeoff',
  usage: 'FILE|- [--alpha A] | A B ... --tensor',
  summary: 'least false negative rate beta at a false positive rate alpha',
  examples: ['gdp tradeoff state.json --alpha 0.001', 'gdp tradeoff state.json --svg curve.svg --scale log'],
  operand: RUN_OPERAND,
  flags: {
    alpha: list('A[,A...]', 'in [0, 1], repeatable (default 1e-4,1e-3,1e-2,1e-1)', 'a number in [0, 1]'),
    tensor: toggle('of several FILEs: their composition'),
    hull: toggle('of several FILEs: what holds whichever of them it is'),
    direction: value('D', 'remove or add: of one direction alone, not of both'),
    symmetrise: toggle(
      'with --direction: its curve or the mirror image,\nwhichever is the true one (default: both directions)',
    ),
    scale: value('S', 'of the plot: linear (default), or log for small rates'),
    ...SVG_FLAGS,
    ...GROUP_FLAGS,
  },
  async run(args, context) {
    const points = args.numbers('alpha', [1e-4, 1e-3, 1e-2, 1e-1]);
    const direction = directionOf(args);
    const scale = args.oneOf('scale', ['linear', 'log'] as const) ?? 'linear';
    const several = args.operands.length > 1 || args.has('tensor') || args.has('hull');
    const answered = (curve: Pick<TradeoffFunction, 'fnr'>, shared: () => object, from?: Source) => {
      const ask = (alpha: number) => ({ beta: curve.fnr(alpha) });
      // the lower end of a false negative rate is the safe one
      const asked = { at: 'alpha', of: 'beta', points, ask, safe: FORMATS.missRate };
      return answersAt(args, context, asked, shared, from);
    };
    if (direction === 'both') args.without(['symmetrise'], 'needs --direction');
    if (!args.has('svg')) args.without(['scale'], 'needs --svg');
    if (several && !requireSeveral(args)) {
      args.without(['svg'], 'draws the curve of a run, not a hull');
      const f = await hullOf(args, context);
      return answered(f, () => ({ curve: f.name }));
    }
    const source = several ? await composed(args, context) : await sourceOf(args, context);
    const run = await accountedRun(args, context, source);
    await writeRunSvg(args, context, () => tradeoffPlot(run, { scale }));
    if (direction !== 'both') {
      const one = groupPrivacy(runTradeoff(run, direction), groupOf(args));
      const f = args.has('symmetrise') ? symmetrise(one) : one;
      return answered(f, () => ({ ...groupProvenance(args, run), direction, curve: f.name }));
    }
    const { ask } = seen(grouped(args, run));
    const curve = { fnr: (alpha: number) => ask.tradeoff(alpha) };
    return answered(curve, () => groupProvenance(args, run), source);
  },
};

function directionOf(args: Args): 'both' | 'remove' | 'add' {
  if (args.operands.length > 1)
    args.without(['direction', 'symmetrise', ...Object.keys(PHASE_FLAGS)], 'is about one FILE');
  return args.oneOf('direction', ['remove', 'add'] as const) ?? 'both';
}

/** Whether several FILEs are to be composed; otherwise the convex hull of their curves is asked for. */
function requireSeveral(args: Args): boolean {
  if (args.operands.length < 2 || args.has('tensor') === args.has('hull'))
    throw new UsageError(
      'give two or more FILEs with either "--tensor" (their composition) or "--hull" (any one of them)',
    );
  if (args.operands.filter((file) => file === '-').length > 1)
    throw new UsageError('standard input (-) can be one of the FILEs only');
  return args.has('tensor');
}

/** The composition of the FILEs, for the neighbours that --adjacency or some of the files state. */
async function composed(
  args: Args,
  context: Context,
): Promise<Source & { readonly parts: readonly Source[] }> {
  const parts = [];
  for (const file of args.operands) parts.push(await readRun(file, args, context));
  const [adjacency, other] = new Set(parts.flatMap(({ read }) => read.facts.adjacency ?? []));
  if (other !== undefined && !args.has('adjacency'))
    throw new UsageError(`the FILEs are about ${adjacency} and ${other} neighbours: give "--adjacency"`);
  const mechanism = compose(parts.map((part) => part.mechanism));
  const facts = adjacency === undefined ? {} : { adjacency };
  const title = parts.map((part) => part.title).join(' and ');
  return { mechanism, title, parts, read: { format: 'mechanism', mechanism, facts, notes: [] } };
}

async function hullOf(args: Args, context: Context): Promise<TradeoffFunction> {
  const { parts, ...whole } = await composed(args, context);
  const facts = { adjacency: adjacencyOf(args, context, whole) };
  const curves: TradeoffFunction[] = [];
  for (const part of parts) {
    const source = { ...part, read: { ...whole.read!, facts } };
    curves.push(runTradeoff(await accountedRun(args, context, source)));
  }
  return groupPrivacy(convexHull(...curves), groupOf(args));
}
