/** Audits: what the counts of an attack prove of a run, and whether they refute what is claimed of it. */
export { type Audit, type AuditOptions, type AuditPoint, audit, type EpsilonShown } from './audit.js';
export type { AuditClaim } from './claim.js';
export {
  EVIDENCE_KINDS,
  type Evidence,
  type OneRunEvidence,
  parseEvidence,
  parseScoresCsv,
  type ScoresEvidence,
  type ThresholdEvidence,
} from './evidence.js';
