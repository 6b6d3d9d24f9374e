import { toJson } from '../text/json.js';
import { type Report, requireReport } from './report-types.js';

/**
 * A report as JSON with full precision, of the shape schema/report.schema.json describes: the report's
 * fields and, on top, the first `delta` and its `epsilon`. What JSON cannot hold is the string "Infinity".
 *
 * @throws TypeError if `report` is not a result of `report`.
 * @example
 * JSON.parse(reportJson(report(run, { deltas: [1e-6] }))).delta; // 0.000001
 */
export function reportJson(report: Report): string {
  requireReport(report);
  const [first] = report.epsilonAtDelta;
  return toJson(first === undefined ? report : { ...report, delta: first.delta, epsilon: first.epsilon });
}
