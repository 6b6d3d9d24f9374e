import type { Kernel } from '../../kernel/kernel.js';
import { type Bracket, bracket } from '../../numeric/bracket.js';
import { Once } from '../../numeric/recent.js';
import { exp, log } from '../../numeric/scalar.js';
import { latticeAtoms } from '../lattice-atoms.js';
import type { LossLaw, LossNodes } from '../loss-law.js';
import { atomsOf, type PairBase } from '../pair.js';
import { subsampledRun } from '../subsampled-run.js';
import { subsampledBracket, subsampledLoss } from '../subsampling.js';
import { latticeMeasures } from './discretise.js';
import { type Direction, HalfCells } from './half-cells.js';

/** One step of `inner` on a Poisson sample of rate `rate` ∈ (0, 1], in one direction. */
export function cellLaw(inner: PairBase, rate: number, direction: Direction): LossLaw {
  // outputs that only P₀ gives have the loss log(1 − rate) when sampled
  const onlyBase = rate < 1 && (atomsOf(inner)?.minusInfinity ?? 0) > 0;
  const range = (step: number, logTail: number): [number, number] => {
    const [low, high] = inner.range(logTail);
    const a = subsampledLoss(onlyBase ? -Infinity : Math.max(low, inner.smallest), rate);
    const b = subsampledLoss(Math.min(high, inner.largest), rate);
    const [from, to] = direction === 'remove' ? [a, b] : [-b, -a];
    const first = Math.floor(from / step) - 1;
    return [first, Math.max(first + 1, Math.ceil(to / step) + 1)];
  };
  const largest = (): Bracket => {
    if (direction === 'remove') return subsampledBracket(inner.largest, rate);
    const { lower, upper } = subsampledBracket(onlyBase ? -Infinity : inner.smallest, rate);
    return bracket(-upper, -lower);
  };
  const nodes = new Once(() => nodesOf(inner, rate, direction));
  return {
    direction: rate === 1 && !inner.asymmetric ? 'both' : direction,
    single: subsampledRun(inner, rate, direction),
    gdpMu: inner.gdpMu,
    largest: largest(),
    ...(inner.lattice !== undefined && rate === 1 ? { lattice: inner.lattice } : {}),
    cells: (step, logTail) => {
      const [first, last] = range(step, logTail);
      return last - first;
    },
    discretise: (kernel: Kernel, step: number, logTail: number) => {
      const atoms = atomsOf(inner);
      if (inner.lattice !== undefined && atoms && rate === 1) {
        const exact = latticeAtoms(atoms, step);
        if (exact !== undefined) return exact;
      }
      const [first, last] = range(step, logTail);
      return latticeMeasures(new HalfCells(kernel, { inner, rate, direction }, { step, first, last }));
    },
    nodes: () => nodes.value,
  };
}

function nodesOf(inner: PairBase, rate: number, direction: Direction): LossNodes {
  const { loss: plain, logWeight: base } = inner.nodes();
  const n = plain.length;
  const loss = new Float64Array(n);
  const logWeight = new Float64Array(n);
  const logTail = new Float64Array(n);
  let fromBelow = 0;
  for (let i = 0; i < n; i++) {
    const y = subsampledLoss(plain[i], rate);
    loss[i] = direction === 'remove' ? y : -y;
    logWeight[i] = direction === 'remove' ? base[i] + y : base[i];
    // the smaller of P₀ below (losses ascend) and Q₀ above
    fromBelow += exp(base[i]);
    logTail[i] = log(Math.max(fromBelow, 1e-320));
  }
  let fromAbove = 0;
  for (let i = n - 1; i >= 0; i--) {
    fromAbove += exp(base[i] + plain[i]);
    logTail[i] = Math.min(logTail[i], log(Math.max(fromAbove, 1e-320)));
  }
  return { loss, logWeight, logTail };
}
