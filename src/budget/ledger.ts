import {
  InputRangeError,
  requireFields,
  requireList,
  requireOptions,
  requireShare,
  requireWhole,
  wrongValue,
} from '../errors.js';
import { requireTotal } from '../mechanism/checks.js';
import {
  compareExact,
  doubleOf,
  type ExactDecimal,
  exactDecimal,
  exactText,
  LONGEST_SUM,
  minus,
  plus,
  rootDown,
  times,
  ZERO,
} from '../numeric/exact-decimal.js';
import {
  amount,
  checkedBudget,
  checkedSpending,
  costsOf,
  type Gauge,
  gaugeName,
  gaugesOf,
  type PrivacyBudget,
  type Spending,
} from './measures.js';
import { type Odometer, odometerOf } from './odometer.js';

/** The error if a payment exceeds what is left of the budget. Nothing was spent. */
export class BudgetExceeded extends InputRangeError {
  /** Name of the error, which minified bundles keep. */
  static override readonly name: string = 'BudgetExceeded';

  constructor(
    message: string,
    /** Name of the sum that would be exceeded: 'sum of mu^2'. */
    readonly sum: string,
    /** What the payment adds to the sum, as an exact decimal. */
    readonly asked: string,
    /** What is left of the sum, as an exact decimal. */
    readonly left: string,
  ) {
    super(message);
  }
}

/** One sum that a budget limits, as exact decimals. */
export interface Reading {
  /** Name of the sum: 'sum of mu^2'. */
  readonly sum: string;
  /** Largest value of the sum. */
  readonly capacity: string;
  /** Value of the sum so far. */
  readonly spent: string;
  /** What one more release may add: capacity minus spent. */
  readonly left: string;
  /** Largest double that the parameter of one more release may have; for example μ if the sum is of μ². */
  readonly largest: number;
}

/** Options of a payment. */
export interface SpendOptions {
  /** Number of releases of the same cost, 1 … 2⁵³ − 1; default 1. */
  readonly count?: number;
}

/**
 * A privacy budget from which releases are paid, with exact sums: nothing is rounded. A release that does not fit is refused as a whole. The
 * guarantee of the budget holds for all releases together, even if parameters, and whether there is another release, depend on earlier outputs. So
 * the ledger is a privacy filter (proofs in docs/budget.md). `odometer` states a guarantee for what was spent so far.
 *
 * @example
 * const ledger = PrivacyLedger.open({ kind: 'gdp', mu: 1 });
 * ledger.spend({ kind: 'gdp', mu: '0.1' }, { count: 50 });
 * ledger.readings[0].left; // '0.5'
 */
export class PrivacyLedger {
  private constructor(
    private readonly data: PrivacyBudget,
    private readonly gauges: readonly Gauge[],
    private sums: readonly ExactDecimal[],
    private releases: number,
  ) {}

  /** Opens a ledger. @throws TypeError | RangeError naming what is wrong with the budget. */
  static open(budget: PrivacyBudget): PrivacyLedger {
    const data = checkedBudget(budget);
    const gauges = gaugesOf(data);
    return new PrivacyLedger(
      data,
      gauges,
      gauges.map(() => ZERO),
      0,
    );
  }

  /** A copy of the budget, whose guarantee holds for all releases together. */
  get budget(): PrivacyBudget {
    return structuredClone(this.data);
  }

  /** Number of releases paid. */
  get count(): number {
    return this.releases;
  }

  /** The sums that the budget limits. */
  get readings(): readonly Reading[] {
    return this.gauges.map((gauge, i) => {
      const left = minus(gauge.capacity, this.sums[i]);
      return {
        sum: gaugeName(gauge),
        capacity: exactText(gauge.capacity),
        spent: exactText(this.sums[i]),
        left: exactText(left),
        largest: gauge.power === 2 ? rootDown(left) : doubleOf(left, 'down'),
      };
    });
  }

  /** Whether `spend` would accept a payment. @throws TypeError | RangeError for what is no spending of this budget. */
  fits(spending: Spending, options?: SpendOptions): boolean {
    return this.after(spending, options).every((sum, i) => compareExact(sum, this.gauges[i].capacity) <= 0);
  }

