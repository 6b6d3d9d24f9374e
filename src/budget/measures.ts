import {
  InputRangeError,
  requireFields,
  requireKind,
  requireList,
  requireNumber,
  wrongType,
  wrongValue,
} from '../errors.js';
import {
  compareExact,
  doubleOf,
  type ExactDecimal,
  exactDecimal,
  minus,
  times,
  ZERO,
} from '../numeric/exact-decimal.js';
import { log } from '../numeric/scalar.js';

/** A number ≥ 0: a double, which stands for its exact value, or a decimal in text, which stands for what it says ('0.1'). */
export type Amount = number | string;

/**
 * The sums that a budget limits. Its guarantee holds for all releases together, even if they are chosen adaptively.
 * - `pure-dp`: Σ ε ≤ epsilon;
 * - `approximate-dp`: with `slack` 0 (default) Σ ε ≤ epsilon and Σ δ ≤ delta; else Σ δ ≤ delta − slack and
 *   √(2 log(1/slack) Σ ε²) + ½ Σ ε² ≤ epsilon;
 * - `gdp`: Σ μ² ≤ mu²;
 * - `zcdp`: Σ ρ ≤ rho;
 * - `rdp`: at each order declared, the sum of divergences is at most the one declared.
 */
export type PrivacyBudget =
  | { readonly kind: 'pure-dp'; readonly epsilon: Amount }
  | {
      readonly kind: 'approximate-dp';
      readonly epsilon: Amount;
      readonly delta: Amount;
      readonly slack?: Amount;
    }
  | { readonly kind: 'gdp'; readonly mu: Amount }
  | { readonly kind: 'zcdp'; readonly rho: Amount }
  | { readonly kind: 'rdp'; readonly points: readonly RenyiPoint[] };

/** An order α > 1 and the Rényi divergence of that order, in nats. */
export interface RenyiPoint {
  /** Order α, above 1 and at most 1e6. */
  readonly order: number;
  /** Rényi divergence of that order in nats, ≥ 0. */
  readonly epsilon: Amount;
}

/** The cost of one release. A budget accepts those kinds that imply a cost in its own terms by a theorem. */
export type Spending =
  | Exclude<PrivacyBudget, { readonly kind: 'approximate-dp' }>
  | { readonly kind: 'approximate-dp'; readonly epsilon: Amount; readonly delta: Amount };

/** Kinds of budgets. */
type Kind = PrivacyBudget['kind'];

/** For each kind of budget: its fields, and the kinds of spending that imply a cost in it by a theorem. */
const KINDS: Readonly<Record<Kind, { readonly fields: readonly string[]; readonly takes: readonly Kind[] }>> =
  {
    'pure-dp': { fields: ['epsilon'], takes: ['pure-dp'] },
    'approximate-dp': { fields: ['epsilon', 'delta'], takes: ['pure-dp', 'approximate-dp'] },
    gdp: { fields: ['mu'], takes: ['gdp'] },
    zcdp: { fields: ['rho'], takes: ['zcdp', 'gdp', 'pure-dp'] },
    rdp: { fields: ['points'], takes: ['rdp', 'zcdp', 'gdp', 'pure-dp'] },
  };

/** A sum that a budget limits: Σ quantity^power. */
export interface Gauge {
  /** The quantity that is added up: 'mu' with power 2 is Σ μ². */
  readonly quantity: 'epsilon' | 'delta' | 'mu' | 'rho';
  readonly power: 1 | 2;
  /** The order, if the quantity is a Rényi divergence. */
  readonly order?: number;
  /** Largest value of the sum. */
  readonly capacity: ExactDecimal;
}

const HALF: ExactDecimal = { digits: 5n, scale: 1 };
const TWO: ExactDecimal = { digits: 2n, scale: 0 };
/** Largest number of orders: every spending is charged at each of them. */
const MAX_ORDERS = 64;

