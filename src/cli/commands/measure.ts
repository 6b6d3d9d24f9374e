import {
  type Engine,
  type HeadMeasurement,
  isHeadGdp,
  isTailGdp,
  measureHead,
  type Subject,
} from '../../index.js';
import { shortDecimal } from '../../text/decimal.js';
import type { Args } from '../args.js';
import { type Command, type Flags, type Output, toggle, value } from '../command.js';
import { FORMATS, line, printed, row, type Shown, shownOf } from '../output.js';
import { SVG_FLAGS, transformSvg, writeSvg } from '../profile-plot.js';
import { engineOf, RUN_OPERAND } from '../run-source.js';
import { FORMULA_FLAGS, subjectOf } from '../subject-source.js';

export const HEAD_FLAGS: Flags = {
  'epsilon-head': value('E', 'right end of the head [0, E] (default 10)', 'a number in (0, 1e6]'),
  resolution: value('C', 'mu is bracketed to 1/C (default 1000)', 'a number in (0, 1e8]'),
};

export function headOf(args: Args): { epsilonHead: number; resolution: number } {
  return {
    epsilonHead: args.number('epsilon-head') ?? 10,
    resolution: args.number('resolution') ?? 1000,
  };
}

export const measure: Command = {
  name: 'measure',
  usage: 'FILE|-',
  summary: 'mu over a head of epsilons, from 0 to E; to publish mu, use gdp mu',
  examples: ['gdp measure state.json --epsilon-head 3'],
  operand: RUN_OPERAND,
  flags: {
    ...FORMULA_FLAGS,
    ...HEAD_FLAGS,
    mu: value(
      'M',
      'answers whether the head is under this mu;\nexit code 1 if it is not known to be',
      'a finite number >= 0',
    ),
    tail: toggle('with --mu: of the tail beyond E instead of the head'),
    ...SVG_FLAGS,
  },
  async run(args, context) {
    const head = headOf(args);
    const mu = args.number('mu');
    if (mu === undefined) args.without(['tail'], 'needs "--mu": it tells whether the tail is under that mu');
    else args.without(['svg'], 'draws the measured head: leave out "--mu"');
    if (args.has('tail')) args.without(['resolution'], 'is that of a head: leave it out for the tail');
    const { title, subject, provenance } = await subjectOf(args, context);
    const engine = await engineOf(args, context);
    if (mu !== undefined) return testOf(args, engine, subject, { ...head, mu }, provenance);
    const measured = measureHead(engine, subject, head);
    await writeSvg(args, context, () =>
      transformSvg(engine, { name: title, subject }, head.epsilonHead, measured.headMu),
    );
    return printed(args, { ...measured, ...provenance() }, () => textOf(measured, shownOf(args)));
  },
};

/** Whether the privacy profile for ε up to `epsilonHead`, or with --tail beyond it, is below that of μ-GDP (Liu et al. 2022, defs 3.1, 3.2). */
function testOf(
  args: Args,
  engine: Engine,
  subject: Subject,
  { epsilonHead, resolution, mu }: { epsilonHead: number; resolution: number; mu: number },
  provenance: () => object,
): Output {
  const [part, sign] = args.has('tail') ? ['tail', '>'] : ['head', '<='];
  const holds = args.has('tail')
    ? isTailGdp(subject, { epsilonTail: epsilonHead, mu })
    : isHeadGdp(engine, subject, { epsilonHead, resolution, mu });
  const name = `${part} (epsilon ${sign} ${shortDecimal(epsilonHead)})`;
  return printed(
    args,
    { part, epsilon: epsilonHead, mu, holds, ...provenance() },
    () => row(name, `mu ${shortDecimal(mu)}: ${holds}`),
    holds === 'yes' ? 0 : 1,
  );
}

export function textOf(measured: HeadMeasurement, shown: Shown): string {
  const { muAllRates, finished } = measured;
  return [
    line(`mu (epsilon <= ${shortDecimal(measured.epsilonHead)})`, measured.headMu, shown, FORMATS.mu),
    row('head', `epsilon from 0 to ${shortDecimal(measured.epsilonHead)}`),
    line('attained at epsilon', { lower: measured.epsilonAtMu, upper: measured.epsilonAtMu }, shown),
    line('mu (all rates)', muAllRates, shown, FORMATS.mu),
    line('delta at the head', measured.failure, shown),
    finished ? '' : row('note', 'the bracket is wider than asked for'),
  ].join('');
}
