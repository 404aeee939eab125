"""Rows as record batches of pyarrow, which reads the lines of the program itself."""

import json
from typing import Any, Dict, Iterable, Iterator, List, Tuple

from ._tables import arrow_schema

#: The most rows of a batch.
MOST_ROWS = 10_000
#: The bytes of lines after which they become a batch. A batch has at most one line more.
MOST_BYTES = 8 << 20
#: How each line begins, before the name of its table.
BEGINNING = b'{"table":"'


class Waiting:
    """The lines of one table that are not in a batch yet."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.lines: List[bytes] = []
        self.length = 0

    def add(self, line: bytes) -> bool:
        """Takes a line. Says whether there are enough for a batch."""
        self.lines.append(line)
        self.length += len(line)
        return self.length >= MOST_BYTES or len(self.lines) == MOST_ROWS

    def taken(self) -> bytes:
        """The lines, which wait no longer."""
        text = b"".join(self.lines)
        self.lines.clear()
        self.length = 0
        return text


def batches(lines: Iterable[bytes], tables: Tuple[str, ...]) -> Iterator[Any]:
    """The batches of lines, each with rows of one table and the columns of all these tables."""
    schema = arrow_schema(*tables)
    waiting = {table: Waiting(table) for table in tables}
    for line in lines:
        own = waiting[_table(line)]
        if own.add(line):
            yield _batch(own, schema)
    for own in waiting.values():
        if own.lines:
            yield _batch(own, schema)


def tables_of(lines: Iterable[bytes], names: Tuple[str, ...]) -> Dict[str, Any]:
    """A `pyarrow.Table` of the lines of each table, with the columns of this table alone."""
    import pyarrow

    schemas = {name: arrow_schema(name) for name in names}
    waiting = {name: Waiting(name) for name in names}
    made: Dict[str, List[Any]] = {name: [] for name in names}
    for line in lines:
        name = _table(line)
        if waiting[name].add(line):
            made[name].append(_batch(waiting[name], schemas[name]))
    for name, own in waiting.items():
        if own.lines:
            made[name].append(_batch(own, schemas[name]))
    return {
        name: pyarrow.Table.from_batches(own, schema=schemas[name]) for name, own in made.items()
    }


def _table(line: bytes) -> str:
    """The table of a line: the first member of each row names it."""
    if line.startswith(BEGINNING):
        begin = len(BEGINNING)
        return line[begin : line.index(b'"', begin)].decode()
    name: str = json.loads(line)["table"]
    return name


def _batch(own: Waiting, schema: Any) -> Any:
    """The lines of a table that wait, as a batch with the columns of a schema."""
    import pyarrow

    read = _read(own.taken(), arrow_schema(own.table))
    arrays = [_array(read, field) for field in schema]
    return pyarrow.RecordBatch.from_arrays(arrays, schema=schema)


def _read(text: bytes, schema: Any) -> Any:
    """The rows of lines of one table."""
    import pyarrow
    from pyarrow import json as reader

    # All lines are one block, so that none is cut, and each column is one array.
    whole = reader.ReadOptions(use_threads=False, block_size=len(text))
    told = reader.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    return reader.read_json(pyarrow.BufferReader(text), read_options=whole, parse_options=told)


def _array(read: Any, field: Any) -> Any:
    """The column of a field, which is null where the table does not have it."""
    import pyarrow

    at = read.schema.get_field_index(field.name)
    if at < 0:
        return pyarrow.nulls(read.num_rows, field.type)
    # A column that has another type in another table is a text in both.
    return read.column(at).combine_chunks().cast(field.type)
