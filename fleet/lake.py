"""The places of the tables: Iceberg tables of a catalog, or folders of Parquet files."""

import json
import pathlib
import uuid
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from verbatim_sessions import TABLES, _archive, arrow_schema, columns

#: Types of columns, in the words of SQL.
TYPES = {"string": "string", "integer": "bigint", "boolean": "boolean"}

#: The tables beside those of rows: the sessions whose rows are there, and the runs that are done.
#: A source is an archive's address, `#`, and the name of a session there: its agent and group.
OWN = {"loaded": "source string, version string, uids string", "runs": "run string"}


class Loaded(NamedTuple):
    """A session whose rows are there: the version of its rows, and its uids."""

    version: str
    uids: List[str]


class Replaced(NamedTuple):
    """The sessions whose rows are replaced: all their uids, and what they are from now on."""

    uids: List[str]
    sources: Dict[str, Any]


def own_columns(table: str) -> str:
    """The columns of a table of rows, in the words of SQL."""
    return ", ".join(f"`{column.name}` {TYPES.get(column.type, column.type)}"
                     for column in columns(table))


def selected(table: str, source: str) -> str:
    """The query for the rows of a table among those of all tables."""
    cast = [f"CAST(`{column.name}` AS {TYPES.get(column.type, column.type)}) AS `{column.name}`"
            for column in columns(table)]
    return f"SELECT {', '.join(cast)} FROM {source} WHERE `table` = '{table}'"


def frame(spark: Any, rows: Sequence[Tuple[Any, ...]], told: str) -> Any:
    """Rows of the driver as a table."""
    return spark.createDataFrame([tuple(row) for row in rows], told)


def unread(spark: Any, staged: str, sources: Dict[str, Any]) -> Dict[str, Any]:
    """The sources without those that could not be read: they are tried again at the next run."""
    faults = spark.sql(f"SELECT 1 FROM {staged} WHERE `table` = 'faults' AND kind = 'not-read'")
    if not faults.take(1):
        return sources
    query = f"SELECT DISTINCT session FROM {staged} WHERE `table` = 'sessions'"
    read = {row.session for row in spark.sql(query).collect()}
    return {name: of for name, of in sources.items() if read & set(of.uids)}


