/** Checks of privacy claims: what a statement says against what its run gives. */
export { type Claim, parseClaim } from './claim.js';
export type { Finding, LintResult } from './finding.js';
export { claimOf, LINT_RULES, type LintOptions, lint } from './lint.js';
