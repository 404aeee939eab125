"""Rows as record batches of pyarrow, which reads the lines of the program itself: a row never
becomes a value of Python, which would cost a third of the time that the program takes.
"""

import json
from typing import Any, Dict, Iterable, Iterator, List, Tuple

from ._tables import arrow_schema

#: The most rows of a batch.
MOST_ROWS = 10_000
#: The bytes of lines that are enough for a batch. A batch has at most one line more.
MOST_BYTES = 8 << 20
#: How each line begins, before the name of its table.
BEGINNING = b'{"table":"'


class Waiting:
    """The lines of one table that are not in a batch yet."""

    def __init__(self) -> None:
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
    for table, text in _portions(lines, tables):
        yield from _batches(table, text, schema)


def tables_of(lines: Iterable[bytes], names: Tuple[str, ...]) -> Dict[str, Any]:
    """A `pyarrow.Table` of the lines of each table, with the columns of this table alone."""
    import pyarrow

    schemas = {name: arrow_schema(name) for name in names}
    made: Dict[str, List[Any]] = {name: [] for name in names}
    for name, text in _portions(lines, names):
        made[name] += _batches(name, text, schemas[name])
    return {
        name: pyarrow.Table.from_batches(own, schema=schemas[name]) for name, own in made.items()
    }


def _portions(lines: Iterable[bytes], tables: Tuple[str, ...]) -> Iterator[Tuple[str, bytes]]:
    """The lines of each table, as many as a batch has, while they come."""
    waiting = {table: Waiting() for table in tables}
    for line in lines:
        table = _table(line)
        if waiting[table].add(line):
            yield table, waiting[table].taken()
    for table, own in waiting.items():
        if own.lines:
            yield table, own.taken()


def _table(line: bytes) -> str:
    """The table of a line: the first member of each row names it."""
    if line.startswith(BEGINNING):
        begin = len(BEGINNING)
        return line[begin : line.index(b'"', begin)].decode()
    name: str = json.loads(line)["table"]
    return name


def _batches(table: str, text: bytes, schema: Any) -> Iterator[Any]:
    """The lines of a table as batches with the columns of a schema: usually one."""
    import pyarrow

    for batch in _read(text, arrow_schema(table)).to_batches():
        arrays = [_array(batch, field) for field in schema]
        yield pyarrow.RecordBatch.from_arrays(arrays, schema=schema)


def _read(text: bytes, schema: Any) -> Any:
    """The rows of lines of one table, as a `pyarrow.Table`."""
    import pyarrow
    from pyarrow import json as reader

    # All lines are one block, so that no block ends within a line.
    whole = reader.ReadOptions(use_threads=False, block_size=len(text))
    # A program of another version may leave out a column, or have one more.
    nullable = pyarrow.schema([(field.name, field.type) for field in schema])
    told = reader.ParseOptions(explicit_schema=nullable, unexpected_field_behavior="ignore")
    return reader.read_json(pyarrow.BufferReader(text), read_options=whole, parse_options=told)


def _array(batch: Any, field: Any) -> Any:
    """The column of a field, which is null where the table does not have it."""
    import pyarrow

    at = batch.schema.get_field_index(field.name)
    if at < 0:
        return pyarrow.nulls(batch.num_rows, field.type)
    # A number that is a text in another table becomes one.
    return batch.column(at).cast(field.type)
