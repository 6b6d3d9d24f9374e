// The table of mutants: every term of every bound, each with the edit that takes it out and the tests that must then fail.
// A term is named by what it is and found by its text, which has to be in its file exactly once; lines may move.
import { ACCOUNT } from './account.mjs';
import { ANSWERS } from './answers.mjs';
import { AUDITS } from './audit.mjs';
import { BUDGET } from './budget.mjs';
import { CLOSED } from './closed.mjs';
import { CONTOUR } from './contour.mjs';
import { CUTS } from './cut.mjs';
import { GRID } from './grid.mjs';
import { GUARANTEES } from './guarantees.mjs';
import { INTEGERS } from './integers.mjs';
import { ITERATES } from './iterates.mjs';
import { KERNEL } from './kernel.mjs';
import { LAID } from './laid.mjs';
import { LAW } from './law.mjs';
import { MEASURES } from './measured.mjs';
import { PRODUCTS } from './products.mjs';
import { QUESTIONS } from './questions.mjs';
import { RUN } from './run.mjs';
import { SAMPLES } from './samples.mjs';
import { TRANSFORMS } from './transforms.mjs';
import { UNLIKE } from './unlike.mjs';
import { VERIFY } from './verify.mjs';

export const MUTANTS = [
  ...GRID,
  ...CLOSED,
  ...CONTOUR,
  ...RUN,
  ...BUDGET,
  ...AUDITS,
  ...LAW,
  ...PRODUCTS,
  ...INTEGERS,
  ...ITERATES,
  ...ACCOUNT,
  ...TRANSFORMS,
  ...LAID,
  ...CUTS,
  ...ANSWERS,
  ...VERIFY,
  ...GUARANTEES,
  ...KERNEL,
  ...SAMPLES,
  ...QUESTIONS,
  ...MEASURES,
  ...UNLIKE,
];
