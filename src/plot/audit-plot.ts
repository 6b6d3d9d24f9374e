import type { Audit } from '../audit/audit.js';
import { type AuditClaim, claimedCurve } from '../audit/claim.js';
import { requireOptions, wrongType } from '../errors.js';
import { roundDecimal, shortDecimal } from '../text/decimal.js';
import { evenlyInLog, gaussianPower } from './curves.js';
import type { LinePlot, Series } from './lines.js';

/** What is drawn beside the evidence. */
export interface AuditPlotOptions {
  /** The claim whose largest power is drawn: what `audit` was given. */
  readonly claim?: AuditClaim;
}

/** Points of a drawn curve. */
const POINTS = 61;

/**
 * Claim and evidence in one ROC on logarithmic axes, for `linePlot`: the largest power that the claim allows, the bounds of the
 * evidence, and the least Gaussian curve that fits them. A point above the claim's line refutes it.
 *
 * @throws TypeError if `audit` is not a result of `audit`, or for a wrong option.
 * @example
 * const shown = audit({ kind: 'threshold', falsePositives: 5, nonMembers: 1000, truePositives: 100, members: 1000 });
 * auditPlot(shown).axes.y.label; // 'true positive rate'
 */
export function auditPlot(audit: Audit, options: AuditPlotOptions = {}): LinePlot {
  if (audit?.format !== 'gdp-kernel-audit/1') throw wrongType('audit', 'a result of audit', audit);
  requireOptions('auditPlot', options, ['claim']);
  const { points, muLower, confidence, verdict } = audit;
  const rates = points.map(({ fprUpper }) => fprUpper.upper).filter((rate) => rate > 0);
  const low = Math.max(1e-300, Math.min(1e-3, ...rates) / 10);
  const alphas = evenlyInLog(low, 1, POINTS);
  const claim = options.claim === undefined ? undefined : claimedCurve(options.claim);
  const shown = points.filter(({ tprLower }) => tprLower.lower > 0);
  const claimed: Series[] =
    claim === undefined
      ? []
      : [
          {
            name: `claimed at most: ${claim.name}`,
            colour: 0,
            points: alphas.map((alpha) => [alpha, claim.curve.tpr(alpha).upper]),
          },
        ];
  const evidence: Series = {
    name: `evidence: rates bounded with confidence ${shortDecimal(confidence)}`,
    marks: true,
    colour: 3,
    points: shown
      .toSorted((a, b) => a.fprUpper.upper - b.fprUpper.upper)
      .map(({ fprUpper, tprLower }) => [fprUpper.upper, tprLower.lower]),
  };
  const series: Series[] = [
    ...claimed,
    ...(shown.length === 0 ? [] : [evidence]),
    {
      name: `shown at least: μ = ${roundDecimal(muLower.lower, 'down', { digits: 4 })}`,
      style: 'dashed',
      colour: 1,
      points: alphas.map((alpha) => [alpha, gaussianPower(muLower.lower, alpha)]),
    },
    {
      name: 'guessing',
      style: 'dotted',
      colour: 2,
      points: [
        [low, low],
        [1, 1],
      ],
    },
  ];
  return {
    title: 'Claim and evidence',
    description: `Verdict: ${verdict}. Evidence above the claimed line refutes the claim; below it the evidence is consistent with it.`,
    axes: {
      x: { label: 'false positive rate', scale: 'log', min: low, max: 1 },
      y: { label: 'true positive rate', scale: 'log', max: 1 },
    },
    series,
  };
}
