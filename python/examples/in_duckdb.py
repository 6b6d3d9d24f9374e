"""A table of runs of any length in DuckDB, each different run asked about once: python in_duckdb.py runs.csv answers.csv"""

import sys

import duckdb
from gdp_kernel import sql

connection = duckdb.connect()
sql.register(connection)
runs = connection.read_csv(sys.argv[1])
ends = ", ".join(f"gdp_epsilon_{end}(noise_multiplier, sampling_rate, steps, 1e-5) AS epsilon_{end}" for end in ("lower", "upper"))
connection.sql(f"SELECT *, {ends} FROM runs").write_csv(sys.argv[2])
