"""Answers ten questions about a history from its tables.

    python fleet/ask.py --remote sc://HOST:PORT --into catalog.history spend-by-team --teams teams.csv
    python fleet/ask.py --list

Each question is a query in `fleet/questions`: Spark's SQL over the tables of rows, the view
`usage_counted`, which counts each answer once, and the table `teams` of a file that you give, with
the columns `account` and `team`.
"""

import argparse
import csv
import pathlib
import sys
from typing import Any, List, Optional, Sequence

import lake
from fill import session
from verbatim_sessions import TABLES, usage_view

QUESTIONS = pathlib.Path(__file__).resolve().parent / "questions"


def names() -> List[str]:
    """The names of the questions."""
    return sorted(path.stem for path in QUESTIONS.glob("*.sql"))


def told(name: str) -> str:
    """The query of a question, whose first lines say what is asked."""
    return (QUESTIONS / f"{name}.sql").read_text(encoding="utf-8")


def prepare(spark: Any, place: Any, teams: Optional[pathlib.Path] = None) -> None:
    """Gives the tables their short names in this session of the engine."""
    for table in TABLES:
        place.table(table).createOrReplaceTempView(table)
    view = usage_view().replace("CREATE VIEW", "CREATE OR REPLACE TEMPORARY VIEW", 1)
    spark.sql(view.strip().rstrip(";"))
    rows = []
    if teams is not None:
        with teams.open(encoding="utf-8", newline="") as file:
            rows = [(row["account"], row["team"]) for row in csv.DictReader(file)]
    lake.frame(spark, rows or [("", "")], "account string, team string").where(
        "account <> ''").createOrReplaceTempView("teams")


def ask(spark: Any, name: str) -> Any:
    """The answer of a question, as a table."""
    return spark.sql(told(name).strip().rstrip(";"))


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("question", nargs="*", help="the names of questions (default: all)")
    parser.add_argument("--list", action="store_true", help="print the questions")
    parser.add_argument("--remote", help="the engine: sc://HOST:PORT, spark://…")
    parser.add_argument("--into", help="the namespace of the Iceberg tables: CATALOG.NAME")
    parser.add_argument("--parquet", help="the folder of Parquet files, or its address")
    parser.add_argument("--teams", type=pathlib.Path, help="a CSV file: account,team")
    given = parser.parse_args(arguments)
    for name in given.question:
        if name not in names():
            parser.error(f"there is no question {name}; the questions are: {', '.join(names())}")
    if given.list:
        for name in names():
            print(f"{name}: {told(name).splitlines()[0].lstrip('- ')}")
        return
    if not given.remote or not (given.into or given.parquet):
        parser.error("name the engine with --remote, and the tables with --into or --parquet")
    spark = session(given.remote)
    place = lake.Iceberg(spark, given.into) if given.into else lake.Parquet(spark, given.parquet)
    prepare(spark, place, given.teams)
    for name in given.question or names():
        print(told(name).splitlines()[0].lstrip("- "))
        ask(spark, name).show(50, truncate=False)


if __name__ == "__main__":
    main(sys.argv[1:])
