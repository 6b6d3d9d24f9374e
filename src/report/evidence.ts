import type { Audit } from '../audit/audit.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { describeMechanism } from '../mechanism/pairs.js';
import { type Step, stepsOf } from '../mechanism/steps.js';
import type { Bracket } from '../numeric/bracket.js';
import { bracketText, roundDecimal, shortDecimal } from '../text/decimal.js';
import { FORMATS, type Safe, safeText } from '../text/rounded.js';
import { type Fields, fields, paragraph, type ReportStyle, type Section, stated, table } from './document.js';
import type { Report } from './report-types.js';

/**
 * The hyper-parameter search before the release: the guarantee with and without it, and what the guarantee does not cover. Empty if there was none.
 */
export function searchSection(
  { mechanism, alternatives, epsilonAtDelta, mu }: Report,
  style: ReportStyle,
): Section[] {
  if (mechanism === null) return [];
  const endOr = (value: Bracket | undefined, safe?: Safe): string =>
    value === undefined ? 'not known' : safeText(value, style, safe);
  const searches = stepsOf(mechanism).filter(({ mechanism: release }) => release.kind === 'select');
  if (searches.length === 0) return [];
  const before = alternatives.find(({ change }) => change === 'one-try')?.numbers;
  const rows = epsilonAtDelta.map(({ delta, epsilon }) => [
    `epsilon at delta ${shortDecimal(delta)}`,
    endOr(before?.epsilonAtDelta.find((one) => one.delta === delta)?.epsilon),
    endOr(epsilon),
  ]);
  const header = ['', 'One try', 'Best of the tries'];
  const caption = `Before and after the search, rounded ${style.brackets === true ? 'outwards' : 'up'}`;
  const last = ['mu', endOr(before?.mu ?? undefined, FORMATS.mu), endOr(mu, FORMATS.mu)];
  return [
    {
      heading: 'Search for settings',
      blocks: [
        tries(searches.map(({ mechanism: release }) => release as never)),
        ...(before ? [table(caption, header, [...rows, last])] : []),
        ...LIMITS.map(paragraph),
      ],
    },
  ];
}

function tries(searches: readonly { readonly inner: Mechanism }[]): Fields {
  const one = ({ mechanism, rate, count }: Step): string =>
    `${count} of ${describeMechanism(mechanism)}${rate < 1 ? `, sampling rate ${shortDecimal(rate)}` : ''}`;
  return fields(
    searches.flatMap((search) => [
      ['Search', describeMechanism(search as never)],
      ['One try', stepsOf(search.inner).slice(0, 4).map(one).join('; ')],
    ]),
  );
}

const LIMITS: readonly string[] = [
  'Covered: candidates drawn at random from a fixed list, a secret number of tries, and one published result, the best.',
  'Not covered: candidates that depend on earlier scores, a published number of tries, published scores of other tries.',
  'Also not covered: a final retraining with the best settings, and scores computed from the data outside the tries.',
];

/** What attacks on the release measured. Empty if no evidence was given. */
export function auditSection({ audit }: Report): Section[] {
  return audit === undefined
    ? []
    : [
        {
          heading: 'What attacks on it found',
          blocks: [found(audit), ...audit.assumed.map((each) => paragraph(`Provided that ${each}.`))],
        },
      ];
}

const VERDICTS = {
  refuted: 'refuted: the evidence contradicts the guarantee above. Find the cause before you publish.',
  consistent: 'consistent: the evidence does not contradict the guarantee, and does not prove it',
  'no claim': 'no claim: the evidence was not held against the guarantee above',
  'no evidence': 'no evidence: the attack shows nothing, not even against perfect privacy',
} as const;

function found({ kind, counts, confidence, muLower, epsilonLower, pValue, verdict }: Audit): Fields {
  const counted = Object.entries(counts).map(([name, n]) => `${name} ${n}`);
  const down = (x: number): string => roundDecimal(x, 'down', { digits: 4 });
  return fields([
    ['Evidence', `${kind}: ${counted.join(', ')}`],
    ['Confidence', shortDecimal(confidence)],
    ['mu at least', down(muLower.lower)],
    ...epsilonLower.map(
      ({ delta, epsilon }) =>
        [`epsilon at least, at delta ${shortDecimal(delta)}`, down(epsilon.lower)] as const,
    ),
    ...stated(['p-value of the guarantee', pValue === null ? undefined : bracketText(pValue)]),
    ['Verdict', VERDICTS[verdict]],
  ]);
}
