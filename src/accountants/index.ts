/** What the classical accountants would say of a run. */
export {
  type AccountantComparison,
  type Baseline,
  type CompareAccountantsOptions,
  compareAccountants,
} from './compare.js';
export { renyiDivergence } from './renyi.js';
