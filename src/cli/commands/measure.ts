import { type HeadMeasurement, measureHead } from '../../index.js';
import { shortDecimal } from '../../text/decimal.js';
import type { Args } from '../args.js';
import type { Command } from '../command.js';
import type { Flags } from '../flags.js';
import { line, toJson } from '../output.js';
import { SVG_FLAGS, transformSvg, writeSvg } from '../profile-plot.js';
import {
  ACCOUNT_FLAGS,
  accountedRun,
  engineOf,
  PHASE_FLAGS,
  provenance,
  RUN_OPERAND,
  sourceOf,
} from '../run-source.js';

export const HEAD_FLAGS: Flags = {
  'epsilon-head': { type: 'string', value: 'E', help: 'right end of the head [0, E] (default 10)' },
  resolution: { type: 'string', value: 'C', help: 'mu is bracketed to 1/C (default 1000)' },
};

export function headOf(args: Args): { epsilonHead: number; resolution: number } {
  return {
    epsilonHead: args.number('epsilon-head', 'a number in (0, 1e6]', (x) => x > 0 && x <= 1e6) ?? 10,
    resolution: args.number('resolution', 'a number in (0, 1e8]', (x) => x > 0 && x <= 1e8) ?? 1000,
  };
}

export const measure: Command = {
  name: 'measure',
  usage: 'FILE|-',
  summary: 'mu over a head of epsilons; to publish one, see gdp mu',
  operand: RUN_OPERAND,
  flags: { ...PHASE_FLAGS, ...HEAD_FLAGS, ...SVG_FLAGS, ...ACCOUNT_FLAGS },
  async run(args, context) {
    const head = headOf(args);
    const source = await sourceOf(args, context, 'measure');
    const run = await accountedRun(args, context, source);
    const measured = measureHead(await engineOf(args, context), run, head);
    await writeSvg(args, () =>
      transformSvg({ name: source.title, subject: run }, head.epsilonHead, measured.headMu),
    );
    return args.has('json') ? toJson({ ...measured, ...provenance(run) }) : textOf(measured);
  },
};

export function textOf(measured: HeadMeasurement): string {
  const { gdpMu, finished } = measured;
  const whole = gdpMu < Infinity ? `mu <= ${shortDecimal(gdpMu)}` : 'no bound is known';
  return [
    line(`mu (epsilon <= ${shortDecimal(measured.epsilonHead)})`, measured.headMu),
    `${'head'.padEnd(24)}epsilon from 0 to ${shortDecimal(measured.epsilonHead)}\n`,
    line('attained at epsilon', { lower: measured.epsilonAtMu, upper: measured.epsilonAtMu }),
    `${'without a window'.padEnd(24)}${whole}\n`,
    line('delta at the head', measured.failure),
    finished ? '' : `${'note'.padEnd(24)}the bracket is wider than asked for\n`,
  ].join('');
}
