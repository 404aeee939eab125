"""The data source on Sail, an engine with Spark's interface, with two workers: whatever the number of
tasks, it has the rows of one run of the program.
"""

import collections
import os
import shutil
import subprocess

import pytest

from verbatim_sessions import TABLES, columns, program, rows

from test_rows import ID, SECRET, folder, optional  # noqa: F401


@pytest.fixture(scope="module")
def spark():
    server_of = optional("pysail.spark")
    sql = optional("pyspark.sql")
    os.environ["SAIL_MODE"] = "local-cluster"
    os.environ["SAIL_CLUSTER__WORKER_INITIAL_COUNT"] = "2"
    server = server_of.SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    port = server.listening_address[1]
    session = sql.SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
    from verbatim_sessions.spark import Verbatim

    session.dataSource.register(Verbatim)
    yield session
    session.stop()
    server.stop()


@pytest.fixture
def many(folder):  # noqa: F811
    """More sessions: some of them forks, of which each copies the answers of the first."""
    text = (folder / f"{ID}.jsonl").read_text(encoding="utf-8")
    for number in range(9):
        name = f"00000000-0000-4000-8000-00000000000{number}"
        own = text.replace(f'"sessionId": "{ID}"', f'"sessionId": "{name}"')
        (folder / f"{name}.jsonl").write_text(own + "no JSON\n", encoding="utf-8")
    return folder


def told(table, made):
    """The rows of a table as text, each with its count, by the types of its columns."""
    arrow = made.toArrow() if hasattr(made, "toArrow") else made
    assert arrow.column_names == [column.name for column in columns(table)]
    def text(value):
        # An engine may show times in UTC without saying so.
        return str(value.replace(tzinfo=None) if hasattr(value, "tzinfo") else value)

    return collections.Counter(
        tuple(text(value) for value in row.values()) for row in arrow.to_pylist())


@pytest.mark.parametrize("table", TABLES)
def test_a_folder_has_the_same_rows_whatever_the_number_of_tasks(spark, many, table):
    own = told(table, rows(many, table).to_arrow())
    assert (sum(own.values()) > 0) is (table != "files")
    for tasks in (1, 3, 20):
        frame = spark.read.format("verbatim").option("table", table).option("tasks", tasks)
        assert told(table, frame.load(str(many))) == own, tasks
    assert SECRET not in str(own)


def test_options_narrow_what_is_read(spark, many):
    read = spark.read.format("verbatim").option("table", "turns")
    some = read.option("columns", "session,prompt").option("session", ID).load(str(many))
    assert some.columns == ["session", "prompt"]
    assert {row.session for row in some.collect()} == {f"claude-code:{ID}"}
    assert spark.read.format("verbatim").option("agent", "codex").load(str(many)).count() == 0
    as_it_is = spark.read.format("verbatim").option("table", "texts").option("unredacted", "true")
    assert SECRET in str(as_it_is.load(str(many)).toArrow().to_pylist())


def test_money_and_times_can_be_computed_with(spark, many):
    read = spark.read.format("verbatim").option("table", "usage").load(str(many))
    read.createOrReplaceTempView("usage_rows")
    [row] = spark.sql(
        "SELECT sum(listed_usd) AS usd, min(time) AS first, count(*) AS numbers FROM usage_rows"
        " WHERE year(time) = 2026").collect()
    assert (str(row.usd), row.numbers) == ("0.003500000000", 20)


def archive(many, tmp_path):  # noqa: F811
    """An archive of the sessions, kept by two runs, and its folder."""
    home = tmp_path / "agent-home"
    projects = home / ".claude/projects/-srv-shop"
    projects.parent.mkdir(parents=True)
    shutil.copytree(many, projects)
    kept = tmp_path / "kept"
    sync = [program(), "sync", "--archive", str(kept)]
    env = {**os.environ, "HOME": str(home)}
    subprocess.run(sync, check=True, env=env, stdout=subprocess.DEVNULL)
    # One session grows: its first content is the base of the next one.
    grown = projects / f"{ID}.jsonl"
    text = grown.read_text(encoding="utf-8")
    more = text.splitlines(keepends=True)[3:]
    grown.write_text(text + "".join(more).replace(f"{ID}-", f"{ID}-9"), encoding="utf-8")
    subprocess.run(sync, check=True, env=env, stdout=subprocess.DEVNULL)
    return kept


@pytest.mark.parametrize("table", ["sessions", "usage", "texts", "faults"])
def test_an_archive_elsewhere_has_the_rows_of_its_folder(spark, many, tmp_path, table):
    kept = archive(many, tmp_path)
    own = told(table, rows(kept, table).to_arrow())
    assert sum(own.values()) >= 9
    for place, tasks in ((str(kept), 4), (kept.as_uri(), 1), (kept.as_uri(), 4)):
        read = spark.read.format("verbatim").option("table", table).option("tasks", tasks)
        assert told(table, read.load(place)) == own, (place, tasks)
