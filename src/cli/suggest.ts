import { nearest } from '../errors.js';

/** Names in other libraries, or likely slips, for ours. */
const SYNONYMS: Readonly<Record<string, string>> = {
  'sample-rate': 'sampling-rate',
  q: 'sampling-rate',
  sigma: 'noise-multiplier',
  noise: 'noise-multiplier',
  'num-steps': 'steps',
  iterations: 'steps',
  'target-delta': 'delta',
  'target-epsilon': 'epsilon',
  eps: 'epsilon',
  output: 'out',
};

/** ': did you mean "…"?' if one of `names` is similar or a synonym; else ''. */
export function suggestion(name: string, names: readonly string[], prefix = ''): string {
  const plain = name.replace(/^-+/, '').replaceAll('_', '-').toLowerCase();
  const synonym = SYNONYMS[plain] ?? plain;
  const begun = plain.length > 2 ? names.filter((each) => each.startsWith(plain)) : [];
  const near = names.includes(synonym) ? synonym : begun.length === 1 ? begun[0] : nearest(plain, names);
  return near === undefined ? '' : `: did you mean "${prefix}${near}"?`;
}
