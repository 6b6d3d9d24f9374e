import { toJson } from '../text/json.js';
import type { Report } from './report-types.js';

/**
 * A report as JSON with full precision, of the shape schema/report.schema.json describes: the report's
 * fields and, on top, the first `delta` and its `epsilon`. What JSON cannot hold is the string "Infinity".
 */
export function reportJson(report: Report): string {
  const [first] = report.epsilonAtDelta;
  return toJson(first === undefined ? report : { ...report, delta: first.delta, epsilon: first.epsilon });
}
