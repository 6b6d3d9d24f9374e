import { chartFile, whiteGround } from '../chart/file.js';
import { muText, settingText, upperText } from '../text/rounded.js';
import { VERSION } from '../version.js';
import { foundAt, tradeoffChart } from './figures.js';
import { batchesAnEpoch, hasWholeEpochs, protectedText, wholeEpochs } from './loaders.js';
import type { PageAnswer } from './messages.js';
import { phasesOf, type Setting } from './state.js';
import { statedRun } from './stated.js';

/** Texts and files that the page exports for an answer, other than reports and certificates. */

/** The reason why no report, certificate or command can state what the page shows; undefined if they can. */
export function reportFault({ stated, setting }: PageAnswer): string | undefined {
  if (stated) return undefined;
  return setting.records > 1 || setting.loader !== 'shuffled'
    ? 'Of a group of records the page gives bounds, and no report.'
    : 'Of shuffled phases the page gives bounds, and no report: enter batch, data and epochs.';
}

/** The reason why options alone cannot state what the page shows; undefined if they can. */
export function codeFault(answer: PageAnswer): string | undefined {
  const { setting } = answer;
  if (setting.mechanism !== undefined)
    return 'This run has no short form: give the file itself to gdp report.';
  return reportFault(answer);
}

/** The name of an exported file without its ending: 'gdp-7.43-1e-5'. */
export function fileStem({ epsilon, setting }: PageAnswer): string {
  return `gdp-${epsilon.upper === Infinity ? 'none' : upperText(epsilon.upper)}-${settingText(setting.delta)}`;
}

/** The claim in one line of plain text. */
function claimText({ epsilon, setting, measured }: PageAnswer): string {
  const mu =
    measured === undefined
      ? ''
      : `; mu <= ${muText(measured.mu.upper)} for error rates down to ${settingText(measured.alphaMin)}`;
  return `(${upperText(epsilon.upper)}, ${settingText(setting.delta)})-differentially private for ${protectedText(setting)}${mu}`;
}

/** A block of YAML for a model card. */
export function modelCard(answer: PageAnswer): string {
  const { epsilon, setting, measured, advantage, bound } = answer;
  const found = foundAt(answer, 1e-3);
  const phases = setting.mechanism === undefined ? phasesOf(setting) : [];
  const lines = [
    'differential_privacy:',
    `  claim: "${claimText(answer)}"`,
    `  epsilon: ${yaml(epsilon.upper)}`,
    `  delta: ${setting.delta}`,
    ...(bound
      ? ['  bound: true  # the true epsilon may be lower']
      : [`  epsilon_bracket: [${epsilon.lower}, ${epsilon.upper}]`]),
    ...(measured === undefined
      ? []
      : [
          '  gaussian_dp:',
          `    mu: ${yaml(measured.mu.upper)}`,
          `    error_rates_from: ${measured.alphaMin}`,
        ]),
    ...(measured?.regret === undefined
      ? []
      : [`    regret: ${measured.regret.upper}`, `    tier: ${measured.tier}`]),
    `  neighbours: ${setting.neighbours}`,
    `  records_per_person: ${setting.records}`,
    `  runs_counted: ${setting.tries}`,
    ...(advantage === undefined ? [] : [`  membership_advantage: ${advantage.upper}`]),
    `  true_positive_rate_at_1e-3: ${found}`,
    ...(phases.length === 0 ? [] : [`  batches: ${setting.loader}`, '  phases:']),
    ...phases.map(
      ({ sigma, rate, steps }) =>
        `    - {noise_multiplier: ${sigma}, sampling_rate: ${rate}, steps: ${steps}}`,
    ),
    `  accountant: gdp-kernel ${VERSION}`,
  ];
  return `${lines.join('\n')}\n`;
}

function yaml(x: number): string {
  return x === Infinity ? '.inf' : String(x);
}

/** The command that prints the same numbers. */
export function commandLine(setting: Setting): string {
  const { neighbours, delta, phases, loader, sigma, batch, size, cap, tries } = setting;
  const adjacency = neighbours === 'add-remove' ? '' : ` --adjacency ${neighbours}`;
  const how = `--delta ${delta}${adjacency}${coarse(setting, ' --tolerance ')}`;
  const run = statedRun(setting);
  if (phases !== undefined) return `echo '${JSON.stringify(run)}' | gdp report - ${how}`;
  const { kind, ...options } = run as Readonly<Record<string, unknown>>;
  if (kind === 'dp-sgd') {
    const words = Object.entries(options).map(
      ([name, value]) => `--${name.replace(/[A-Z]/g, '-$&').toLowerCase()} ${value}`,
    );
    return `gdp report ${words.join(' ')} ${how}`;
  }
  const batches = hasWholeEpochs(setting)
    ? `--bins ${batchesAnEpoch(setting)} --dataset-size ${size} --epochs ${wholeEpochs(setting) * tries}`
    : `--batch-size ${batch} --dataset-size ${size} --batch-cap ${cap} --steps ${options['count']}`;
  return `gdp report --noise-multiplier ${sigma} --sampling ${loader} ${batches} ${how}`;
}

/** `words` and the tolerance, if the answer has a wider tolerance than the default; else ''. */
function coarse({ loader }: Setting, words: string): string {
  return loader === 'capped-poisson' ? `${words}1e-3` : '';
}

/** A Python script that computes the answer. The mechanism is JSON, which is a Python literal as no field is true, false or null. */
export function python(setting: Setting): string {
  return `from gdp_kernel import Account

mechanism = ${JSON.stringify(statedRun(setting), null, 4)}
run = Account(mechanism, adjacency="${setting.neighbours}"${coarse(setting, ', tolerance=')})
print(run.epsilon(${setting.delta}).upper, run.mu().upper)
`;
}

export function curveFile(answer: PageAnswer, scale: 'linear' | 'log', alpha: number): string {
  const spec = tradeoffChart({ answer, kept: [], width: 480 }, scale, alpha);
  const marks = spec.marks.map((mark) =>
    mark.type === 'handle' ? ({ type: 'dot', at: mark.at, radius: 5 } as const) : mark,
  );
  return chartFile({ ...spec, marks, title: claimText(answer) }, whiteGround(spec));
}
