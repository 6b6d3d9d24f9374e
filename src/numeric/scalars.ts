import * as assembly from '../../assembly/functions/scalar.js';
import { type Scalars, tableOf } from '../kernel/scalars.js';

/** The functions of one number in use: in a question those of its engine, else those in JavaScript. All give the same bits. */
export const by: { scalars: Scalars } = { scalars: tableOf(assembly) };
