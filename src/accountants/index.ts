/** Other accountants' answers for a run: composition theorems, Rényi divergences and central limit theorems. */

export { renyiDivergence } from '../bounds/renyi.js';
export {
  type AccountantComparison,
  type Baseline,
  type CompareAccountantsOptions,
  compareAccountants,
} from './compare.js';
