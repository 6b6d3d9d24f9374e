// kernel.wasm as a host without JavaScript has it: its own functions and memory, and nothing else; and the questions that it is asked.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

const module = new WebAssembly.Module(readFileSync(join(root, 'build/kernel.wasm')));
/** The module's exports: docs/host-kernel.md. */
export const host = new WebAssembly.Instance(module).exports;

/** Writes the phases, and asks at a number. */
export function askHost(phases, question, at, { tolerance = 1e-6, allowance = 1e9 } = {}) {
  const address = host.gdp_run(phases.length);
  const numbers = new Float64Array(host.memory.buffer, address, 8 + 3 * phases.length);
  for (const [i, { noise, rate, steps }] of phases.entries()) numbers.set([noise, rate, steps], 8 + 3 * i);
  const end = host[`gdp_run_${question}`](at, tolerance, allowance);
  const [lower, upper, work] = new Float64Array(host.memory.buffer, address, 3);
  return { end, lower, upper, work };
}

/** A run in phases; undefined of what the kernel alone does not know. */
function phasesOf({
  kind,
  noiseMultiplier: noise,
  samplingRate,
  steps,
  recordsPerPerson,
  parts,
  inner,
  count,
}) {
  if (kind === 'gaussian') return [{ noise, rate: 1, steps: 1 }];
  if (kind === 'dp-sgd')
    return recordsPerPerson === undefined ? [{ noise, rate: samplingRate, steps }] : undefined;
  const all = (kind === 'compose' ? parts : kind === 'repeat' ? [inner] : []).map(phasesOf);
  if (all.length === 0 || all.includes(undefined)) return undefined;
  return all.flat().map((phase) => ({ ...phase, steps: phase.steps * (kind === 'repeat' ? count : 1) }));
}

/** Vectors of conformance/ that the kernel alone can be asked, with their independent values. */
export function statedVectors() {
  const folder = join(root, 'conformance/vectors');
  return readdirSync(folder)
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line))
    .filter(
      ({ adjacency, quantity, value }) =>
        adjacency === 'add-remove' && ['epsilon', 'delta', 'mu'].includes(quantity) && value !== undefined,
    )
    .map(({ id, run, quantity, at, value }) => ({
      id,
      phases: phasesOf(run),
      quantity,
      at,
      value: Number(value),
    }))
    .filter(({ phases }) => phases !== undefined);
}
