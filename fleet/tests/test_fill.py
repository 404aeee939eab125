"""The tables have the rows of one run of the program over the archive, whatever was loaded before."""

import collections
import json
import os
import shutil

import pytest
from conftest import SECRET, Machine, needed, uid

needed("pyspark")
needed("pysail")

import fill  # noqa: E402
import lake  # noqa: E402
import stack  # noqa: E402
from verbatim_sessions import TABLES, columns, rows  # noqa: E402

number = 0


@pytest.fixture(params=["iceberg", "parquet"])
def place(request, spark, tmp_path):
    """The place of the tables, opened anew each time, as each run of the job does."""
    global number
    number += 1
    if request.param == "iceberg":
        return lambda: lake.Iceberg(spark, f"{stack.CATALOG}.history{number}")
    return lambda: lake.Parquet(spark, f"s3://{stack.BUCKET}/history{number}")


def text(value):
    return str(value.replace(tzinfo=None) if hasattr(value, "tzinfo") else value)


def counted(table, found):
    assert found.column_names == [column.name for column in columns(table)]
    return collections.Counter(tuple(map(text, row.values())) for row in found.to_pylist())


def equal(opened, archive):
    """Each table is equal, row for row, to what one run of the program prints."""
    own = rows(archive, list(TABLES)).to_arrow()
    for table in TABLES:
        assert counted(table, opened.table(table).toArrow()) == counted(table, own[table]), table
    assert SECRET not in str(own)


def test_a_session_that_grew_replaces_its_rows(spark, place, machine):
    for session in range(6):
        machine.talk(session, 2)
    machine.run("sync")
    archive = str(machine.archive)
    first = fill.fill(spark, archive, place())
    assert (first.sessions, first.removed, first.runs) == (6, 0, 1)
    equal(place(), archive)
    # Nothing new: nothing is read, and nothing changes.
    assert tuple(fill.fill(spark, archive, place())) == (0, 0, 0)
    # One grows, one is new, one is damaged, one is forgotten.
    machine.talk(1, 3)
    machine.talk(7, 1)
    with machine.session(2).open("a", encoding="utf-8") as file:
        file.write("no JSON\n")
    machine.run("sync")
    machine.run("archive", "forget", uid(4), "--yes")
    second = fill.fill(spark, archive, place())
    assert (second.sessions, second.removed) == (3, 1)
    equal(place(), archive)
    assert tuple(fill.fill(spark, archive, place()))[:2] == (0, 0)
    # Other options: every session is read again.
    assert fill.fill(spark, archive, place(), fill.Options(profile="strict")).sessions == 6


def test_two_archives_fill_the_same_tables(spark, place, machine, tmp_path):
    other = Machine(tmp_path / "other")
    for session in range(2):
        machine.talk(session, 2)
        other.talk(session + 5, 1)
    for one in (machine, other):
        one.run("sync")
        assert fill.fill(spark, str(one.archive), place()).sessions == 2
    # A change of one leaves the other's rows alone.
    machine.talk(0, 3)
    machine.run("sync")
    machine.run("archive", "forget", uid(1), "--yes")
    assert tuple(fill.fill(spark, str(machine.archive), place()))[:2] == (1, 1)
    sessions = {row["id"] for row in place().table("sessions").toArrow().to_pylist()}
    assert sessions == {uid(0), uid(5), uid(6)}
    assert fill.fill(spark, str(other.archive), place()).sessions == 0
    # The same session in both is refused, and nothing changes.
    other.talk(0, 1)
    other.run("sync")
    with pytest.raises(SystemExit, match="is in two archives"):
        fill.fill(spark, str(other.archive), place())
    found = {row["id"] for row in place().table("sessions").toArrow().to_pylist()}
    assert found == sessions


