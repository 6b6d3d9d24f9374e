import { RATES_SAID } from '../measure/measurement.js';
import { bracketText, roundDecimal, shortDecimal } from '../text/decimal.js';
import { FORMATS, safeText } from '../text/rounded.js';
import { type Fields, fields, type ReportStyle } from './document.js';
import type { Report } from './report-types.js';

/** What a report states of μ: its upper end, and in the appendix its bracket. */

export function summary(report: Report, style: ReportStyle): Fields {
  const { mu, rates, regret, tier, advantage } = report;
  const finite = mu.upper < Infinity;
  const window = `for error rates down to ${windowText(report)}${RATES_SAID[rates]}`;
  const sign = style.brackets === true ? 'in' : '<=';
  return fields([
    ['Gaussian DP', finite ? `mu ${sign} ${safeText(mu, style, FORMATS.mu)} ${window}` : 'no finite mu'],
    ['Regret', `${safeText(regret, style)}, ${REGRET}`],
    ['Tier, with that mu', finite ? TIERS[tier] : NO_FINITE_MU],
    ['Membership advantage', `${safeText(advantage, style)}, true minus false positive rate at best`],
  ]);
}

const REGRET = "how far the curve of mu is from the run's own, along the diagonal";

export function guarantee(report: Report): Fields {
  const { mu, muAllRates, epsilonHead, regret } = report;
  const head =
    epsilonHead > 0 ? ` (that of epsilon from 0 to ${roundDecimal(epsilonHead, 'down', { digits: 4 })})` : '';
  const window = windowText(report);
  return fields([
    [`mu (rates >= ${window})`, `${bracketText(mu)}, Gaussian DP for error rates down to ${window}${head}`],
    ['mu (all rates)', `${bracketText(muAllRates)}, without a window`],
    ['Regret (all rates)', `${bracketText(regret)}, ${REGRET}`],
    ['Advantage', `${bracketText(report.advantage)}, the largest true minus false positive rate`],
  ]);
}

export function windowText({ alphaMin, logAlphaMin }: Report): string {
  return alphaMin > 0 ? shortDecimal(alphaMin) : `e^${shortDecimal(logAlphaMin)}`;
}

const TIERS = {
  I: 'I: mu may stand alone, since its curve is within 0.01 of the run in both rates. At rates well below 0.01, use the tables instead.',
  II: 'II: the curve of mu is 0.01 or more from the run, so mu alone is too coarse. Publish the trade-off table too.',
  undecided:
    'undecided: the distance is not certified to be below 0.01. Publish the trade-off table with mu.',
} as const;

const NO_FINITE_MU = 'none: no finite mu is certified. Publish the trade-off table.';
