"""The questions have answers that are counted by hand here; a second reader sees the same tables."""

import collections
import decimal
import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import HERE, SECRET, needed, uid

needed("pyspark")
needed("pysail")

import ask  # noqa: E402
import fill  # noqa: E402
import lake  # noqa: E402
import stack  # noqa: E402
from verbatim_sessions import rows  # noqa: E402


@pytest.fixture
def filled(spark, machine):
    for session in range(4):
        machine.talk(session, 2 + session, day=1 + session)
    # An answer without a time.
    lines = machine.session(3).read_text(encoding="utf-8").splitlines()
    last = {name: value for name, value in json.loads(lines[-1]).items() if name != "timestamp"}
    machine.session(3).write_text("\n".join([*lines[:-1], json.dumps(last)]) + "\n")
    machine.run("sync", "--machine", "loom", "--account", "ana")
    place = lake.Iceberg(spark, f"{stack.CATALOG}.asked")
    fill.fill(spark, str(machine.archive), place)
    yield machine, place
    for table in ("loaded", "runs", "sessions", "turns", "calls", "usage", "files", "texts",
                  "findings", "faults"):
        spark.sql(f"DROP TABLE {place.namespace}.{table}")


def test_the_questions_are_answered(spark, filled, tmp_path):
    machine, place = filled
    teams = tmp_path / "teams.csv"
    teams.write_text("account,team\nana,boats\n", encoding="utf-8")
    ask.prepare(spark, place, teams)
    found = {name: [row.asDict() for row in ask.ask(spark, name).collect()] for name in ask.names()}
    assert len(found) == 10
    # 2 + 3 + 4 + 5 turns of two answers each: 1000 tokens and more in, 50 and more out.
    turns = [(session, turn) for session in range(4) for turn in range(2 + session)]
    tokens = sum(2 * (1000 + session + 50 + turn) for session, turn in turns)
    [spent] = found["spend-by-team"]
    assert (spent["team"], spent["answers"], spent["tokens"]) == ("boats", 28, tokens)
    assert spent["unpriced"] == 0 and spent["usd"] > decimal.Decimal("0.1")
    assert [str(row["day"]) for row in found["spend-by-day"]] == [
        f"2026-03-0{day}" for day in (4, 3, 2, 1)]
    assert 0 < spent["usd"] - sum(row["usd"] for row in found["spend-by-day"]) < spent["usd"] / 20
    assert [(row["tool"], row["calls"], row["failed"]) for row in found["failures-by-tool"]] == [
        ("Bash", 14, 14)]
    assert found["stuck-turns"][0]["calls"] == 1 and len(found["stuck-turns"]) == 14
    secrets = {row["class"]: row["sessions"] for row in found["secrets-by-repository"]}
    assert secrets == {"password": 4}
    [used] = found["who-used-what"]
    assert (used["account"], used["agent"], used["sessions"]) == ("ana", "claude-code", 4)
    assert found["dearest-sessions"][0]["session"] == f"claude-code:{uid(3)}"
    assert [row["version"] for row in found["versions-in-use"]] == ["2.1.34"]
    assert (found["files-most-changed"], found["not-read"]) == ([], [])
    assert SECRET not in str(found)


def test_a_second_reader_sees_the_same_tables(store, filled):
    catalog = pytest.importorskip("pyiceberg.catalog", reason="skipped: pyiceberg is not installed")
    machine, place = filled
    read = catalog.load_catalog(
        "lake", auth={"type": "noop"}, type="rest", uri=store.catalog,
        warehouse=f"s3://{stack.TABLES}",
        **{"s3.endpoint": store.s3, "s3.access-key-id": "any", "s3.secret-access-key": "any",
           "s3.region": "us-east-1"})
    for table in ("sessions", "calls", "usage"):
        theirs = read.load_table(f"asked.{table}").scan().to_arrow().to_pylist()
        ours = rows(str(machine.archive), table).to_arrow().to_pylist()
        assert counted(theirs) == counted(ours), table


