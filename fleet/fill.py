"""Fills the tables of an engine with the rows of an archive, as far as they are not there.

    python fleet/fill.py s3://lake/archive --remote sc://HOST:PORT --into catalog.history
    python fleet/fill.py s3://lake/archive --remote sc://HOST:PORT --parquet s3://lake/history

The engine is Spark, or one with its interface. With `--into`, the tables are Iceberg tables of that
namespace; without a catalog, `--parquet` writes a folder. A session that grew replaces its rows. A
run of `verbatim sync` counts once it is in the table `runs`, which is written last: after a failure
the same command does what is left, and running it again changes nothing.
"""

import argparse
import hashlib
import json
import os
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Set

from lake import Iceberg, Parquet, Replaced, address

from verbatim_sessions import _archive
from verbatim_sessions._program import version

#: The bytes of sessions that are read before their rows are written.
AT_ONCE = 8 << 30
#: The sessions that are read before their rows are written.
MANY = 5_000


class Options(NamedTuple):
    """What decides, beside a session's bytes, which rows it has."""

    profile: Optional[str] = None
    tagkey: Optional[str] = None
    unredacted: Optional[str] = None

    def given(self) -> Dict[str, str]:
        return {name: value for name, value in self._asdict().items() if value is not None}


class Wanted(NamedTuple):
    """A session of the archive: the version of its rows, its uids, and its length."""

    version: str
    uids: List[str]
    length: int


class Filled(NamedTuple):
    """What a run of this job did."""

    sessions: int
    removed: int
    runs: int

    def __str__(self) -> str:
        return f"{self.sessions} sessions read, {self.removed} removed, {self.runs} runs added"


def wanted(runs: Any, options: Options) -> Dict[str, Wanted]:
    """The sessions of an archive, by name. Rows are of one version of the program, because the keys
    of answers hold within one version: a newer program reads every session again."""
    made_by = json.dumps([version(), sorted(options.given().items()), key_digest(options.tagkey)])
    found = {}
    for name, line in runs.newest.items():
        told = hashlib.sha256(f"{line['digest']}\n{made_by}".encode()).hexdigest()
        uids = sorted(f"{line['agent']}:{own}" for own in line["ids"])
        found[name] = Wanted(told, uids, runs.length(name))
    return found


def key_digest(path: Optional[str]) -> Optional[str]:
    """The digest of the key of tags, if the driver has it too: another key makes other rows."""
    if path is None or not os.path.exists(path):
        return None
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def portions(names: Sequence[str], known: Dict[str, Wanted]) -> List[List[str]]:
    """The names in portions, each of which is read and written before the next one."""
    found: List[List[str]] = [[]]
    length = 0
    for name in names:
        length += known[name].length
        if found[-1] and (length > AT_ONCE or len(found[-1]) >= MANY):
            found.append([])
            length = known[name].length
        found[-1].append(name)
    return [portion for portion in found if portion]


def beside(changed: Sequence[str], there: Dict[str, List[str]]) -> List[str]:
    """The sessions that have a uid of a changed one too: their rows go with it, and come again."""
    names = set(changed)
    while True:
        uids = {uid for name in names for uid in there.get(name, [])}
        more = {name for name, own in there.items() if name not in names and uids & set(own)}
        if not more:
            return sorted(names)
        names |= more


def refuse_shared(uids: Set[str], loaded: Dict[str, Any], uri: str) -> None:
    """Refuses sessions that the tables have from another archive: their rows would go with the
    change of one, and come from no other."""
    for name, row in sorted(loaded.items()):
        shared = sorted(uids & set(row.uids)) if not name.startswith(f"{uri}#") else []
        if shared:
            other = name.split("#")[0]
            raise SystemExit(
                f"{shared[0]} is in two archives, {uri} and {other}: put them together with"
                " `verbatim archive merge`, and fill from the one")


def fill(spark: Any, archive: str, lake: Any, options: Options = Options()) -> Filled:
    """Does what is left, and says what it did. The tables may have other archives' sessions too:
    a source is the address of its archive, `#`, and the session's name there."""
    uri = address(archive)
    runs = _archive.Runs(*_archive.opened(uri))
    want = {f"{uri}#{name}": own for name, own in wanted(runs, options).items()}
    loaded = lake.loaded()
    there = {name: row.uids for name, row in loaded.items() if name.startswith(f"{uri}#")}
    changed = [
        name for name in want if name not in loaded or loaded[name].version != want[name].version]
    gone = [name for name in there if name not in want]
    both = {name: [*there.get(name, []), *(want[name].uids if name in want else [])]
            for name in {*there, *want}}
    names = beside(changed + gone, both)
    refuse_shared({uid for name in names for uid in both[name]}, loaded, uri)
    left = [name for name in names if name in want]
    # The rows of a uid go once: two sources that have it may be in two portions.
    done: Set[str] = set()
    for portion in portions(left, want):
        only = json.dumps([name[len(uri) + 1:] for name in portion])
        read = spark.read.format("verbatim").option("table", "*").option("only", only)
        for name, value in options.given().items():
            read = read.option(name, value)
        uids = {uid for name in portion for uid in both[name]} - done
        lake.replace(read.load(uri), Replaced(sorted(uids), {name: want[name] for name in portion}))
        done |= uids
    if gone:
        lake.remove(sorted({uid for name in gone for uid in there[name]} - done), gone)
    added = lake.end([name for name, _ in runs.files])
    return Filled(len(left), len(gone), added)


def session(remote: str) -> Any:
    """The engine at an address, which knows the data source."""
    from pyspark.sql import SparkSession
    from verbatim_sessions.spark import Verbatim

    builder = SparkSession.builder
    if remote.startswith("spark:") or remote.startswith("local"):
        spark = builder.master(remote).getOrCreate()
    else:
        spark = builder.remote(remote).getOrCreate()
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    spark.dataSource.register(Verbatim)
    return spark


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", help="a folder, or an address: s3://BUCKET/ARCHIVE")
    parser.add_argument("--remote", required=True, help="the engine: sc://HOST:PORT, spark://…")
    place = parser.add_mutually_exclusive_group(required=True)
    place.add_argument("--into", help="the namespace of the Iceberg tables: CATALOG.NAME")
    place.add_argument("--parquet", help="a folder of Parquet files, or the address of one")
    parser.add_argument("--profile", help="which values are redacted: secrets, share, strict")
    parser.add_argument("--tag-key", help="a file that every executor has at this path")
    parser.add_argument("--unredacted", action="store_const", const="true",
                        help="rows as they are, secrets and all")
    told = parser.parse_args(arguments)
    spark = session(told.remote)
    lake = Iceberg(spark, told.into) if told.into else Parquet(spark, told.parquet)
    print(fill(spark, told.archive, lake, Options(told.profile, told.tag_key, told.unredacted)))


if __name__ == "__main__":
    main(sys.argv[1:])
