/**
 * The law of one step for callers outside of the kernel: log M on the real axis, log φ along contours, and bounds of |φ|. φ(τ) is M(c + iτ)/M(c).
 *
 * Each call builds the law anew, in LAW_ROOM numbers of memory, without touching the open run. Six numbers define it: its kind, which is μ > 0 for a
 * Poisson-subsampled Gaussian; the rate; cut and edge width of the window that truncates outputs, both ∞ for all outputs; the accuracy of its
 * integrals, and the allowance of a call in units of work. The parameters of its kind follow: the `Sides` of mixtures, the shape of exponentials, the
 * numbers of `Atoms`, of `Bins` or of `Blend`. Each function returns the units it used.
 */
import { BLEND, EPOCHS, LAW_ROOM, MIXTURE } from '../../src/kernel/constants.js';
import { Allocation } from '../law/allocation.js';
import { Bins } from '../law/bins.js';
import { Blend } from '../law/blend.js';
import { CutPowers, GaussianAndRest } from '../law/gaussian-and-rest.js';
import { Law, LogPhi } from '../law/law.js';
import { PhaseStep, Truncation } from '../law/phase-step.js';
import { StepLaw } from '../law/step-law.js';
import { wholeLaw } from '../law/whole-law.js';
import { loadF64, storeF64 } from '../lane/memory.js';
import { beginWhereCrowded } from './opened.js';
import { countCumulant, enterRoom, isSpent, leaveRoom, workDone } from '../lane/room.js';
import { logOf } from '../functions/scalar.js';

/** Memory of a law's objects, counted in cumulants. */
const OBJECTS = 32;
/** Limit of the number of nodes of a contour. */
const LONGEST: usize = 65536;

/** Offset in bytes of the parameters of a kind. */
const OWN: usize = 48;

function stepOf(law: usize): PhaseStep {
  return new PhaseStep(loadF64(law), loadF64(law, 8), law + OWN);
}

/** Begins a call: the memory at `room` is used, and the allowance is the law's sixth number. */
function enter(law: usize, room: usize): void {
  beginWhereCrowded();
  enterRoom(room, <usize>LAW_ROOM, loadF64(law, 40));
  for (let i = 0; i < OBJECTS; i++) countCumulant();
}

/**
 * Begins a call and builds a law of any kind. The loss of an epoch is split into a Gaussian and a remainder log(1 + η), truncated at |η| = cut; it is
 * taken whole for cut = ∞. A `Blend` is not truncated. The law's functions state their error bounds.
 */
function openLaw(law: usize, room: usize, count: f64): Law {
  const kind = loadF64(law);
  if (kind !== EPOCHS && kind !== BLEND) return openStep(law, room, count);
  enter(law, room);
  if (kind === BLEND) return new Blend(law + OWN, new Truncation(0, Infinity), loadF64(law, 32), count);
  const bins = new Bins(law + OWN);
  const cut = loadF64(law, 16);
  if (cut === Infinity) return new Allocation(bins, count);
  const powers = new CutPowers(law + OWN);
  powers.cut(cut);
  return new GaussianAndRest(bins, powers, count);
}

/** Begins a call and builds a law of any kind but epochs, its outputs truncated by its window. The law's functions state their error bounds. */
function openStep(law: usize, room: usize, count: f64): StepLaw {
  enter(law, room);
  const mu = loadF64(law);
  const depth = loadF64(law, 32);
  if (mu > 0 || mu === MIXTURE) {
    const step = stepOf(law);
    return step.law(step.window(loadF64(law, 16), loadF64(law, 24), -Infinity), depth, count);
  }
  return wholeLaw(mu, law + OWN, depth, count);
}

function closeLaw(): f64 {
  leaveRoom();
  return workDone();
}

/**
 * Chooses a truncation of outputs, its edge of the law's width, that removes a P-mass and a Q-mass of about e^{logMass}. Five numbers go to `out`:
 * its cut, NaN for none; log upper bounds of the removed P-mass and Q-mass; the largest tilt at which M is accurate to a few digits, and the largest
 * at which contours are worth trying. Ensures: the masses removed are no more than these bounds.
 */
export function lawCut(law: usize, logMass: f64, room: usize, out: usize): f64 {
  enter(law, room);
  if (loadF64(law) === EPOCHS) writePowers(law, logMass, out);
  else writeWindow(law, logMass, out);
  return closeLaw();
}

