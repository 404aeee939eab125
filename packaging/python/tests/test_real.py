"""The same rows everywhere: from one run of the program, from pandas, and from the data source on
Sail with one task and with many. `VERBATIM_REAL_SESSIONS` names a folder with sessions, such as that
of the samples, which `verbatim demo --folder` writes, or one of real files.
"""

import collections
import json
import os
import pathlib
import subprocess

import pytest

from verbatim_sessions import TABLES, columns, program, rows

from test_rows import optional
from test_spark import spark, told  # noqa: F401


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    named = os.environ.get("VERBATIM_REAL_SESSIONS")
    os.environ["HOME"] = str(tmp_path_factory.mktemp("home"))
    if named:
        return pathlib.Path(named)
    folder = tmp_path_factory.mktemp("demo") / "demo"
    subprocess.run([program(), "demo", "--folder", str(folder)], check=True,
                   stdout=subprocess.DEVNULL)
    return folder / "sessions"


@pytest.fixture(scope="module")
def own(real):
    """The tables of one run, as Arrow."""
    return rows(real, list(TABLES)).to_arrow()


def printed(real):
    """The rows that the program prints, by their tables."""
    run = subprocess.Popen([program(), "rows", str(real), "--table", ",".join(TABLES)],
                           stdout=subprocess.PIPE)
    counts = {table: collections.Counter() for table in TABLES}
    for line in run.stdout:
        row = json.loads(line)
        table = row.pop("table")
        counts[table][json.dumps(row.get("session"))] += 1
    assert run.wait() == 0
    return counts


def test_the_program_prints_as_many_rows_of_each_session(real, own):
    for table, counts in printed(real).items():
        sessions = own[table].column("session").to_pylist()
        assert collections.Counter(map(json.dumps, sessions)) == counts, table


def test_pandas_has_the_same_rows(real, own):
    optional("pandas")
    frames = rows(real, list(TABLES)).to_pandas()
    for table in TABLES:
        assert list(frames[table].columns) == [column.name for column in columns(table)]
        assert len(frames[table]) == own[table].num_rows, table
        for name in frames[table].columns:
            nulls = int(frames[table][name].isna().sum())
            assert nulls == own[table].column(name).null_count, (table, name)


@pytest.mark.parametrize("table", TABLES)
def test_an_engine_has_the_same_rows(spark, real, own, table):  # noqa: F811
    expected = told(table, own[table])
    for tasks in (1, 7):
        frame = spark.read.format("verbatim").option("table", table).option("tasks", tasks)
        assert told(table, frame.load(str(real))) == expected, tasks
