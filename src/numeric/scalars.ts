import * as assembly from '../../assembly/functions/scalar.js';
import { type Scalars, tableOf } from '../kernel/scalars.js';

/** What computes functions of one number: in a question its engine, else JavaScript. All give the same bits. */
export const by: { scalars: Scalars } = { scalars: tableOf(assembly) };
