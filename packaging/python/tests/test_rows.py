"""The import package beside the program: `VERBATIM_PROGRAM` names it, unless a wheel brought it.

pyarrow, pandas and duckdb are tried where they are installed; with VERBATIM_REQUIRE_ALL=1 a missing
one is a failure.
"""

import datetime
import decimal
import importlib
import json
import os
import pathlib
import subprocess
import sys

import pytest

import verbatim_sessions
from verbatim_sessions import TABLES, VerbatimError, columns, program, rows, sessions

ID = "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e11"
SECRET = "Tidewater-Kestrel-4417"


def optional(name):
    if os.environ.get("VERBATIM_REQUIRE_ALL"):
        return importlib.import_module(name)
    return pytest.importorskip(name, reason=f"skipped: {name} is not installed")


def line(number, kind, message):
    parent = f"{ID}-{number - 1}" if number else None
    return json.dumps({
        "parentUuid": parent, "isSidechain": False, "cwd": "/srv/shop", "sessionId": ID,
        "version": "2.1.34", "type": kind, "message": message, "uuid": f"{ID}-{number}",
        "timestamp": f"2026-03-01T10:0{number}:00.000Z",
    }) + "\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a session of two turns and a call, and a home without sessions."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    answer = {
        "model": "claude-opus-4-5", "id": "msg_1", "type": "message", "role": "assistant",
        "usage": {"input_tokens": 10, "output_tokens": 5},
    }
    call = {"type": "tool_use", "id": "t1", "name": "Bash",
            "input": {"command": f"mysql --password={SECRET}"}}
    result = {"tool_use_id": "t1", "type": "tool_result", "content": "denied", "is_error": True}
    text = "".join([
        line(0, "user", {"role": "user", "content": "Paint the door"}),
        line(1, "assistant", {**answer, "content": [call]}),
        line(2, "user", {"role": "user", "content": [result]}),
        line(3, "user", {"role": "user", "content": "Paint it green"}),
        line(4, "assistant", {**answer, "id": "msg_2",
                              "content": [{"type": "text", "text": "Grün — done."}]}),
    ])
    path = tmp_path / "work" / f"{ID}.jsonl"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    return path.parent


def test_rows_are_those_of_the_program(folder):
    out = subprocess.run([program(), "rows", str(folder)], check=True, stdout=subprocess.PIPE)
    own = list(rows(folder))
    assert own == [json.loads(line) for line in out.stdout.splitlines()]
    assert {"sessions", "turns", "calls", "usage", "texts", "findings"} <= {
        row["table"] for row in own}
    for row in own:
        assert list(row) == [column.name for column in columns(row["table"])]
    assert SECRET not in json.dumps(own)
    assert SECRET in json.dumps(list(rows(folder, unredacted=True)))
    [session] = sessions([str(folder)])
    assert (session["session"], session["turns"]) == (f"claude-code:{ID}", 2)


def test_filters_narrow_the_sessions(folder):
    assert list(sessions(folder, agent="codex")) == []
    assert list(sessions(folder, since="2026-03-02")) == []
    assert len(list(sessions(folder, agent=["claude"], until="2026-03-01"))) == 1


def test_a_key_makes_tags(folder, tmp_path):
    key = tmp_path / "key"
    key.write_bytes(b"k" * 32)
    [tag] = {row["tag"] for row in rows(folder, "findings", profile="secrets", tag_key=key)}
    assert len(tag) == 10
    assert {row["tag"] for row in rows(folder, "findings")} == {None}


def test_a_failure_is_an_error_with_the_words_of_the_program(folder, monkeypatch):
    with pytest.raises(VerbatimError, match="nowhere"):
        list(rows(folder / "nowhere", "calls"))
    with pytest.raises(ValueError, match="the tables are"):
        rows(folder, "cells")
    monkeypatch.setenv("VERBATIM_PROGRAM", str(folder / "no-program"))
    with pytest.raises(VerbatimError, match="no-program"):
        rows(folder, "calls")


def test_a_reader_that_stops_ends_the_program(folder):
    with rows(folder) as some:
        next(some)
        process = some._run._process
    assert process.returncode is not None
    with pytest.raises((StopIteration, ValueError)):
        next(some)


def test_arrow_has_the_types_of_the_schemas(folder):
    pyarrow = optional("pyarrow")
    table = rows(folder, "usage").to_arrow()
    assert table.schema == verbatim_sessions.arrow_schema("usage")
    assert table.schema.field("listed_usd").type == pyarrow.decimal128(38, 12)
    first = table.to_pylist()[0]
    assert first["listed_usd"] == decimal.Decimal("0.000175")
    assert first["time"] == datetime.datetime(2026, 3, 1, 10, 1, tzinfo=datetime.timezone.utc)
    assert (first["output"], first["is_step"], first["recorded_usd"]) == (5, False, None)
    every = rows(folder).to_arrow()
    assert list(every) == list(TABLES) and every["faults"].num_rows == 0
    counts = {name: own.num_rows for name, own in every.items()}
    assert (counts["sessions"], counts["turns"], counts["calls"]) == (1, 2, 1)