class Iceberg:
    """Iceberg tables of a namespace of a catalog. Each table is changed by one statement, so that a
    query sees the old rows of a session or the new ones."""

    def __init__(self, spark: Any, namespace: str) -> None:
        self.spark = spark
        self.namespace = namespace
        spark.sql(f"CREATE DATABASE IF NOT EXISTS {namespace}")
        for table in TABLES:
            self._make(table, own_columns(table))
        for table, told in OWN.items():
            self._make(table, told)
        # The files that no session could be read from are read again at each run.
        self.is_first = True

    def _make(self, table: str, told: str) -> None:
        self.spark.sql(f"CREATE TABLE IF NOT EXISTS {self.namespace}.{table} ({told}) USING iceberg")

    def table(self, name: str) -> Any:
        """A table of rows."""
        return self.spark.table(f"{self.namespace}.{name}")

    def loaded(self) -> Dict[str, Loaded]:
        """The sessions whose rows are there, by name."""
        rows = self.spark.table(f"{self.namespace}.loaded").collect()
        return {row.source: Loaded(row.version, json.loads(row.uids)) for row in rows}

    def replace(self, rows: Any, replaced: Replaced) -> None:
        """Puts rows in the place of those of their sessions."""
        # The rows are made once: each of the statements below would make them anew.
        staged = f"{self.namespace}.staged"
        self.spark.sql(f"DROP TABLE IF EXISTS {staged}")
        self._make("staged", ", ".join(f"`{name}` {kind}" for name, kind in rows.dtypes))
        rows.writeTo(staged).append()
        self._merge(replaced.uids, staged)
        self._known(list(replaced.sources), unread(self.spark, staged, replaced.sources))
        self.spark.sql(f"DROP TABLE IF EXISTS {staged}")

    def remove(self, uids: Sequence[str], names: Sequence[str]) -> None:
        """Removes the rows of sessions that the archive has forgotten."""
        self._merge(uids, None)
        self._known(names, {})

    def _merge(self, uids: Sequence[str], staged: Optional[str]) -> None:
        frame(self.spark, [(uid,) for uid in uids], "uid string").createOrReplaceTempView("replaced")
        found = self.spark.sql(
            f"SELECT DISTINCT state FROM {self.namespace}.sessions"
            " WHERE session IN (SELECT uid FROM replaced) AND state IS NOT NULL").collect()
        states = [(row.state,) for row in found] + ([("",)] if self.is_first else [])
        frame(self.spark, states or [("-",)], "state string").createOrReplaceTempView("old_states")
        self.is_first = False
        # The table `sessions` is the last: after a failure it still tells the old states.
        for table in sorted(TABLES, key=lambda name: name == "sessions"):
            self._merge_table(table, staged)

    def _merge_table(self, table: str, staged: Optional[str]) -> None:
        names = [column.name for column in columns(table)]
        nothing = ", ".join(
            f"CAST(NULL AS {TYPES.get(column.type, column.type)}) AS `{column.name}`"
            for column in columns(table))
        # What belongs to no session goes with the files that it was found in.
        old = (f"SELECT {nothing}, uid AS old_session, CAST(NULL AS string) AS old_state"
               f" FROM replaced UNION ALL SELECT {nothing}, CAST(NULL AS string), state"
               " FROM old_states")
        new = "" if staged is None else (
            " UNION ALL SELECT *, CAST(NULL AS string), CAST(NULL AS string)"
            f" FROM ({selected(table, staged)}) AS fresh")
        listed = ", ".join(f"`{name}`" for name in names)
        values = ", ".join(f"n.`{name}`" for name in names)
        self.spark.sql(
            f"MERGE INTO {self.namespace}.{table} AS t USING ({old}{new}) AS n"
            " ON t.session = n.old_session"
            " OR (t.session IS NULL AND COALESCE(t.state, '') = n.old_state)"
            " WHEN MATCHED THEN DELETE"
            f" WHEN NOT MATCHED AND n.`table` IS NOT NULL THEN INSERT ({listed}) VALUES ({values})"
        ).collect()

    def _known(self, names: Sequence[str], sources: Dict[str, Any]) -> None:
        """Replaces rows of the table `loaded`."""
        rows = [(name, "", "", True) for name in names]
        rows += [(name, of.version, json.dumps(of.uids), False) for name, of in sources.items()]
        told = f"{OWN['loaded']}, gone boolean"
        frame(self.spark, rows, told).createOrReplaceTempView("known")
        self.spark.sql(
            f"MERGE INTO {self.namespace}.loaded AS t USING known AS n"
            " ON t.source = n.source AND n.gone WHEN MATCHED THEN DELETE"
            " WHEN NOT MATCHED AND NOT n.gone THEN INSERT (source, version, uids)"
            " VALUES (n.source, n.version, n.uids)").collect()

    def end(self, runs: Sequence[str]) -> int:
        """Adds runs to the table `runs`; returns how many were not there."""
        table = f"{self.namespace}.runs"
        there = {row.run for row in self.spark.table(table).collect()}
        new = [(run,) for run in runs if run not in there]
        if new:
            frame(self.spark, new, OWN["runs"]).writeTo(table).append()
        return len(new)


