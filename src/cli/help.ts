import { VERSION } from '../version.js';
import type { Command } from './options.js';

const RUN = `  FILE                     Opacus accountant state as JSON; - is standard input
  --noise-multiplier S     or one DP-SGD phase: noise over clipping norm,
  --sampling-rate Q        probability that a record is in a batch,
  --steps T                number of steps`;

const COMMON = `  --tolerance R            relative width of brackets to aim at (default 1e-5)
  --engine E               auto (default), wasm or reference
  --json                   full-precision JSON instead of text
  --help, --version`;

const USAGE = `Every answer is a bracket [lower, upper] that contains the exact value; upper is the
safe end. Adjacency is add/remove of one record, batches are Poisson samples.
Exit code 0: answered. 1: internal error. 2: bad usage or input.`;

const HELP: Readonly<Record<Command, string>> = {
  report: `gdp report FILE|-   the page to publish: epsilon, mu, regret, attack risks

  FILE                     Opacus accountant state as JSON; - is standard input
  --delta D[,D...]         deltas to report epsilon at
  --alpha-min A            smallest error rate mu speaks of (default 1e-10)`,
  epsilon: `gdp epsilon FILE|- [--delta D]   the epsilon at a delta

${RUN}
  --delta D[,D...]         in [0, 1], repeatable (default 1e-5)`,
  delta: `gdp delta FILE|- --epsilon E   the delta at an epsilon

${RUN}
  --epsilon E[,E...]       repeatable`,
  mu: `gdp mu FILE|-   the Gaussian-DP parameter mu, its window and its regret

${RUN}
  --alpha-min A            smallest error rate mu speaks of (default 1e-10)`,
  tradeoff: `gdp tradeoff FILE|- [--alpha A]   least false negative rate beta at a false
                                  positive rate alpha

${RUN}
  --alpha A[,A...]         in [0, 1], repeatable (default 1e-4,1e-3,1e-2,1e-1)`,
};

export function helpText(command?: Command): string {
  if (command !== undefined) return `${HELP[command]}\n${COMMON}\n\n${USAGE}\n`;
  return `gdp-kernel ${VERSION}: certified differential-privacy accounting

  gdp report FILE|-                     the page to publish
  gdp epsilon|delta|mu|tradeoff FILE|-  one number
  gdp epsilon|delta|mu|tradeoff --noise-multiplier S --sampling-rate Q --steps T

${COMMON}

gdp COMMAND --help tells the options of a command.
${USAGE}
`;
}
