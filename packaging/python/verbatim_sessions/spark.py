"""Sessions as a data source of Spark, and of engines with its interface.

    from verbatim_sessions.spark import Verbatim

    spark.dataSource.register(Verbatim)
    calls = spark.read.format("verbatim").option("table", "calls").load("/srv/archive")

The path is a folder of sessions, or an archive of `verbatim sync`, that every machine of the cluster
reads at the same place. An archive may also be on an object store (`s3://bucket/archive`): then each
task fetches the ranges of bytes that it needs. Local folders and S3 (that of SeaweedFS) are tried;
other file systems of pyarrow (GCS, Azure, HDFS) are not. Sail and Apache Spark 4 are tried.

Options: `table` (default `sessions`; the names of several, or `*` for all, make one table with the
columns of all, which reads and redacts each session once), `columns` (names separated by commas), `agent`, `since`,
`until`, `session` (an id), `profile`, `tagkey` (a file that each machine has), `unredacted` (`true`),
`only` (a JSON array of the names of sessions of an archive at an address, as `fleet/fill.py` makes
them) and `tasks`, the number of tasks (default: one for each 256 MB).
"""

import json
import os
import tempfile
from typing import Any, Iterator, List, Mapping, Optional, Sequence, Tuple

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from ._tables import TABLES, columns_of

#: The bytes of files that a task reads, if their number is not chosen.
TASK = 256 * 1024 * 1024


class Part(InputPartition):
    """One task: a part of the sessions of a folder, or some versions of an archive elsewhere."""

    def __init__(self, number: int, of: int, sessions: Optional[Sequence[str]] = None) -> None:
        self.number = number
        self.of = of
        self.sessions = sessions


class Verbatim(DataSource):
    """The data source `verbatim`."""

    @classmethod
    def name(cls) -> str:
        return "verbatim"

    def schema(self) -> str:
        # Modules of the package are imported where they are used: tasks run elsewhere.
        return _schema(dict(self.options))

    def reader(self, schema: StructType) -> "Reader":
        return Reader(dict(self.options), schema)


class Reader(DataSourceReader):
    """The plan of a reading, and its tasks."""

    def __init__(self, options: Mapping[str, str], schema: StructType) -> None:
        self.options = {name.lower(): value for name, value in options.items()}
        # Spark gives its own kind of schema, and Sail that of pyarrow, whose times have no zone.
        self.columns: List[str] = list(schema.names)
        self.types: Optional[List[Any]] = getattr(schema, "types", None)
        if not self.options.get("path"):
            raise ValueError("name the folder of the sessions: `.load(PATH)`")

    def partitions(self) -> Sequence[InputPartition]:
        from . import _archive

        path = self.options["path"]
        if "://" in path:
            only = self.options.get("only")
            plan = _archive.plan(path, self._tasks, None if only is None else json.loads(only))
            return [Part(at, len(plan), keys) for at, keys in enumerate(plan, 1)]
        tasks = self._tasks(_length(path))
        return [Part(number, tasks) for number in range(1, tasks + 1)]

    def _tasks(self, length: int) -> int:
        chosen = self.options.get("tasks")
        return max(1, int(chosen) if chosen else -(-length // TASK))

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """The rows of a task, as record batches."""
        from . import _archive

        assert isinstance(partition, Part)
        path = self.options["path"]
        if partition.sessions is None:
            part = f"{partition.number}/{partition.of}"
            yield from self._batches([path], ["--part", part])
            return
        with tempfile.TemporaryDirectory(prefix="verbatim-") as folder:
            _archive.fetch(path, partition.sessions, folder)
            yield from self._batches([folder], [])

    def _batches(self, paths: List[str], more: List[str]) -> Iterator[Any]:
        from ._rows import rows

        of = self.options.get
        tables = list(_tables(self.options))
        key = of("tagkey")
        some = rows(
            paths,
            tables,
            unredacted=(of("unredacted") or "").lower() == "true",
            profile=of("profile"),
            tag_key=key,
            agent=[name for name in (of("agent") or "").split(",") if name],
            since=of("since"),
            until=of("until"),
            more=more,
        )
        session = of("session")
        with some:
            for batch in some.batches():
                yield self._told(_narrowed(batch, self.columns, session))

    def _told(self, batch: Any) -> Any:
        """A batch with the types that the engine wants."""
        import pyarrow

        arrays = batch.columns
        if self.types is not None:
            arrays = [array.cast(kind) for array, kind in zip(arrays, self.types)]
        # For Spark, every column may be null.
        return pyarrow.RecordBatch.from_arrays(arrays, names=self.columns)


def _narrowed(batch: Any, names: Sequence[str], session: Optional[str]) -> Any:
    """A batch with these columns, and the rows of one session, if it is named."""
    import pyarrow.compute

    if session is not None:
        own = pyarrow.compute.ends_with(batch.column("session"), f":{session}")
        same = pyarrow.compute.equal(batch.column("session"), session)
        batch = batch.filter(pyarrow.compute.or_(own, same))
    return batch.select(list(names))


def _schema(options: Mapping[str, str]) -> str:
    """The columns that are wanted, in the words of SQL."""
    told = {name.lower(): value for name, value in options.items()}
    tables = _tables(told)
    known = {column.name: column for column in columns_of(tables)}
    wanted = [name.strip() for name in (told.get("columns") or "").split(",") if name.strip()]
    unknown = [name for name in wanted if name not in known]
    if unknown:
        table = ", ".join(tables)
        raise ValueError(f"the table {table} has no column {unknown[0]}; it has {', '.join(known)}")
    types = {"string": "string", "integer": "bigint", "boolean": "boolean"}
    chosen = [known[name] for name in wanted or known]
    return ", ".join(f"`{column.name}` {types.get(column.type, column.type)}" for column in chosen)


def _tables(options: Mapping[str, str]) -> Tuple[str, ...]:
    """The tables that are wanted."""
    named = options.get("table") or "sessions"
    return TABLES if named == "*" else tuple(name.strip() for name in named.split(","))


def _length(path: str) -> int:
    """The bytes of the files below a path."""
    if os.path.isfile(path):
        return os.path.getsize(path)
    total = 0
    for folder, _, files in os.walk(path):
        for name in files:
            try:
                total += os.lstat(os.path.join(folder, name)).st_size
            except OSError:
                continue
    return total


__all__: Tuple[str, ...] = ("Verbatim",)