class Parquet:
    """A folder with Parquet files: `current`, a document that names the folder of the tables that
    count, with what the tables `loaded` and `runs` of a catalog would say. It is written last, and
    as a whole. The folder that counted before stays until the next change, for who still reads it.
    """

    def __init__(self, spark: Any, folder: str) -> None:
        self.spark = spark
        self.folder = folder.rstrip("/")
        self.files, self.root = _archive.opened(address(folder))
        self.state: Dict[str, Any] = {"tables": None, "before": None, "loaded": {}, "runs": []}
        if self._is_there("current"):
            with self.files.open_input_stream(f"{self.root}/current") as file:
                self.state = json.loads(file.read())
        self.is_first = True

    def _is_there(self, name: str) -> bool:
        from pyarrow import fs

        [info] = self.files.get_file_info([f"{self.root}/{name}"])
        return bool(info.type != fs.FileType.NotFound)

    def table(self, name: str) -> Any:
        """A table of rows."""
        if not self.state["tables"]:
            raise SystemExit(f"{self.folder} has no tables: fill it first")
        return self.spark.read.parquet(f"{self.folder}/{self.state['tables']}/{name}")

    def loaded(self) -> Dict[str, Loaded]:
        """The sessions whose rows are there, by name."""
        return {name: Loaded(*own) for name, own in self.state["loaded"].items()}

    def replace(self, rows: Any, replaced: Replaced) -> None:
        """Puts rows in the place of those of their sessions."""
        snapshot = uuid.uuid4().hex
        staged = f"{self.folder}/{snapshot}/staged"
        rows.write.parquet(staged)
        self.spark.read.parquet(staged).createOrReplaceTempView("staged")
        self._write(snapshot, replaced.uids, "staged")
        self._count(snapshot, list(replaced.sources),
                    unread(self.spark, "staged", replaced.sources))
        self.files.delete_dir(f"{self.root}/{snapshot}/staged")

    def remove(self, uids: Sequence[str], names: Sequence[str]) -> None:
        """Removes the rows of sessions that the archive has forgotten."""
        snapshot = uuid.uuid4().hex
        self._write(snapshot, uids, None)
        self._count(snapshot, names, {})

    def _write(self, snapshot: str, uids: Sequence[str], staged: Optional[str]) -> None:
        frame(self.spark, [(uid,) for uid in uids], "uid string").createOrReplaceTempView("replaced")
        for table in TABLES:
            if self.state["tables"]:
                self.spark.read.parquet(
                    f"{self.folder}/{self.state['tables']}/{table}"
                ).createOrReplaceTempView(f"old_{table}")
        parts = {table: [selected(table, staged)] if staged else [] for table in TABLES}
        if self.state["tables"]:
            gone = ("SELECT state FROM old_sessions WHERE session IN (SELECT uid FROM replaced)"
                    " AND state IS NOT NULL")
            nowhere = " AND state IS NOT NULL" if self.is_first else ""
            for table in TABLES:
                names = ", ".join(f"`{column.name}`" for column in columns(table))
                parts[table].append(
                    f"SELECT {names} FROM old_{table} WHERE"
                    " (session IS NOT NULL AND session NOT IN (SELECT uid FROM replaced))"
                    f" OR (session IS NULL{nowhere}"
                    f" AND (state IS NULL OR state NOT IN ({gone})))")
        self.is_first = False
        for table in TABLES:
            place = f"{snapshot}/{table}"
            if parts[table]:
                self.spark.sql(" UNION ALL ".join(parts[table])).write.parquet(
                    f"{self.folder}/{place}")
            self._never_empty(table, place)

    def _never_empty(self, table: str, place: str) -> None:
        """Writes a file without rows, if an engine wrote none: a folder without a file is no table."""
        from pyarrow import fs, parquet

        within = fs.FileSelector(f"{self.root}/{place}", allow_not_found=True)
        if any(info.base_name.endswith(".parquet") for info in self.files.get_file_info(within)):
            return
        self.files.create_dir(f"{self.root}/{place}")
        empty = arrow_schema(table).empty_table()
        parquet.write_table(empty, f"{self.root}/{place}/empty.parquet", filesystem=self.files)

    def _count(self, snapshot: str, names: Sequence[str], sources: Dict[str, Any]) -> None:
        """Makes the tables of a folder those that count."""
        old = self.state["before"]
        loaded = {name: own for name, own in self.state["loaded"].items() if name not in set(names)}
        loaded.update({name: [of.version, of.uids] for name, of in sources.items()})
        self.state.update(tables=snapshot, before=self.state["tables"], loaded=loaded)
        self._put()
        if old:
            self.files.delete_dir(f"{self.root}/{old}")

    def _put(self) -> None:
        self.files.create_dir(self.root)
        text = json.dumps(self.state, sort_keys=True).encode()
        # An object is there as a whole or not at all; a file gets its name when it is whole.
        place = f"{self.root}/current"
        is_local = self.files.type_name == "local"
        with self.files.open_output_stream(f"{place}.new" if is_local else place) as file:
            file.write(text)
        if is_local:
            self.files.move(f"{place}.new", place)

    def end(self, runs: Sequence[str]) -> int:
        """Adds runs to those that are done; returns how many were not."""
        new = sorted(set(runs) - set(self.state["runs"]))
        if new:
            self.state["runs"] = sorted([*self.state["runs"], *new])
            self._put()
        return len(new)


def address(folder: str) -> str:
    """The address of a folder, or of an address itself."""
    return folder if "://" in folder else pathlib.Path(folder).resolve().as_uri()
