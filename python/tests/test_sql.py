"""The functions for SQL, in SQLite and, where it is installed, in DuckDB: brackets of accounts, NULL, refusals, many rows. The examples of the docs."""

import sqlite3
import sys
import unittest
from pathlib import Path
from unittest import mock

sys.path[:0] = [str(Path(__file__).resolve().parent.parent)]

from gdp_kernel import Account, sql  # noqa: E402

try:
    import duckdb
except ImportError:
    duckdb = None

RUN = Account.dp_sgd(noise_multiplier=2, sampling_rate=1, steps=30)
#: 10,000 rows of 100 different runs.
TABLE = "SELECT 2 + k % 100 / 100.0 AS noise, 0.01 AS rate, 1000 AS steps, 1e-5 AS delta FROM numbers"


class SqlFunctions:
    """What both databases do."""

    def ask(self, question):
        raise NotImplementedError

    def test_are_the_ends_of_brackets(self):
        epsilon, delta = RUN.epsilon(1e-5), RUN.delta(15)
        found = self.ask("gdp_epsilon(2, 1, 30, 1e-5), gdp_epsilon_lower(2, 1, 30, 1e-5), gdp_epsilon_upper(2, 1, 30, 1e-5)")
        self.assertEqual(found, (epsilon.upper, epsilon.lower, epsilon.upper))
        found = self.ask("gdp_delta(2, 1, 30, 15), gdp_delta_lower(2, 1, 30, 15), gdp_delta_upper(2, 1, 30, 15)")
        self.assertEqual(found, (delta.upper, delta.lower, delta.upper))

    def test_pass_null_on(self):
        self.assertEqual(self.ask("gdp_epsilon(2, 1, NULL, 1e-5), gdp_delta_lower(NULL, 1, 30, 15)"), (None, None))

    def test_say_what_is_refused(self):
        self.assertEqual(self.ask("gdp_refusal(2, 1, 30, 1e-5)"), (None,))
        self.assertEqual(self.ask("gdp_refusal(2, 1.5, 30, 1e-5)"), ('"sampling_rate" must be a number in [0, 1], got 1.5',))
        with self.assertRaisesRegex(Exception, self.refused):
            self.ask("gdp_epsilon(2, 1.5, 30, 1e-5)")

    def test_ask_about_each_different_run_once(self):
        question = f"SELECT gdp_epsilon(noise, rate, steps, delta) AS upper FROM ({TABLE})"
        with mock.patch.object(sql, "_run", wraps=sql._run) as asked:
            count, different, least, most = self.ask(f"count(*), count(DISTINCT upper), min(upper), max(upper) FROM ({question})")
        self.assertEqual(asked.call_count, 100)
        self.assertEqual((count, different), (10_000, 100))
        for noise, found in ((2, most), (2.99, least)):
            self.assertEqual(found, Account.dp_sgd(noise_multiplier=noise, sampling_rate=0.01, steps=1000).epsilon(1e-5).upper)


class SQLite(SqlFunctions, unittest.TestCase):
    refused = "user-defined function raised exception"

    def ask(self, question):
        connection = sqlite3.connect(":memory:")
        sql.register(connection)
        numbers = "WITH RECURSIVE numbers(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM numbers WHERE k < 9999)"
        return connection.execute(f"{numbers} SELECT {question}").fetchone()


@unittest.skipIf(duckdb is None, "duckdb is not installed")
class DuckDB(SqlFunctions, unittest.TestCase):
    refused = r'"sampling_rate" must be a number in \[0, 1\], got 1.5'

    def ask(self, question):
        connection = duckdb.connect()
        sql.register(connection)
        return connection.execute(f"WITH numbers AS (SELECT range AS k FROM range(10000)) SELECT {question}").fetchone()


class Examples(unittest.TestCase):
    def test_stand_in_the_docs_as_they_run(self):
        package = Path(__file__).resolve().parent.parent
        page = (package.parent / "docs" / "scale.md").read_text(encoding="utf-8")
        examples = sorted((package / "examples").glob("*.py"))
        self.assertEqual(len(examples), 4)
        for example in examples:
            program = example.read_text(encoding="utf-8").split('"""', 2)[2].strip()
            self.assertIn(f"```python\n{program}\n```", page)


if __name__ == "__main__":
    unittest.main()
