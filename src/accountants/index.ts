/** What the classical accountants would say of a run. */

export { renyiDivergence } from '../bounds/renyi.js';
export {
  type AccountantComparison,
  type Baseline,
  type CompareAccountantsOptions,
  compareAccountants,
} from './compare.js';