def said(column, value):
    """A value of a batch in the words of a row, as those of a column of all tables."""
    if isinstance(value, datetime.datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    if isinstance(value, decimal.Decimal):
        return f"{value:f}".rstrip("0").rstrip(".")
    return str(value) if column == "tool" and value is not None else value


def test_batches_have_every_value_of_the_rows(folder):
    optional("pyarrow")
    path = folder / f"{ID}.jsonl"
    # Characters that are escaped in JSON, and one text that is larger than a batch.
    text = path.read_text(encoding="utf-8")
    strange = "\0\x1b[31m \u2028\u202e\ud7ff\U0001f600 \\ \" /" + "high water " * 900_000
    strange = json.dumps(strange)[1:-1]
    path.write_text(text.replace("denied", strange) + "no JSON\n", encoding="utf-8")
    own = list(rows(folder, unredacted=True))
    batches = list(rows(folder, unredacted=True).batches())
    assert {batch.schema for batch in batches} == {verbatim_sessions.arrow_schema(*TABLES)}
    made = [row for batch in batches for row in batch.to_pylist()]
    assert any("high water" in (row["text"] or "") and "\U0001f600" in row["text"] for row in made)
    for table in TABLES:
        names = [column.name for column in columns(table)]
        want = [row for row in own if row["table"] == table]
        have = [row for row in made if row["table"] == table]
        assert [[said(name, row[name]) for name in names] for row in have] == [
            [said(name, row[name]) for name in names] for row in want]
        assert all(row[name] is None for row in have for name in set(row) - set(names))


def test_a_batch_has_at_most_ten_thousand_rows(folder):
    optional("pyarrow")
    from verbatim_sessions import _arrow

    line = b'{"table":"faults","session":"a","kind":"not-read","new":{"of":[1]}}\n'
    faults = list(_arrow.batches([line] * 25_000, ("faults",)))
    assert [batch.num_rows for batch in faults] == [10_000, 10_000, 5_000]
    assert faults[2].to_pylist()[0]["kind"] == "not-read"
    spaced = line.replace(b":", b": ")
    assert _arrow.tables_of([spaced], TABLES)["faults"].num_rows == 1


def test_a_failure_after_some_rows_is_an_error_of_batches_too(folder, tmp_path, monkeypatch):
    optional("pyarrow")
    failing = tmp_path / "failing"
    failing.write_text("#!/bin/sh\nprintf '{\"table\":\"faults\"}\\n'\necho broken >&2\nexit 3\n")
    failing.chmod(0o755)
    monkeypatch.setenv("VERBATIM_PROGRAM", str(failing))
    for read in (lambda some: list(some.batches()), lambda some: some.to_arrow()):
        some = rows(folder, "faults")
        with pytest.raises(VerbatimError, match="broken"):
            read(some)
        assert some._run._process.stdout.closed


def test_pandas_has_the_same(folder):
    pandas = optional("pandas")
    frame = rows(folder, "turns").to_pandas()
    assert list(frame["prompt"]) == ["Paint the door", "Paint it green"]
    assert str(frame["started"].dtype) == "datetime64[us, UTC]"
    assert (str(frame["input"].dtype), str(frame["is_compacted"].dtype)) == ("Int64", "boolean")
    assert pandas.isna(frame["reasoning"][0]) and frame["input"].sum() == 20
    assert frame["listed_usd"][0] == decimal.Decimal("0.000175")
    every = rows(folder, ["calls", "faults"]).to_pandas()
    assert (len(every["calls"]), len(every["faults"])) == (1, 0)


def test_the_view_of_usage_runs_in_another_engine(folder):
    duckdb = optional("duckdb")
    optional("pyarrow")
    # A fork has the answers of its parent too.
    text = (folder / f"{ID}.jsonl").read_text(encoding="utf-8")
    (folder / "7.jsonl").write_text(text.replace(f'"sessionId": "{ID}"', '"sessionId": "7"'))
    tables = rows(folder, ["sessions", "usage"]).to_arrow()
    database = duckdb.connect()
    for name, table in tables.items():
        database.register(f"{name}_rows", table)
        database.execute(f"CREATE TABLE {name} AS SELECT * FROM {name}_rows")
    database.execute(verbatim_sessions.usage_view())
    assert database.execute("SELECT count(*) FROM usage").fetchone() == (4,)
    counted = database.execute("SELECT count(*), sum(total) FROM usage_counted").fetchone()
    out = subprocess.run([program(), "usage", "--json", str(folder)], check=True,
                         stdout=subprocess.PIPE)
    told = json.loads(out.stdout)["all"]
    assert counted == (told["answers"], told["total"]) == (2, 30)


def test_nothing_else_is_needed(folder):
    """The package imports neither pyarrow nor pandas before somebody asks for their tables."""
    code = (
        "import sys, verbatim_sessions; list(verbatim_sessions.sessions(sys.argv[1]));"
        "assert not {'pyarrow', 'pandas'} & set(sys.modules)"
    )
    place = str(pathlib.Path(verbatim_sessions.__file__).parent.parent)
    env = {**os.environ, "PYTHONPATH": place}
    subprocess.run([sys.executable, "-c", code, str(folder)], check=True, env=env)
