import { chartSvg } from '../chart/chart.js';
import { DARK, fileStyle, LIGHT } from '../chart/theme.js';
import { muText, powerOfTen, settingText, upperText } from '../text/rounded.js';
import { VERSION } from '../version.js';
import { foundAt, tradeoffChart } from './figures.js';
import { batchesAnEpoch, NEIGHBOUR_WORDS, recordsText, wholeEpochs } from './loaders.js';
import type { Answer } from './messages.js';
import { phasesOf, type Setting } from './state.js';

/** Everything that leaves the page is of one certified answer: texts are made here, reports by the engine. */

/** Why no report, certificate or command can say what the page shows; nothing if they can. */
export function reportFault({ stated, setting }: Answer): string | undefined {
  if (stated) return undefined;
  return setting.records > 1 || setting.loader !== 'shuffled'
    ? 'Of a group of records the page gives bounds, and no report.'
    : 'Of shuffled phases the page gives bounds, and no report: enter batch, data and epochs.';
}

/** Why no command line says what the page shows; nothing if one does. */
export function codeFault(answer: Answer): string | undefined {
  const { setting } = answer;
  if (setting.mechanism !== undefined)
    return 'This run has no short form: give the file itself to gdp report.';
  return reportFault(answer);
}

/** 'gdp-7.43-1e-5' */
export function fileStem({ epsilon, setting }: Answer): string {
  return `gdp-${epsilon.upper === Infinity ? 'none' : upperText(epsilon.upper)}-${settingText(setting.delta)}`;
}

/** The claim in one line of plain text. */
function claimText({ epsilon, setting, measured }: Answer): string {
  const who = NEIGHBOUR_WORDS[setting.neighbours].claim;
  const what = recordsText(setting);
  const mu =
    measured === undefined
      ? ''
      : `; mu <= ${muText(measured.mu.upper)} for error rates down to ${settingText(measured.alphaMin)}`;
  return `(${upperText(epsilon.upper)}, ${settingText(setting.delta)})-differentially private for ${who} ${what}${mu}`;
}

