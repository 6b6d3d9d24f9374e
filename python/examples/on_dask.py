"""A table of runs over a Dask cluster, rows in and brackets out: python on_dask.py runs.csv answers.csv"""

import sys

import dask.dataframe
import pandas
from dask.distributed import Client
from gdp_kernel import batch

if __name__ == "__main__":
    client = Client()  # or the address of a scheduler
    runs = dask.dataframe.from_pandas(pandas.read_csv(sys.argv[1]), npartitions=16)
    runs.map_partitions(batch, meta=batch(runs.head(1))).compute().to_csv(sys.argv[2], index=False)
