/** The loops over the outputs of a sampled step, each a method, in JavaScript. */
import * as beyond from '../../assembly/law/beyond.js';
import * as decay from '../../assembly/sums/decay.js';
import * as phi from '../../assembly/sums/log-phi.js';
import * as mesh from '../../assembly/sums/loss-mesh.js';
import * as sums from '../../assembly/sums/mesh-sums.js';
import * as paths from '../../assembly/sums/path-terms.js';
import * as cells from '../../assembly/sums/tilted-cells.js';
import * as turning from '../../assembly/sums/turning.js';
import * as windows from '../../assembly/sums/windows.js';
import { referenceContext } from '../../bindings/reference-kernel.js';
import { loopsOver } from './loops.js';
import { SUMS, type SumKernel, TILTS, type TiltKernel } from './step-tilts.js';
import { WINDOWS, type WindowKernel } from './step-windows.js';
import { WEIGHTED, type WeightedKernel } from './weighted-laws.js';

export type StepKernel = WindowKernel & TiltKernel & SumKernel & WeightedKernel;

/** count·log φ at n frequencies: rows of `room` numbers. */
function logPhi(...given: [...Parameters<typeof phi.phiRows>, number, number]): void {
  const [loss, weight, m, sums, dTau, n, room, count, out] = given;
  phi.phiRows(loss, weight, m, sums, dTau, out, room);
  phi.logarithms(out, room, n, count, 0);
}

const context = referenceContext();
const exports = {
  ...context.exports,
  ...beyond,
  ...decay,
  ...phi,
  logPhi,
  ...mesh,
  ...sums,
  ...paths,
  ...cells,
  ...turning,
  ...windows,
};

export const steps: StepKernel = loopsOver<StepKernel>(exports, context.arena, {
  ...WINDOWS,
  ...TILTS,
  ...SUMS,
  ...WEIGHTED,
});
