// npm run mutants: takes one term after another out of a copy of the modules and runs the tests that must then fail.
// --list names the mutants, --only N (or N,M, or part of a name) runs some. Exit code 1 if one lives.
import './lib/setup.mjs';
import { existsSync, readFileSync } from 'node:fs';
import { blindTests, failingNow, freshCopy } from './lib/mutants.mjs';
import { ensureInstalled, ensureWasm } from './lib/setup.mjs';
import { MUTANTS } from './mutants/index.mjs';

const args = process.argv.slice(2);
const numbered = MUTANTS.map((mutant, i) => ({ ...mutant, number: i + 1 }));
if (args[0] === '--list') {
  for (const { number, term, proof, file } of numbered)
    process.stdout.write(
      `${String(number).padStart(3)}  ${term}  (${[file, proof].filter(Boolean).join('; ')})\n`,
    );
  process.exit(0);
}
if (args.length > 0 && !(args[0] === '--only' && args.length === 2)) {
  process.stderr.write('npm run mutants [-- --list | --only N[,M…] | --only WORDS]\n');
  process.exit(2);
}
const chosen = args.length === 0 ? numbered : numbered.filter(wanted(args[1]));
if (chosen.length === 0) {
  process.stderr.write(`no mutant is "${args[1]}": --list names them\n`);
  process.exit(2);
}

ensureInstalled();
ensureWasm();
freshCopy();
const tests = [...new Set(chosen.flatMap((mutant) => mutant.tests.map((test) => JSON.stringify(test))))];
const broken = failingNow(tests.map((test) => JSON.parse(test)));
for (const [file, title] of broken) process.stdout.write(`FAILS AS THE CODE IS  ${file}: ${title}\n`);
if (broken.length > 0) process.exit(1);

let alive = 0;
for (const mutant of chosen) {
  const before = secondsOfChildren();
  const blind = blindTests(mutant);
  const seconds = (secondsOfChildren() - before).toFixed(1);
  if (blind.length > 0) alive++;
  process.stdout.write(
    `${String(mutant.number).padStart(3)}  ${blind.length > 0 ? 'LIVES ' : 'killed'}  ${seconds.padStart(5)} s  ${mutant.term}\n`,
  );
  for (const { file, title, how } of blind)
    process.stdout.write(`       not noticed by ${file}: "${title}": ${how}\n`);
}
process.stdout.write(
  `\n${chosen.length - alive} killed, ${alive} alive, ${secondsOfChildren().toFixed(0)} s\n`,
);
process.exit(alive > 0 ? 1 : 0);

function wanted(which) {
  const numbers = which.split(',').map(Number);
  return numbers.every(Number.isInteger)
    ? ({ number }) => numbers.includes(number)
    : ({ term }) => term.includes(which);
}

/** Processor time of the tests run so far; where the system does not tell, seconds since the start. */
function secondsOfChildren() {
  const path = '/proc/self/stat';
  if (!existsSync(path)) return performance.now() / 1000;
  const fields = readFileSync(path, 'utf8').split(') ')[1].split(' ');
  // ticks of a hundredth of a second: of children that were waited for, in user and in system
  return (Number(fields[13]) + Number(fields[14])) / 100;
}
