/** The Gaussian-profile methods of the WebAssembly kernel: blocks in, one exported loop, blocks out. */
import { checkLength, intervalArrays, OF_INPUT, outputOf } from '../src/kernel/arguments.js';
import type { GdpKernel } from '../src/kernel/kernel.js';
import type { ProfileExport, WasmContext } from './abi.js';

/** Elements per block: three arrays of 64 KiB. */
const BLOCK = 8192;

const OF_EPSILON = ' (the length of "epsilon")';

/** The methods over one instance, whose function tables have been uploaded (bindings/elementwise.ts). */
export function gdpWasm(context: WasmContext): GdpKernel {
  const { arena, exports } = context;

  function profile(loop: ProfileExport): GdpKernel['deltaGdp'] {
    return (mu, epsilon, out) => {
      const result = outputOf(epsilon.length, out, OF_INPUT);
      const single = typeof mu === 'number';
      if (!single) checkLength('mu', mu, epsilon.length, OF_EPSILON);
      const both = single ? Float64Array.of(mu, mu) : mu;
      return arena.inBlocks(result, BLOCK, (start, end) => {
        const m = arena.copyIn(single ? both : both.subarray(start, end));
        const e = arena.copyIn(epsilon.subarray(start, end));
        loop(m, single ? 0 : 1, e, e, end - start);
        return e;
      });
    };
  }

  return {
    deltaGdp: profile(exports.deltaGdp),
    logDeltaGdp: profile(exports.logDeltaGdp),
    oneMinusDeltaGdp: profile(exports.oneMinusDeltaGdp),
    muGdpLog(epsilon, logDelta, out) {
      const result = outputOf(epsilon.length, out, OF_INPUT);
      checkLength('logDelta', logDelta, epsilon.length, OF_EPSILON);
      return arena.inBlocks(result, BLOCK, (start, end) => {
        const e = arena.copyIn(epsilon.subarray(start, end));
        const l = arena.copyIn(logDelta.subarray(start, end));
        exports.muGdpLog(e, l, e, end - start);
        return e;
      });
    },
    normalIntervals(edges, out) {
      const arrays = intervalArrays(edges, out);
      return arena.inBlocks(arrays.result, BLOCK, (start, end) => {
        const n = end - start;
        const p = arena.copyIn(arrays.edges.subarray(start, end + 1), n + 3);
        const masses = arena.allocF64(n + 1);
        exports.normalIntervals(p, masses, n);
        return masses;
      });
    },
  };
}
