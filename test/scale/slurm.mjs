// Slurm on one node: the shards of a sweep as a job array, a task killed in the middle and submitted again, the tables joined. Run as root: it starts munged, slurmctld and
// slurmd of its own, on ports and folders of its own, and ends them.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { digestOf, FOLDER, GDP, GRID, gdp, rowsOf } from './tools.mjs';

const SHARDS = 4;
const folder = join(FOLDER, 'slurm');
rmSync(folder, { recursive: true, force: true });
for (const name of ['state', 'spool', 'munge'])
  mkdirSync(join(folder, name), { recursive: true, mode: 0o755 });
const at = (name) => join(folder, name);
const grid = at('grid.json');
writeFileSync(grid, JSON.stringify(GRID));
writeFileSync(at('munge/key'), Buffer.alloc(64, 7), { mode: 0o400 });
const conf = at('slurm.conf');
writeFileSync(
  conf,
  `ClusterName=one
SlurmctldHost=${hostname()}(127.0.0.1)
SlurmUser=root
SlurmctldPort=16817
SlurmdPort=16818
AuthType=auth/munge
AuthInfo=socket=${at('munge/socket')}
CredType=cred/munge
StateSaveLocation=${at('state')}
SlurmdSpoolDir=${at('spool')}
SlurmctldPidFile=${at('slurmctld.pid')}
SlurmdPidFile=${at('slurmd.pid')}
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
NodeName=${hostname()} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`,
);
const env = { ...process.env, SLURM_CONF: conf };
const run = (command, ...args) => execFileSync(command, args, { env, encoding: 'utf8' }).trim();
const daemons = [];
const daemon = (command, ...args) => daemons.push(spawn(command, args, { env, stdio: 'ignore' }));
const waitFor = async (what, holds, seconds = 300) => {
  for (let waited = 0; !holds(); waited++) {
    if (waited > 5 * seconds) throw new Error(`${what} did not come`);
    await sleep(200);
  }
};
const submit = (array) =>
  run(
    'sbatch',
    '--parsable',
    `--array=${array}`,
    '--no-requeue',
    '-c1',
    `--output=${at('job-%a.log')}`,
    at('job.sh'),
  );
const queued = (job) => run('squeue', '--noheader', `--jobs=${job}`, '--states=all').includes(' ');
const busy = () => run('squeue', '--noheader').length > 0;
try {
  daemon(
    'munged',
    '--foreground',
    '--force',
    `--socket=${at('munge/socket')}`,
    `--key-file=${at('munge/key')}`,
    `--pid-file=${at('munge/pid')}`,
    `--log-file=${at('munge/log')}`,
    `--seed-file=${at('munge/seed')}`,
  );
  await sleep(1000);
  daemon('slurmctld', '-D', '-f', conf, '-L', at('slurmctld.log'));
  daemon('slurmd', '-D', '-f', conf, '-L', at('slurmd.log'));
  await waitFor(
    'the node',
    () => {
      try {
        return run('sinfo', '--noheader', '-o', '%T').startsWith('idle');
      } catch {
        return false;
      }
    },
    60,
  );
  writeFileSync(
    at('job.sh'),
    `#!/bin/sh
exec ${process.execPath} ${GDP} sweep ${grid} --shard $SLURM_ARRAY_TASK_ID/${SHARDS} --out ${folder}/part-$SLURM_ARRAY_TASK_ID.csv --workers 1
`,
  );
  const job = submit(`0-${SHARDS - 1}`);
  const first = at('part-0.csv');
  await waitFor('the first rows', () => (statSync(first, { throwIfNoEntry: false })?.size ?? 0) > 2000);
  run('scancel', '--signal=KILL', '--full', `${job}_0`);
  await waitFor('the end of the others', () => !busy());
  const left = readFileSync(first, 'utf8').trim().split('\n').length - 1;
  const again = submit('0');
  await waitFor('the end of the task submitted again', () => !queued(again) || !busy());
  const said = readFileSync(at('job-0.log'), 'utf8').trim();
  const parts = Array.from({ length: SHARDS }, (_, i) => at(`part-${i}.csv`));
  const rows = rowsOf(...parts);
  gdp('sweep', grid, '--out', at('alone.csv'));
  const same = digestOf(rows) === digestOf(rowsOf(at('alone.csv')));
  const log = {
    tasks: SHARDS,
    kills: 1,
    rowsAtTheKill: left,
    submittedAgain: 1,
    said,
    rows: rows.length,
    sameAsOneMachine: same,
    sha256: digestOf(rows).slice(0, 16),
  };
  process.stdout.write(`slurm: ${JSON.stringify(log)}\n`);
  if (!same || !/were there already/.test(said)) process.exitCode = 1;
} finally {
  for (const child of daemons.reverse()) child.kill('SIGTERM');
}
