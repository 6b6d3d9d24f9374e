/** Checks of privacy claims: what a statement says against what its run gives. */
export type { Finding } from './case.js';
export { type Claim, parseClaim } from './claim.js';
export { claimOf, LINT_RULES, type LintOptions, type LintResult, lint } from './lint.js';
