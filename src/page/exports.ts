import { chartSvg } from '../chart/chart.js';
import { DARK, fileStyle, LIGHT } from '../chart/theme.js';
import { powerOfTen, settingText, upperText } from '../text/rounded.js';
import { VERSION } from '../version.js';
import { foundAt, tradeoffChart } from './figures.js';
import type { Answer } from './messages.js';
import { phasesOf, type Setting } from './state.js';

/** Everything that leaves the page is of one certified answer: texts are made here, reports by the engine. */

/** Why no report, certificate or command can say what the page shows; nothing if they can. */
export function reportFault({ bound, setting }: Answer): string | undefined {
  if (!bound) return undefined;
  return setting.loader === 'shuffled' && setting.mechanism === undefined
    ? 'Of shuffled batches the page gives bounds, and no report.'
    : 'Of a group of records the page gives bounds, and no report.';
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
export function claimText({ epsilon, setting, measured }: Answer): string {
  const who = setting.neighbours === 'replace' ? 'replacing' : 'adding or removing';
  const what = setting.records === 1 ? 'one record' : `the ${setting.records} records of one person`;
  const mu =
    measured === undefined
      ? ''
      : `; mu <= ${upperText(measured.mu.upper, 4)} for error rates down to ${settingText(measured.alphaMin)}`;
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
    `  neighbours: ${setting.neighbours === 'replace' ? 'replace-one' : 'add-remove'}`,
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
    measured === undefined ? '' : upperText(measured.mu.upper, 4),
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

const NEIGHBOURS = { addremove: 'add-remove', replace: 'replace-one' } as const;

/** What was run as one mechanism in the words of the library. */
function steps(setting: Setting): readonly { sigma: number; rate: number; steps: number }[] {
  const { loader, tries } = setting;
  return phasesOf(setting).map((phase) => ({
    sigma: phase.sigma,
    rate: loader === 'all' ? 1 : phase.rate,
    steps: phase.steps * (phasesOf(setting).length === 1 ? tries : 1),
  }));
}

/** The command that prints the same numbers. */
export function commandLine(setting: Setting): string {
  const adjacency = setting.neighbours === 'replace' ? ' --adjacency replace-one' : '';
  const phases = steps(setting);
  if (phases.length === 1) {
    const [{ sigma, rate, steps: count }] = phases;
    return `gdp report --noise-multiplier ${sigma} --sampling-rate ${rate} --steps ${count} --delta ${setting.delta}${adjacency}`;
  }
  return `echo '${stateJson(setting)}' | gdp report - --delta ${setting.delta}${adjacency}`;
}

/** The state that Opacus would keep of the run. */
function stateJson(setting: Setting): string {
  const once = steps(setting).map(({ sigma, rate, steps: count }) => [sigma, rate, count]);
  return JSON.stringify({
    history: Array.from({ length: setting.tries }, () => once).flat(),
    mechanism: 'prv',
  });
}

export function javascript(setting: Setting): string {
  const parts = steps(setting).map(
    ({ sigma, rate, steps: count }) =>
      `dpSgd({ noiseMultiplier: ${sigma}, samplingRate: ${rate}, steps: ${count} })`,
  );
  const several = parts.length > 1;
  const composed = several ? `compose([\n  ${parts.join(',\n  ')},\n])` : parts[0];
  const repeated = several && setting.tries > 1;
  const names = [
    'account',
    ...(several ? ['compose'] : []),
    'dpSgd',
    'loadEngine',
    'measure',
    ...(repeated ? ['repeat'] : []),
  ];
  return `import { ${names.join(', ')} } from 'gdp-kernel';

const mechanism = ${repeated ? `repeat(${composed}, ${setting.tries})` : composed};
const run = account(await loadEngine(), mechanism, { adjacency: '${NEIGHBOURS[setting.neighbours]}' });
console.log(run.epsilon(${setting.delta}).upper, measure(run).mu.upper);
`;
}

/** Python, through the command line. */
export function python(setting: Setting): string {
  const adjacency = setting.neighbours === 'replace' ? ', "--adjacency", "replace-one"' : '';
  return `import json, subprocess

state = ${JSON.stringify(stateJson(setting))}
said = subprocess.run(
    ["gdp", "epsilon", "-", "--delta", "${setting.delta}"${adjacency}, "--json"],
    input=state, capture_output=True, text=True, check=True,
).stdout
print(json.loads(said)["epsilon"]["upper"])
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