/** `lawCut` for epochs: the truncation |η| ≤ h, log(1 + η) the loss without its Gaussian part, with the bound `CutPowers.lost` for both masses. */
function writePowers(law: usize, logMass: f64, out: usize): void {
  const powers = new CutPowers(law + OWN);
  const isCut = powers.lose(logMass);
  const lost = logOf(powers.lost) + 1e-12;
  storeF64(out, isCut ? powers.h : NaN);
  storeF64(out, lost, 8);
  storeF64(out, lost, 16);
  storeF64(out, Infinity, 24);
  storeF64(out, Infinity, 32);
}

/** `lawCut` for other steps: the cut is heuristic, the masses are the upper bounds of `Window`. */
function writeWindow(law: usize, logMass: f64, out: usize): void {
  const width = loadF64(law, 24);
  const step = stepOf(law);
  const window = step.window(step.cutFor(logMass, width), width, -Infinity);
  storeF64(out, window.cut);
  storeF64(out, window.logLostP, 8);
  storeF64(out, window.logLostQ, 16);
  storeF64(out, step.largest(window, 8), 24);
  storeF64(out, step.largest(window, loadF64(law, 32)), 32);
}

/**
 * Four numbers to `out` for each of `many` tilts: log M, its error bound, mean and variance of the tilted loss. The last two are approximate. ∞ or
 * NaN where M is unknown. Ensures: log M lies within its error bound, if `isBounded`.
 * @param isBounded 0 for a few digits of log M without error bounds.
 */
export function lawCumulants(
  law: usize,
  tilts: usize,
  many: usize,
  isBounded: f64,
  room: usize,
  out: usize,
): f64 {
  const step = openLaw(law, room, 1);
  for (let i: usize = 0; i < many; i++) {
    const c = loadF64(tilts + (i << 3));
    const found = isBounded > 0 ? step.cumulant(c) : step.approximate(c);
    const at = out + (i << 5);
    storeF64(at, found.value);
    storeF64(at, found.error, 8);
    storeF64(at, found.mean, 16);
    storeF64(at, found.variance, 24);
  }
  return closeLaw();
}

/**
 * count·log φ(τ) = count·log(M(c + iτ)/M(c)) at n nodes of a contour of spacing dTau through the tilt c. The four rows of `LogPhi` go to `out`, of n
 * numbers each, rounded up to even. The first number is NaN where that would cost too much. Ensures: log φ within the errors in the last two rows.
 */
export function lawLine(law: usize, count: f64, c: f64, dTau: f64, n: usize, room: usize, out: usize): f64 {
  const step = openLaw(law, room, count);
  let isDone = false;
  if (n <= LONGEST) {
    const line = new LogPhi(c, dTau, n, (n + 31) & ~31);
    isDone = step.addTo(line, c, 1) && !isSpent();
    const row = (n + (n & 1)) << 3;
    if (isDone)
      for (let r: usize = 0; r < 4; r++)
        for (let k: usize = 0; k < n << 3; k += 8)
          storeF64(out + r * row + k, loadF64(line.rows + r * (line.room << 3) + k));
  }
  if (!isDone) storeF64(out, NaN);
  return closeLaw();
}

/**
 * Upper bounds of log|φ(τ)| = log|M(c + iτ)/M(c)| to `out` on each of the m − 1 intervals between ascending frequencies; bounds below `enough` are
 * not improved. Behind them A and V with |φ(τ)| ≤ A + V/|τ|; V is ∞ where there are none. Ensures: no less than log|φ|.
 */
export function lawDecay(
  law: usize,
  c: f64,
  taus: usize,
  m: usize,
  enough: f64,
  room: usize,
  out: usize,
): f64 {
  const decay = openStep(law, room, 1).decayAt(c);
  for (let i: usize = 0; i + 1 < m; i++) storeF64(out + (i << 3), 0);
  if (decay !== null) decay.bounds(taus, m, enough, out);
  storeF64(out + ((m - 1) << 3), decay !== null ? decay.atoms : 0);
  storeF64(out + (m << 3), decay !== null ? decay.variation : Infinity);
  return closeLaw();
}

/**
 * Upper bounds of log|φ(τ)| = log|M(c + iτ)/M(c)| to `out`, each for one of m frequencies and all larger ones. They are by quadrature along paths off
 * the real axis; 0 where there is none. Ensures: no less than log|φ|.
 */
export function lawFar(law: usize, c: f64, taus: usize, m: usize, room: usize, out: usize): f64 {
  const paths = openStep(law, room, 1).farAt(c);
  for (let i: usize = 0; i < m << 3; i += 8)
    storeF64(out + i, paths !== null && !isSpent() ? paths.logBound(loadF64(taus + i)) : 0);
  return closeLaw();
}
