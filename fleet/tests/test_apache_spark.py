"""Apache Spark itself: a master, two workers and a driver on this machine. It writes Parquet."""

import collections
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import needed

needed("pyspark")

import pyspark  # noqa: E402

import fill  # noqa: E402
import lake  # noqa: E402
import stack  # noqa: E402
from verbatim_sessions import TABLES, rows  # noqa: E402

HOME = pathlib.Path(pyspark.__file__).parent
if not (HOME / "jars").is_dir() or shutil.which("java") is None:
    if os.environ.get("VERBATIM_REQUIRE_SPARK"):
        raise RuntimeError("Apache Spark needs Java and the package pyspark")
    pytest.skip("skipped: Apache Spark needs Java and the package pyspark", allow_module_level=True)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """The address of a master with two workers, each of one core."""
    folder = tmp_path_factory.mktemp("spark")
    master = stack.port()
    env = {**os.environ, "SPARK_HOME": str(HOME), "SPARK_LOCAL_IP": "127.0.0.1"}
    running = []

    def start(name, kind, *arguments):
        log = open(folder / f"{name}.log", "wb")
        command = [str(HOME / "bin/spark-class"), f"org.apache.spark.deploy.{kind}", *arguments]
        running.append(subprocess.Popen(command, env=env, cwd=folder, stdout=log, stderr=log))

    start("master", "master.Master", "--host", "127.0.0.1", "--port", str(master),
          "--webui-port", str(stack.port()))
    time.sleep(3)
    for number in (1, 2):
        start(f"worker{number}", "worker.Worker", "--host", "127.0.0.1", "--cores", "1",
              "--memory", "1g", "--work-dir", str(folder / f"work{number}"),
              "--webui-port", str(stack.port()), f"spark://127.0.0.1:{master}")
    yield f"spark://127.0.0.1:{master}"
    for process in running:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def apache(cluster):
    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    session = fill.session(cluster)
    yield session
    session.stop()


def text(value):
    return str(value.replace(tzinfo=None) if hasattr(value, "tzinfo") else value)


def counted(found):
    return collections.Counter(tuple(map(text, row.values())) for row in found)


def equal(folder, archive):
    """Each table has the rows of one run of the program."""
    from pyarrow import parquet

    current = lake.Parquet(None, str(folder)).state["tables"]
    own = rows(archive, list(TABLES)).to_arrow()
    for table in TABLES:
        theirs = parquet.read_table(folder / current / table).to_pylist()
        assert counted(theirs) == counted(own[table].to_pylist()), table


def test_the_tables_are_equal_and_grow(apache, machine, tmp_path):
    for session in range(4):
        machine.talk(session, 2)
    machine.run("sync")
    folder, archive = tmp_path / "history", str(machine.archive)
    assert fill.fill(apache, archive, lake.Parquet(apache, str(folder))).sessions == 4
    equal(folder, archive)
    machine.talk(1, 3)
    machine.run("sync")
    assert fill.fill(apache, archive, lake.Parquet(apache, str(folder))).sessions == 1
    equal(folder, archive)


def test_real_sessions_have_the_rows_of_one_run(apache):
    """`VERBATIM_REAL_SESSIONS` names a folder with sessions."""
    real = os.environ.get("VERBATIM_REAL_SESSIONS")
    if not real:
        pytest.skip("skipped: VERBATIM_REAL_SESSIONS names no folder with sessions")
    own = rows(real, list(TABLES)).to_arrow()
    for table in TABLES:
        read = apache.read.format("verbatim").option("table", table).option("tasks", 7)
        theirs = read.load(real).toArrow().to_pylist()
        assert counted(theirs) == counted(own[table].to_pylist()), table


def executors():
    """The processes that do the tasks."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            told = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if b"CoarseGrainedExecutorBackend" in told:
            found.append(int(process.name))
    return found


def test_an_executor_that_is_killed_loses_nothing(apache, machine, tmp_path):
    for session in range(60):
        machine.talk(session, 30)
    machine.run("sync")
    folder, archive = tmp_path / "history", str(machine.archive)
    killed = []

    def kill():
        for pid in executors()[:1]:
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)

    timer = threading.Timer(0.3, kill)
    timer.start()
    try:
        fill.fill(apache, archive, lake.Parquet(apache, str(folder)))
    except Exception:
        # The engine gave up: the next run does what is left.
        fill.fill(apache, archive, lake.Parquet(apache, str(folder)))
    timer.join()
    assert killed
    equal(folder, archive)
