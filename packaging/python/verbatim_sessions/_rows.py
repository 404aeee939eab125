"""Rows of sessions, one after the other or as tables of other libraries."""

import datetime
import decimal
import json
import os
from types import TracebackType
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Optional,
    Sequence,
    Tuple,
    Type,
    TypeVar,
    Union,
    overload,
)

from ._program import Run
from ._tables import TABLES, columns

Row = Dict[str, Any]
PathName = Union[str, "os.PathLike[str]"]
Self = TypeVar("Self", bound="_Running")


class _Running:
    """The rows of a run of the program. They can be read once."""

    def __init__(self, arguments: Sequence[str], tables: Sequence[str]) -> None:
        self.tables: Tuple[str, ...] = tuple(tables)
        self._run = Run(arguments)
        self._lines = self._run.lines()

    def __iter__(self: Self) -> Self:
        return self

    def __next__(self) -> Row:
        try:
            row: Row = json.loads(next(self._lines))
        except BaseException:
            self.close()
            raise
        return row

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def __del__(self) -> None:
        # The program may not have been found.
        if hasattr(self, "_run"):
            self.close()

    def close(self) -> None:
        """Ends the program. Rows that were not read are lost."""
        self._run.close()

    def batches(self) -> Iterator[Any]:
        """The rows as record batches of pyarrow, each of at most 10,000 rows. Those of several tables
        have the columns of all, `arrow_schema(*tables)`, and each has rows of one table."""
        from ._arrow import batches

        with self:
            yield from batches(self._lines, self.tables)


class TableRows(_Running):
    """The rows of one table."""

    def to_arrow(self) -> Any:
        """The rows as a `pyarrow.Table`."""
        from ._arrow import tables_of

        with self:
            return tables_of(self._lines, self.tables)[self.tables[0]]

    def to_pandas(self) -> Any:
        """The rows as a `pandas.DataFrame`."""
        return _frame(self, self.tables[0])


class Rows(_Running):
    """The rows of several tables: each says in its member `table` of which it is."""

    def to_arrow(self) -> Dict[str, Any]:
        """The rows as a `pyarrow.Table` for each table."""
        from ._arrow import tables_of

        with self:
            return tables_of(self._lines, self.tables)

    def to_pandas(self) -> Dict[str, Any]:
        """The rows as a `pandas.DataFrame` for each table."""
        rows: Dict[str, List[Row]] = {table: [] for table in self.tables}
        for row in self:
            rows[row["table"]].append(row)
        return {table: _frame(own, table) for table, own in rows.items()}


@overload
def rows(
    path: Union[PathName, Sequence[PathName], None],
    tables: str,
    *,
    unredacted: bool = ...,
    profile: Optional[str] = ...,
    tag_key: Optional[PathName] = ...,
    agent: Union[str, Sequence[str]] = ...,
    since: Optional[str] = ...,
    until: Optional[str] = ...,
    more: Sequence[str] = ...,
) -> TableRows: ...


@overload
def rows(
    path: Union[PathName, Sequence[PathName], None],
    tables: Union[List[str], Tuple[str, ...]] = ...,
    *,
    unredacted: bool = ...,
    profile: Optional[str] = ...,
    tag_key: Optional[PathName] = ...,
    agent: Union[str, Sequence[str]] = ...,
    since: Optional[str] = ...,
    until: Optional[str] = ...,
    more: Sequence[str] = ...,
) -> Rows: ...


def rows(
    path: Union[PathName, Sequence[PathName], None],
    tables: Union[str, List[str], Tuple[str, ...]] = TABLES,
    *,
    unredacted: bool = False,
    profile: Optional[str] = None,
    tag_key: Optional[PathName] = None,
    agent: Union[str, Sequence[str]] = (),
    since: Optional[str] = None,
    until: Optional[str] = None,
    more: Sequence[str] = (),
) -> Union[TableRows, Rows]:
    """The rows of the sessions below a path, or several; of this machine, if it is `None`.

    `tables` is the name of a table, or several names. Sessions are redacted first, unless
    `unredacted` is true; `profile` (`secrets`, `share`, `strict`) says of what, and with the file
    `tag_key` equal values have equal tags. `agent`, `since` and `until` are the filters of the same
    names of `verbatim rows`; `more` are further arguments of it.
    """
    names = [tables] if isinstance(tables, str) else list(tables)
    for name in names:
        columns(name)
    arguments = ["rows", "--utc", "--table", ",".join(names)]
    arguments += ["--unredacted"] if unredacted else []
    arguments += ["--profile", profile] if profile else []
    arguments += ["--tag-key", os.fspath(tag_key)] if tag_key else []
    for agent_name in [agent] if isinstance(agent, str) else agent:
        arguments += ["--agent", agent_name]
    arguments += ["--since", since] if since else []
    arguments += ["--until", until] if until else []
    arguments += [*more, "--", *_paths(path)]
    if isinstance(tables, str):
        return TableRows(arguments, names)
    return Rows(arguments, names)


def sessions(
    path: Union[PathName, Sequence[PathName], None] = None,
    *,
    unredacted: bool = False,
    agent: Union[str, Sequence[str]] = (),
    since: Optional[str] = None,
    until: Optional[str] = None,
) -> TableRows:
    """The rows of the table `sessions`, as of `rows()`."""
    return rows(path, "sessions", unredacted=unredacted, agent=agent, since=since, until=until)


def _paths(path: Union[PathName, Sequence[PathName], None]) -> List[str]:
    if path is None:
        return []
    named = [path] if isinstance(path, (str, os.PathLike)) else path
    return [os.path.expanduser(os.fspath(one)) for one in named]


def _time(text: str) -> datetime.datetime:
    moment = datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ")
    return moment.replace(tzinfo=datetime.timezone.utc)


#: What makes a value of the text in a row, by the type of its column.
READERS: Dict[str, Callable[[str], Any]] = {
    "timestamp": _time,
    "decimal(38,12)": decimal.Decimal,
}


def _values(rows: Sequence[Row], table: str) -> Dict[str, List[Any]]:
    """The values of the rows of a table, by column."""
    values: Dict[str, List[Any]] = {}
    for column in columns(table):
        own = [row.get(column.name) for row in rows]
        read = READERS.get(column.type)
        if read is not None:
            own = [None if value is None else read(value) for value in own]
        values[column.name] = own
    return values


def _frame(rows: Iterable[Row], table: str) -> Any:
    import pandas

    # Integers and booleans stay what they are beside missing values.
    types = {"string": "object", "integer": "Int64", "boolean": "boolean"}
    values = _values(list(rows), table)
    made = {}
    for column in columns(table):
        if column.type == "timestamp":
            made[column.name] = pandas.Series(
                pandas.to_datetime(values[column.name], utc=True), dtype="datetime64[us, UTC]"
            )
        else:
            kind = types.get(column.type, "object")
            made[column.name] = pandas.Series(values[column.name], dtype=kind)
    return pandas.DataFrame(made)
