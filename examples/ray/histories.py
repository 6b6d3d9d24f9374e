"""Distinct histories over a Ray cluster: an actor a core, each with one node child.  ray job submit -- python histories.py histories.jsonl"""

import json
import sys

import ray


@ray.remote(num_cpus=1, max_restarts=3, max_task_retries=3)
class Accountant:
    def epsilon(self, history, delta):
        from gdp_kernel import Account, Refused

        try:
            return Account({"history": history}).epsilon(delta)
        except Refused as refusal:
            return str(refusal)


def main(path, delta=1e-5):
    ray.init()
    with open(path, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    distinct = sorted({json.dumps(row["history"]) for row in rows})
    actors = [Accountant.remote() for _ in range(int(ray.cluster_resources()["CPU"]))]
    asked = [actors[i % len(actors)].epsilon.remote(json.loads(each), delta) for i, each in enumerate(distinct)]
    answers = dict(zip(distinct, ray.get(asked)))
    for row in rows:
        print(json.dumps({"id": row.get("id"), "epsilon": answers[json.dumps(row["history"])]}))


if __name__ == "__main__":
    main(sys.argv[1])