/** Returns a checked copy of a budget. @throws TypeError | RangeError naming what is wrong. */
export function checkedBudget(value: unknown): PrivacyBudget {
  const data = checked('budget', value, ['slack']) as PrivacyBudget;
  if (data.kind !== 'approximate-dp') return data;
  const slack = amount('budget.slack', data.slack ?? 0);
  if (compareExact(slack, amount('budget.delta', data.delta)) > 0) {
    throw wrongValue('budget.slack', 'at most delta', data.slack);
  }
  return data;
}

/** Returns a checked copy of a spending. @throws TypeError | RangeError naming what is wrong. */
export function checkedSpending(value: unknown): Spending {
  return checked('spending', value, []) as Spending;
}

/** Returns a copy of a budget or spending with checked fields. @throws TypeError | RangeError naming the field that is wrong. */
function checked(place: string, value: unknown, optional: readonly string[]): PrivacyBudget | Spending {
  const kind = requireKind(place, value, Object.keys(KINDS) as Kind[]);
  const { fields: names } = KINDS[kind];
  const others = kind === 'approximate-dp' ? optional : [];
  requireFields(place, value, ['kind', ...names, ...others], `"${kind}" has`);
  const given = value as Record<string, unknown>;
  const data: Record<string, unknown> = { kind };
  for (const name of [...names, ...others.filter((each) => given[each] !== undefined)]) {
    if (name === 'points') data[name] = checkedPoints(`${place}.points`, given[name]);
    else {
      const value = given[name];
      const exact = amount(`${place}.${name}`, value);
      if ((name === 'delta' || name === 'slack') && compareExact(exact, exactDecimal(1)!) > 0) {
        throw wrongValue(`${place}.${name}`, 'in [0, 1]', value);
      }
      data[name] = value;
    }
  }
  return data as unknown as PrivacyBudget;
}

/** Returns Rényi points of ascending orders. @throws TypeError | RangeError otherwise. */
function checkedPoints(place: string, value: unknown): RenyiPoint[] {
  const points = requireList(place, value, '{"order", "epsilon"} objects', 1, MAX_ORDERS) as RenyiPoint[];
  let last = 1;
  return Array.from(points, (point, i) => {
    requireFields(`${place}[${i}]`, point, ['order', 'epsilon']);
    const range = i === 0 ? 'a number in (1, 1e6]' : `a number in (${last}, 1e6], above the one before`;
    last = requireNumber(`${place}[${i}].order`, point.order, range);
    amount(`${place}[${i}].epsilon`, point.epsilon);
    return { order: last, epsilon: point.epsilon };
  });
}

/** The exact value of an amount. @throws TypeError | RangeError unless it is a finite number ≥ 0 or a decimal. */
export function amount(place: string, value: unknown, longest?: number): ExactDecimal {
  const expected = "a finite number >= 0, or a decimal such as '0.1'";
  if (typeof value !== 'number' && typeof value !== 'string') throw wrongType(place, expected, value);
  const exact = exactDecimal(value, longest);
  if (exact === undefined || exact.digits < 0n) throw wrongValue(place, expected, value);
  return exact;
}

/** The sums that a checked budget limits. */
export function gaugesOf(budget: PrivacyBudget): Gauge[] {
  switch (budget.kind) {
    case 'pure-dp':
      return [{ quantity: 'epsilon', power: 1, capacity: amount('epsilon', budget.epsilon) }];
    case 'approximate-dp':
      return approximateGauges(budget);
    case 'gdp':
      return [{ quantity: 'mu', power: 2, capacity: squareOf(amount('mu', budget.mu)) }];
    case 'zcdp':
      return [{ quantity: 'rho', power: 1, capacity: amount('rho', budget.rho) }];
    case 'rdp':
      return budget.points.map(({ order, epsilon }) => {
        return { quantity: 'epsilon', power: 1, order, capacity: amount('epsilon', epsilon) };
      });
  }
}

/** Upper bound of the relative error of a logarithm, two roots, their sum and its inverse. */
const FACTOR_ERROR = 5e-15;

/**
 * The sums of an (ε, δ) budget. Without slack they are those of basic composition. With it Σ ε² ≤ 2ρ, where ρ + 2√(ρL) = ε and L = log(1/slack). So
 * √ρ is √(ε + L) − √L = ε/(√(ε + L) + √L); this is rounded down by FACTOR_ERROR.
 */