/** A block of YAML for a model card. */
export function modelCard(answer: Answer): string {
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

/** '$7.43$ & $10^{-5}$ & $1.567$ \\' */
export function latexRow({ epsilon, setting, measured }: Answer): string {
  const cells = [
    upperText(epsilon.upper),
    settingText(setting.delta),
    measured === undefined ? '' : muText(measured.mu.upper),
  ];
  return `${cells.map((cell) => `$${latexNumber(cell)}$`).join(' & ')} \\\\`;
}

function latexNumber(text: string): string {
  const power = powerOfTen(text);
  if (text === '∞') return '\\infty';
  return power === undefined
    ? text
    : `${power.factor.replace('× ', '\\times ')}10^{${power.exponent.replace('−', '-')}}`;
}

interface Run {
  readonly sigma: number;
  readonly rate: number;
  readonly steps: number;
}

/** Phases of sampled or full batches, in the words of the library. */
function runs(setting: Setting): readonly Run[] {
  const { loader, tries } = setting;
  return phasesOf(setting).map(({ sigma, rate, steps }, _, { length }) => ({
    sigma,
    rate: loader === 'all' ? 1 : rate,
    steps: steps * (length === 1 ? tries : 1),
  }));
}

/** Records of one person that the steps themselves count. */
function personsOf({ loader, records }: Setting): number {
  return loader === 'poisson' || loader === 'all' ? records : 1;
}

/** Options of the one phase of a setting. */
function phaseOptions(setting: Setting): string {
  const { sigma, batch, size, cap, loader, tries } = setting;
  const [{ sigma: noise, rate, steps }] = runs(setting);
  if (loader === 'poisson' || loader === 'all') {
    const persons = personsOf(setting) > 1 ? ` --records-per-person ${setting.records}` : '';
    return `--noise-multiplier ${noise} --sampling-rate ${rate} --steps ${steps}${persons}`;
  }
  const often =
    loader === 'capped-poisson'
      ? `--batch-cap ${cap} --steps ${steps}`
      : `--epochs ${wholeEpochs(setting) * tries}`;
  return `--noise-multiplier ${sigma} --sampling ${loader} --batch-size ${batch} --dataset-size ${size} ${often}`;
}

/** The command that prints the same numbers. */
export function commandLine(setting: Setting): string {
  const { neighbours, delta, phases, loader } = setting;
  const adjacency = neighbours === 'add-remove' ? '' : ` --adjacency ${neighbours}`;
  const tolerance = loader === 'capped-poisson' ? ' --tolerance 1e-3' : '';
  const how = `--delta ${delta}${adjacency}${tolerance}`;
  if (phases === undefined) return `gdp report ${phaseOptions(setting)} ${how}`;
  return `echo '${JSON.stringify(mechanismJson(setting))}' | gdp report - ${how}`;
}

/** What was run, as gdp reads it from a file. */
function mechanismJson(setting: Setting): object {
  const repeated = (count: number, inner: object): object => ({ kind: 'repeat', count, inner });
  const { sigma: noiseMultiplier, size: datasetSize, cap: batchCap, loader, tries } = setting;
  const [{ rate, steps }] = runs(setting);
  switch (loader) {
    case 'balls-and-bins':
    case 'shuffled': {
      const epoch = { kind: loader, noiseMultiplier, bins: batchesAnEpoch(setting) };
      return repeated(wholeEpochs(setting) * tries, epoch);
    }
    case 'capped-poisson':
      return repeated(steps, { kind: 'capped-poisson', noiseMultiplier, rate, datasetSize, batchCap });
    default: {
      const persons = personsOf(setting);
      const parts = runs(setting).map((run) => ({
        kind: 'dp-sgd',
        noiseMultiplier: run.sigma,
        samplingRate: run.rate,
        steps: run.steps,
        ...(persons > 1 && { recordsPerPerson: persons }),
      }));
      if (parts.length === 1) return parts[0];
      return repeated(tries, { kind: 'compose', parts });
    }
  }
}

/** A call of a constructor: its options are those of the JSON. */
function javascriptOf(mechanism: object, names: Set<string>): string {
  const { kind, count, inner, parts, ...options } = mechanism as {
    kind: string;
    count?: number;
    inner?: object;
    parts?: readonly object[];
  };
  const name = kind.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  names.add(name);
  if (inner !== undefined) return `repeat(${javascriptOf(inner, names)}, ${count})`;
  if (parts !== undefined)
    return `compose([\n${parts.map((part) => `  ${javascriptOf(part, names)},\n`).join('')}])`;
  const given = Object.entries(options).map(([key, value]) => `${key}: ${value}`);
  return `${name}({ ${given.join(', ')} })`;
}

export function javascript(setting: Setting): string {
  const names = new Set(['account', 'loadEngine', 'measure']);
  const mechanism = javascriptOf(mechanismJson(setting), names);
  const tolerance = setting.loader === 'capped-poisson' ? ', tolerance: 1e-3' : '';
  return `import { ${[...names].sort().join(', ')} } from 'gdp-kernel';

const mechanism = ${mechanism};
const run = account(await loadEngine(), mechanism, { adjacency: '${setting.neighbours}'${tolerance} });
console.log(run.epsilon(${setting.delta}).upper, measure(run).mu.upper);
`;
}

/** Python, with the package of that name. Objects of numbers and texts are written as in JSON. */
export function python(setting: Setting): string {
  const tolerance = setting.loader === 'capped-poisson' ? ', tolerance=1e-3' : '';
  return `from gdp_kernel import Account

mechanism = ${JSON.stringify(mechanismJson(setting), null, 4)}
run = Account(mechanism, adjacency="${setting.neighbours}"${tolerance})
print(run.epsilon(${setting.delta}).upper, run.mu().upper)
`;
}

/** The trade-off curve as a file of its own. */
export function curveFile(answer: Answer, scale: 'linear' | 'log', alpha: number, dark = false): string {
  const spec = tradeoffChart({ answer, kept: [], width: 480 }, scale, alpha);
  const marks = spec.marks.map((mark) =>
    mark.type === 'handle' ? ({ type: 'dot', at: mark.at, radius: 5 } as const) : mark,
  );
  const ground = dark ? DARK : LIGHT;
  return chartSvg({
    ...spec,
    marks,
    title: claimText(answer),
    style: `${fileStyle(ground)}\n.chart{background:${ground.bg}}`,
  });
}