def counted(found):
    return collections.Counter(str(sorted(row.items(), key=str)) for row in found)


def test_a_volume_server_that_is_killed_loses_nothing(spark, store, filled):
    """Each object is on two servers."""
    machine, place = filled
    before = counted(place.table("usage").toArrow().to_pylist())
    store.volumes[0].send_signal(signal.SIGKILL)
    store.volumes[0].wait()
    try:
        assert counted(place.table("usage").toArrow().to_pylist()) == before
    finally:
        store.volumes[0] = store.again(0)


def test_a_program_that_is_killed_within_a_task_fails_the_run_and_loses_nothing(
        spark, machine, tmp_path, monkeypatch):
    """The task fails, and is done again, by the engine or by the next run."""
    for session in range(3):
        machine.talk(session, 2)
    machine.run("sync")
    killed = tmp_path / "killed"
    program = tmp_path / "verbatim"
    from verbatim_sessions import program as own

    # The program ends in the middle of its rows, once.
    program.write_text(
        f"#!/bin/sh\nif [ \"$1\" = rows ] && [ ! -e {killed} ]; then\n  touch {killed}\n"
        f"  {own()} \"$@\" | head -c 900\n  kill -9 $$\nfi\nexec {own()} \"$@\"\n")
    program.chmod(0o755)
    monkeypatch.setenv("VERBATIM_PROGRAM", str(program))
    place = lake.Parquet(spark, str(tmp_path / "history"))
    try:
        fill.fill(spark, str(machine.archive), place)
    except Exception:
        fill.fill(spark, str(machine.archive), lake.Parquet(spark, str(tmp_path / "history")))
    assert killed.exists()
    monkeypatch.undo()
    opened = lake.Parquet(spark, str(tmp_path / "history"))
    for table in ("sessions", "usage", "texts"):
        ours = counted(rows(str(machine.archive), table).to_arrow().to_pylist())
        assert sum(ours.values()) > 2
        theirs = opened.table(table).toArrow()
        assert theirs.num_rows == sum(ours.values()), table


def test_a_whole_engine_that_is_killed_loses_nothing(store, machine, tmp_path):
    """Sail's workers share one process with the server and the driver: all of it ends."""
    for session in range(40):
        machine.talk(session, 20)
    machine.run("sync")
    folder = tmp_path / "history"
    code = ("import sys; sys.path.insert(0, sys.argv[1])\n"
            "import fill, lake, stack\n"
            "with stack.engine() as (remote, _):\n"
            "    spark = fill.session(remote)\n"
            "    print('ready', flush=True)\n"
            "    print(fill.fill(spark, sys.argv[2], lake.Parquet(spark, sys.argv[3])))\n"
            "    spark.stop()\n")
    # The session of the other tests leaves variables behind that name its engine.
    env = {name: value for name, value in os.environ.items() if "SPARK" not in name}
    script = tmp_path / "engine.py"
    script.write_text(code, encoding="utf-8")
    command = [sys.executable, str(script), str(HERE), str(machine.archive), str(folder)]
    for wait in (0.05, 0.4, 0.8):
        process = subprocess.Popen(command, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, env=env)
        assert process.stdout.readline() == b"ready\n"
        threading.Timer(wait, process.kill).start()
        process.wait()
        time.sleep(0.1)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env=env, timeout=100)
    from pyarrow import parquet

    current = lake.Parquet(None, str(folder)).state["tables"]
    for table in ("sessions", "usage"):
        ours = rows(str(machine.archive), table).to_arrow()
        theirs = parquet.read_table(folder / current / table)
        keys = ("session", "state") + (() if table == "sessions" else ("number",))
        assert theirs.num_rows == ours.num_rows
        assert set(zip(*(theirs[key].to_pylist() for key in keys))) == set(
            zip(*(ours[key].to_pylist() for key in keys)))
