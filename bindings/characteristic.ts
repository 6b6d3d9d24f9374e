/** Characteristic sums of the Kernel over WebAssembly. */
import { checkWeights } from '../src/kernel/arguments.js';
import { CHARACTERISTIC_BLOCK as BLOCK } from '../src/kernel/constants.js';
import type { WasmContext } from './abi.js';
import { scoped } from './transforms.js';

export function characteristicLine(
  context: WasmContext,
  loss: Float64Array,
  weight: Float64Array,
  dTau: number,
  n: number,
  first = 0,
): { re: Float64Array; im: Float64Array } {
  checkWeights(loss, weight);
  const { exports, arena } = context;
  return scoped(context, () => {
    const room = BLOCK * Math.ceil(n / BLOCK);
    const y = arena.copyIn(loss);
    const w = arena.copyIn(weight);
    const re = arena.copyIn(new Float64Array(room));
    const im = arena.copyIn(new Float64Array(room));
    exports.characteristicSums(y, w, loss.length, dTau, first, re, im, room);
    return { re: arena.copyOut(re, new Float64Array(n)), im: arena.copyOut(im, new Float64Array(n)) };
  });
}