function approximateGauges({
  epsilon,
  delta,
  slack = 0,
}: Extract<PrivacyBudget, { kind: 'approximate-dp' }>) {
  const share = amount('slack', slack);
  const deltas: Gauge = { quantity: 'delta', power: 1, capacity: minus(amount('delta', delta), share) };
  const total = amount('epsilon', epsilon);
  if (share.digits === 0n) return [{ quantity: 'epsilon', power: 1, capacity: total } as const, deltas];
  const smallest = doubleOf(share, 'down');
  if (smallest === 0) throw wrongValue('budget.slack', '0 or at least 5e-324', slack);
  const l = -log(smallest);
  const e = doubleOf(total, 'down');
  if (e === 0) return [{ quantity: 'epsilon', power: 2, capacity: ZERO } as const, deltas];
  // multiplied as exact decimals: in doubles, a small root and its square could round to the least subnormal
  const factor = (1 - FACTOR_ERROR) / (Math.sqrt(e + l) + Math.sqrt(l));
  const root = times(exactDecimal(e)!, exactDecimal(factor)!);
  return [{ quantity: 'epsilon', power: 2, capacity: times(TWO, squareOf(root)) } as const, deltas];
}

/** What one release adds to each sum of a budget. @throws RangeError if no theorem leads from its kind to that of the budget. */
export function costsOf(budget: PrivacyBudget, gauges: readonly Gauge[], spending: Spending): ExactDecimal[] {
  if (KINDS[budget.kind].takes.includes(spending.kind)) return gauges.map((gauge) => costOf(gauge, spending));
  const hint = budget.kind === 'rdp' ? '' : ': state the release in the terms of the budget';
  throw new InputRangeError(
    `no theorem leads from "${spending.kind}" to a budget of "${budget.kind}"${hint}`,
  );
}

/** What one release adds to one sum, exactly. */
function costOf({ quantity, power, order }: Gauge, spending: Spending): ExactDecimal {
  if (order !== undefined) return divergenceOf(spending, order);
  if (quantity === 'rho') return rhoOf(spending);
  // the δ of pure DP is 0
  const { [quantity]: stated = 0 } = spending as { readonly [Q in typeof quantity]?: Amount };
  const exact = amount(quantity, stated);
  return power === 2 ? squareOf(exact) : exact;
}

/** The ρ for which a release is ρ-zCDP: μ²/2 for μ-GDP, and ε²/2 for ε-DP (Bun, Steinke 2016, prop. 3.3). */
function rhoOf(spending: Spending): ExactDecimal {
  if (spending.kind === 'gdp') return times(HALF, squareOf(amount('mu', spending.mu)));
  if (spending.kind === 'pure-dp') return times(HALF, squareOf(amount('epsilon', spending.epsilon)));
  return amount('rho', (spending as Extract<Spending, { kind: 'zcdp' }>).rho);
}

/** An upper bound of the Rényi divergence of a release at an order α: the one stated at it or at the next higher order; αρ for zCDP; the lesser of ε and αε²/2 for ε-DP. */
function divergenceOf(spending: Spending, order: number): ExactDecimal {
  if (spending.kind === 'rdp') {
    const point = spending.points.find((each) => each.order >= order);
    if (point !== undefined) return amount('epsilon', point.epsilon);
    throw new InputRangeError(
      `"spending.points" must reach every order of the budget, and none is ${order} or above`,
    );
  }
  const rho = rhoOf(spending);
  const scaled = times(exactDecimal(order)!, rho);
  if (spending.kind !== 'pure-dp') return scaled;
  const epsilon = amount('epsilon', spending.epsilon);
  return compareExact(epsilon, scaled) < 0 ? epsilon : scaled;
}

function squareOf(x: ExactDecimal): ExactDecimal {
  return times(x, x);
}

/** The name of a sum: 'sum of mu^2'. */
export function gaugeName({ quantity, power, order }: Pick<Gauge, 'quantity' | 'power' | 'order'>): string {
  const at = order === undefined ? '' : ` at order ${order}`;
  return `sum of ${quantity}${power === 2 ? '^2' : ''}${at}`;
}
