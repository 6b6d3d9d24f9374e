// The recipe that no engine here runs: the YAML is a Job whose pods are its shards.
import { readFileSync } from 'node:fs';
import { imported } from './tools.mjs';

const { parse } = await imported('yaml');
const { kind, spec } = parse(readFileSync('examples/kubernetes/sweep-job.yaml', 'utf8'));
const [command] = spec.template.spec.containers[0].args;
const shards = /--shard "\$JOB_COMPLETION_INDEX\/(\d+)"/.exec(command)?.[1];
if (kind !== 'Job' || spec.completionMode !== 'Indexed' || Number(shards) !== spec.completions)
  throw new Error(`${kind} ${spec.completionMode}: ${shards} shards, ${spec.completions} pods`);
process.stdout.write('recipes: the Kubernetes job lints\n');
