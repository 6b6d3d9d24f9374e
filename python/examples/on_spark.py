"""A table of runs over a Spark cluster, rows in and brackets out: spark-submit on_spark.py runs.csv answers.csv"""

import sys

import pandas
from gdp_kernel import batch
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
runs = spark.createDataFrame(pandas.read_csv(sys.argv[1])).repartition(16)
schema = spark.createDataFrame(batch(runs.limit(1).toPandas()).astype({"error": "str"})).schema
answers = runs.mapInPandas(lambda parts: map(batch, parts), schema)
answers.toPandas().to_csv(sys.argv[2], index=False)
