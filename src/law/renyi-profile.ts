import { exp } from '../numeric/scalar.js';
import type { Atoms } from './pair.js';
import { TangentSearch, ZcdpSearch } from './renyi-conversion.js';
import { tabulatedAtoms } from './tabulated-atoms.js';

/** Tables are cut where δ falls below e^{−700}. */
const DEPTH = 700;
const POINTS = 4000;
/** Orders whose tangents are searched at each point of a table; the others keep those they had. */
const REFINED = 2;
/** All orders are looked at at every so many points, elsewhere this many on either side of the last best. */
const SURVEY = 32;
const AROUND = 2;
const FINEST = 1e-2;

/** The profile table of anything ρ-zCDP: Rényi divergence ρα at every order α > 1. */
export function zcdpAtoms(rho: number): Atoms {
  const top = rho + 2 * Math.sqrt(rho * DEPTH);
  const search = new ZcdpSearch(rho, FINEST);
  // log δ(ε) ~ −ε²/4ρ
  return profileAtoms(top, Math.sqrt(2 * rho), (epsilon) => search.search(epsilon));
}

/** The profile table of anything with the Rényi divergences listed. */
export function rdpAtoms(points: readonly { order: number; epsilon: number }[]): Atoms {
  let top = Infinity;
  for (const { order, epsilon } of points) top = Math.min(top, epsilon + DEPTH / (order - 1));
  const searches = points.map(({ order, epsilon }) => new TangentSearch(order - 1, epsilon, FINEST));
  let best = 0;
  let asked = 0;
  return profileAtoms(top, Infinity, (epsilon) => {
    // the best order moves little from one ε to the next
    const [from, to] = asked++ % SURVEY === 0 ? [0, searches.length] : [best - AROUND, best + AROUND + 1];
    const glances = searches
      .slice(Math.max(0, from), to)
      .map((search) => ({ search, value: search.glance(epsilon) }))
      .sort((a, b) => a.value - b.value);
    best = searches.indexOf(glances[0].search);
    return Math.min(0, ...glances.slice(0, REFINED).map(({ search }) => search.search(epsilon)));
  });
}

function profileAtoms(top: number, tailMu: number, logDelta: (epsilon: number) => number): Atoms {
  const points: { epsilon: number; delta: number }[] = [];
  for (let i = 0; i <= POINTS; i++) {
    const epsilon = (top * i) / POINTS;
    points.push({ epsilon, delta: exp(Math.min(0, logDelta(epsilon))) });
  }
  const atoms = tabulatedAtoms(points);
  const beyond = Math.max(atoms.infinity, atoms.minusInfinity);
  return { ...atoms, infinity: 0, minusInfinity: 0, beyond, gdpMu: Infinity, tailMu };
}
