/** Budgets that releases are paid from, under adaptive choice. */
export { BudgetExceeded, PrivacyLedger, type Reading, type SpendOptions } from './ledger.js';
export type { Amount, PrivacyBudget, RenyiPoint, Spending } from './measures.js';
export type { Odometer } from './odometer.js';
export { type Charge, RecordLedger } from './record-ledger.js';
