// gdp-kernel as an accountant of the pack: node conformance/adapters/gdp.mjs [wasm|reference] [METHOD], or `answerer` from a test.
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

/** Answers questions by the library's own functions; what it refuses is told, whatever else is thrown is a bug. */
export function answerer(library, engine, options = {}) {
  const { account, audit, calibrate, isInputError, measure, parseMechanism } = library;
  const ask = ({ run, adjacency, quantity, at }) => {
    if (quantity === 'noise-multiplier') {
      const found = calibrate(engine, { ...run, ...at, adjacency });
      return found.reached ? { value: found.value } : { error: found.reason };
    }
    if (quantity === 'audit-mu') return audit(run, at).muLower;
    if (quantity === 'audit-epsilon') {
      const { delta, ...rest } = at;
      return audit(run, { ...rest, deltas: [delta] }).epsilonLower[0].epsilon;
    }
    const composed = account(engine, parseMechanism(run), { adjacency, ...options });
    if (quantity === 'mu') return measure(composed, { alphaMin: at }).mu;
    return composed[quantity === 'beta' ? 'tradeoff' : quantity](at);
  };
  return (vector) => {
    try {
      return ask(vector);
    } catch (error) {
      if (!isInputError(error)) throw error;
      return { error: error.message };
    }
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const library = { ...(await import('../../dist/index.js')), ...(await import('../../dist/audit.js')) };
  const [kernel = 'wasm', method = 'auto'] = process.argv.slice(2);
  const answer = answerer(library, await library.loadEngine({ kernel }), { method });
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, ...vector } = JSON.parse(line);
    const text = JSON.stringify({ id, ...answer(vector) }, (_, x) => (x === Infinity ? 'Infinity' : x));
    process.stdout.write(`${text}\n`);
  }
}