  /** Pays for releases before they are made. @throws BudgetExceeded if they do not fit, and then nothing is spent; TypeError | RangeError for what is no spending. */
  spend(spending: Spending, options?: SpendOptions): this {
    const sums = this.after(spending, options);
    const total = this.releases + (options?.count ?? 1);
    for (const [i, sum] of sums.entries()) {
      const gauge = this.gauges[i];
      if (compareExact(sum, gauge.capacity) > 0) throw this.refusal(gauge, this.sums[i], sum);
    }
    this.sums = sums;
    this.releases = total;
    return this;
  }

  /** The sums after a payment. */
  private after(spending: Spending, options?: SpendOptions): ExactDecimal[] {
    requireOptions('spend', options, ['count']);
    const count = requireWhole('count', options?.count ?? 1, 1, Number.MAX_SAFE_INTEGER);
    requireTotal(this.releases + count, 'releases');
    const costs = costsOf(this.data, this.gauges, checkedSpending(spending));
    return costs.map((cost, i) => plus(this.sums[i], times(exactDecimal(count)!, cost)));
  }

  /** The error for a payment that a sum does not allow. */
  private refusal(gauge: Gauge, before: ExactDecimal, after: ExactDecimal): BudgetExceeded {
    const [asked, left] = [exactText(minus(after, before)), exactText(minus(gauge.capacity, before))];
    const sum = gaugeName(gauge);
    const message = `the budget does not cover it: the ${sum} would grow by ${short(asked)}, and ${short(left)} is left of ${short(exactText(gauge.capacity))}`;
    return new BudgetExceeded(message, sum, asked, left);
  }

  /**
   * A guarantee for the outputs so far. With probability at least 1 − delta their privacy loss is at most the answer's epsilon, at every time the
   * odometer is read. It is larger than that of the same sums fixed in advance. An (ε, δ)-DP release may have a loss above ε with a probability far
   * above δ, which is counted.
   *
   * @throws RangeError if `delta` is not above the δ that the budget allows its releases.
   */
  odometer(options: { delta: number }): Odometer {
    requireOptions('odometer', options, ['delta']);
    const delta = requireShare('delta', options?.delta);
    return odometerOf(this.data, this.gauges, this.sums, delta);
  }

  /** An independent copy: what is spent from the one is not spent from the other. */
  copy(): PrivacyLedger {
    return new PrivacyLedger(this.data, this.gauges, this.sums, this.releases);
  }

  /** Plain data from which `PrivacyLedger.fromJSON` makes the same ledger again. */
  toJSON(): object {
    return {
      format: FORMAT,
      version: 1,
      budget: this.budget,
      count: this.releases,
      spent: this.sums.map(exactText),
    };
  }

  /** The ledger of such data. @throws TypeError | RangeError naming what is wrong with the data. */
  static fromJSON(data: unknown): PrivacyLedger {
    requireFields('ledger', data, ['format', 'version', 'budget', 'count', 'spent']);
    const given = data as Record<string, unknown>;
    if (given['format'] !== FORMAT) throw wrongValue('ledger.format', FORMAT, given['format']);
    if (given['version'] !== 1) throw wrongValue('ledger.version', '1', given['version']);
    const ledger = PrivacyLedger.open(given['budget'] as PrivacyBudget);
    const { length } = ledger.gauges;
    ledger.sums = requireList('ledger.spent', given['spent'], 'amounts', length, length).map((each, i) => {
      const sum = amount(`ledger.spent[${i}]`, each, LONGEST_SUM);
      if (compareExact(sum, ledger.gauges[i].capacity) > 0) {
        throw wrongValue(`ledger.spent[${i}]`, 'within the budget', each);
      }
      return sum;
    });
    ledger.releases = requireWhole('ledger.count', given['count'], 0, Number.MAX_SAFE_INTEGER);
    return ledger;
  }
}

/** Name of the data format. */
const FORMAT = 'gdp-kernel-ledger';

/** An exact decimal for messages: long ones are cut. */
function short(text: string): string {
  return text.length > 24 ? `${text.slice(0, 20)}…${/e-?\d+$/.exec(text)?.[0] ?? ''}` : text;
}
