"""A table of runs over a Ray cluster, rows in and brackets out: python on_ray.py runs.csv answers.csv"""

import sys

import pandas
import ray
from gdp_kernel import batch

ray.init()
runs = ray.data.from_pandas(pandas.read_csv(sys.argv[1])).repartition(16)
answers = runs.map_batches(batch, batch_format="pandas", batch_size=None)
answers.to_pandas().to_csv(sys.argv[2], index=False)
