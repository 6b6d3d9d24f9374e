import { type NoiseScale, noiseMultiplierOf } from '../index.js';
import { shortDecimal } from '../text/decimal.js';
import { type Args, given, UsageError, withPlace } from './args.js';
import { type Context, type Flags, value } from './command.js';

/** Options for the noise as a standard deviation, in place of `--noise-multiplier`; the first is the standard deviation itself. */
export const STD_FLAGS: Flags = {
  'noise-std': value('S', 'or the standard deviation of the noise', 'a finite number >= 0'),
  'clip-norm': value('C', 'with it: the norm that gradients are clipped to', 'a number > 0'),
  'clip-groups': value(
    'L',
    'so many layers or groups are clipped to it each',
    'a whole number from 1 to 1000000000',
  ),
  'mean-of': value('B', 'noise is added to a mean: the sum divided by B', 'a number > 0'),
};

/**
 * The arguments with `--noise-multiplier` in place of `--noise-std`; a note prints its formula. Without `--noise-std` they are returned unchanged.
 *
 * @throws UsageError where the noise is given twice, or a number that its formula needs is missing.
 */
export async function withNoise(args: Args, { note }: Context): Promise<Args> {
  const std = args.number('noise-std');
  if (std === undefined) {
    args.without(Object.keys(STD_FLAGS), 'needs --noise-std');
    return args;
  }
  args.without(['noise-multiplier'], 'says what "--noise-std" says: give one of the two');
  const [file] = args.operands;
  if (file !== undefined)
    throw new UsageError(`give either FILE or --noise-std, not both: "${file}" already describes the run`);
  const norm = args.number('clip-norm');
  const scale: NoiseScale = {
    noiseStd: std,
    clipNorm: args.required(norm, 'clip-norm', 'the norm that gradients are clipped to'),
    ...given({ clipGroups: args.number('clip-groups'), meanOf: args.number('mean-of') }),
  };
  const noise = await withPlace('"--noise-std"', async () => noiseMultiplierOf(scale));
  note(`noise multiplier ${shortDecimal(noise)} = ${formulaOf(scale)}`);
  const without = Object.fromEntries(Object.keys(STD_FLAGS).map((flag) => [flag, undefined]));
  return args.with({ ...without, 'noise-multiplier': String(noise) });
}

/** The formula of a noise multiplier with its numbers: '0.012 x 5000 / (15 x sqrt(4))'. */
function formulaOf({ noiseStd, clipNorm, clipGroups = 1, meanOf = 1 }: NoiseScale): string {
  const over = meanOf === 1 ? `${noiseStd}` : `${noiseStd} x ${meanOf}`;
  return `${over} / ${clipGroups === 1 ? clipNorm : `(${clipNorm} x sqrt(${clipGroups}))`}`;
}
