// DuckDB: a ledger of generated rows, grouped to its distinct histories, answered by gdp batch, joined back. ROWS in the environment: default 1e8.
import { mkdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { FOLDER, gdp, imported } from './tools.mjs';

const rows = Number(process.env.ROWS ?? 1e8);
const { DuckDBInstance } = await imported('@duckdb/node-api');
const folder = join(FOLDER, 'duckdb');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const instance = await DuckDBInstance.create(join(folder, 'ledger.db'), {
  memory_limit: '4GB',
  preserve_insertion_order: 'false',
});
const sql = await instance.connect();
const one = async (query) => (await sql.runAndReadAll(query)).getRows()[0];
const seconds = {};
const timed = async (name, work) => {
  const start = performance.now();
  const result = await work();
  seconds[name] = (performance.now() - start) / 1000;
  return result;
};

// a user's history: one of 1,000 kinds of run, by a hash of the user
await timed('generated', () =>
  sql.run(
    `CREATE TABLE ledger AS SELECT range AS id, (hash(range) % 1000)::SMALLINT AS kind FROM range(${rows})`,
  ),
);
await sql.run(`CREATE MACRO sigma(kind) AS 0.8 + (kind % 50) / 20.0`);
await sql.run(`CREATE MACRO rate(kind) AS [0.001, 0.005, 0.01, 0.02][1 + (kind // 50) % 4]`);
await sql.run(`CREATE MACRO steps(kind) AS [250, 500, 1000, 2000, 4000][1 + (kind // 200) % 5]`);
await timed('grouped', () =>
  sql.run(`COPY (SELECT sigma(kind) AS noise_multiplier, rate(kind) AS sample_rate, steps(kind) AS steps, count(*) AS users
    FROM ledger GROUP BY ALL ORDER BY ALL) TO '${folder}/distinct.parquet'`),
);
await timed('answered', () =>
  gdp('batch', join(folder, 'distinct.parquet'), '--delta', '1e-5', '--out', join(folder, 'answers.parquet')),
);
await timed('joined', () =>
  sql.run(`CREATE TABLE answered AS
    WITH cells AS (SELECT *, row_number() OVER (ORDER BY noise_multiplier, sample_rate, steps) - 1 AS place FROM '${folder}/distinct.parquet'),
    known AS (SELECT noise_multiplier, sample_rate, steps, "epsilon_at_1e-5_upper" AS epsilon FROM cells JOIN '${folder}/answers.parquet' ON place = "index")
    SELECT id, epsilon FROM ledger JOIN known ON sigma(kind) = noise_multiplier AND rate(kind) = sample_rate AND steps(kind) = known.steps`),
);
const [count, least, most] = await one('SELECT count(epsilon), min(epsilon), max(epsilon) FROM answered');
const [distinct] = await one(`SELECT count(*) FROM '${folder}/distinct.parquet'`);
if (Number(count) !== rows) throw new Error(`${count} of ${rows} rows were answered`);
// users taken out of the middle have what gdp says of their run alone
for (const id of [0, Math.floor(rows / 2), rows - 1]) {
  const [epsilon, sigma, rate, steps] = await one(
    `SELECT epsilon, sigma(kind)::DOUBLE, rate(kind)::DOUBLE, steps(kind)::DOUBLE FROM answered JOIN ledger USING (id) WHERE id = ${id}`,
  );
  const args = ['--noise-multiplier', sigma, '--sampling-rate', rate, '--steps', steps].map(String);
  const alone = JSON.parse(gdp('epsilon', ...args, '--delta', '1e-5', '--json'));
  if (alone.epsilon.upper !== epsilon)
    throw new Error(`user ${id}: ${epsilon} in the table, ${alone.epsilon.upper} alone`);
}
const total = Object.values(seconds).reduce((a, b) => a + b);
const log = {
  rows,
  distinct: Number(distinct),
  answered: Number(count),
  epsilon: [least, most],
  seconds,
  perCore: Math.round(rows / total / availableParallelism()),
};
process.stdout.write(`duckdb: ${JSON.stringify(log)}\n`);
sql.closeSync();
rmSync(folder, { recursive: true });