def test_sources_with_one_uid_keep_their_rows_in_any_portions(monkeypatch):
    """Without an engine: a table that has, for each uid, the sources whose rows are there."""
    runs = {"a": ["x"], "b": ["x", "y"], "c": ["z"]}

    class Runs:
        def __init__(self, *_):
            self.files = []
            self.newest = {name: {"agent": "t", "ids": own, "digest": f"{name}{own}"}
                           for name, own in runs.items()}

        def length(self, _):
            return 1

    class Read:
        def __getattr__(self, _):
            return lambda *given: self.set(*given)

        def set(self, *given):
            if given[0] == "only":
                self.only = json.loads(given[1])
            return self.only if given[0].startswith("file:") else self

    class Table:
        def __init__(self):
            self.rows, self.known = set(), {}

        def loaded(self):
            return dict(self.known)

        def replace(self, names, replaced):
            self.rows = {row for row in self.rows if row[0] not in replaced.uids}
            self.rows |= {(f"t:{own}", name) for name in names for own in runs[name]}
            self.known.update({name: lake.Loaded(of.version, of.uids)
                               for name, of in replaced.sources.items()})

        def remove(self, uids, names):
            self.rows = {row for row in self.rows if row[0] not in uids}
            for name in names:
                del self.known[name]

        def end(self, _):
            return 0

    monkeypatch.setattr(fill._archive, "Runs", Runs)
    monkeypatch.setattr(fill._archive, "opened", lambda _: ("", ""))
    monkeypatch.setattr(fill, "version", lambda: "1")
    monkeypatch.setattr(fill, "MANY", 1)
    table, spark = Table(), type("Spark", (), {"read": property(lambda _: Read())})()

    def whole():
        fill.fill(spark, "/nowhere", table)
        assert table.rows == {(f"t:{own}", name) for name, all_ in runs.items() for own in all_}

    whole()
    # A uid leaves one source, and the other one still has it; then a source goes.
    runs["b"] = ["y"]
    whole()
    del runs["a"]
    whole()


class Cut(Exception):
    """The driver's end."""


@pytest.mark.parametrize("after", [0, 3, 8])
def test_a_driver_that_ends_in_between_leaves_nothing_twice(spark, place, machine, monkeypatch, after):
    for session in range(3):
        machine.talk(session, 2)
    machine.run("sync")
    archive = str(machine.archive)
    fill.fill(spark, archive, place())
    machine.talk(0, 4)
    machine.talk(5, 2)
    machine.run("sync")
    left = after

    def cut(of):
        def run(*arguments):
            nonlocal left
            if left == 0:
                raise Cut
            left -= 1
            return of(*arguments)
        return run

    with monkeypatch.context() as patched:
        patched.setattr(lake.Iceberg, "_merge_table", cut(lake.Iceberg._merge_table))
        patched.setattr(lake.Iceberg, "_known", cut(lake.Iceberg._known))
        patched.setattr(lake.Parquet, "_never_empty", cut(lake.Parquet._never_empty))
        patched.setattr(lake.Parquet, "_put", cut(lake.Parquet._put))
        with pytest.raises(Cut):
            fill.fill(spark, archive, place())
    told = fill.fill(spark, archive, place())
    assert (told.sessions, told.runs) == (2, 1)
    equal(place(), archive)


def test_an_archive_on_the_store_has_the_same_rows_and_a_damaged_pack_is_a_row(
        spark, place, machine):
    from pyarrow import fs

    from verbatim_sessions import _archive

    for session in range(3):
        machine.talk(session, 2)
        machine.run("sync", "--no-index")
    address = f"s3://{stack.BUCKET}/kept{number}"
    files, root = _archive.opened(address)
    copy = dict(source_filesystem=fs.LocalFileSystem(), destination_filesystem=files)
    fs.copy_files(str(machine.archive), root, **copy)
    assert fill.fill(spark, address, place()).sessions == 3
    equal(place(), str(machine.archive))
    # A pack loses its bytes: its session is a fault, and is tried again.
    machine.talk(9, 1)
    machine.run("sync")
    fs.copy_files(str(machine.archive), root, **copy)
    [pack] = set(os.listdir(machine.archive / "packs")) - set(packs_of(machine, 9))
    sound = files.open_input_stream(f"{root}/packs/{pack}").read()
    with files.open_output_stream(f"{root}/packs/{pack}") as file:
        file.write(bytes(20) + sound[20:])
    fill.fill(spark, address, place())
    faults = place().table("faults").toArrow().to_pylist()
    assert len(faults) > 0 and all(fault["kind"] == "not-read" for fault in faults), faults
    sessions = {row["id"] for row in place().table("sessions").toArrow().to_pylist()}
    assert sessions == {uid(0), uid(1), uid(2)}
    with files.open_output_stream(f"{root}/packs/{pack}") as file:
        file.write(sound)
    assert fill.fill(spark, address, place()).sessions == 1
    equal(place(), str(machine.archive))


def packs_of(machine, session):
    """The packs that do not have a session."""
    from verbatim_sessions import _archive

    runs = _archive.Runs(*_archive.opened(machine.archive.as_uri()))
    [name] = [name for name in runs.newest if uid(session) in name]
    _, pieces = runs.needed([name])
    for pack in os.listdir(machine.archive / "packs"):
        told = json.loads((machine.archive / "packs" / pack).read_bytes().splitlines()[-1])
        if not pieces & {piece["digest"] for piece in told["pieces"]}:
            yield pack
