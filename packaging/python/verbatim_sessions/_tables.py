"""The tables and the types of their columns, from the published schemas."""

import functools
import json
from pathlib import Path
from typing import Any, Dict, NamedTuple, Tuple

SCHEMAS = Path(__file__).resolve().parent / "schemas"

#: The tables, in the order in which the rows of a session come.
TABLES = ("sessions", "turns", "calls", "usage", "files", "texts", "findings", "faults")


class Column(NamedTuple):
    """A column of a table."""

    name: str
    #: `string`, `integer`, `boolean`, `timestamp` (UTC, microseconds) or `decimal(38,12)`.
    type: str
    is_nullable: bool
    description: str


@functools.lru_cache(maxsize=None)
def columns(table: str) -> Tuple[Column, ...]:
    """The columns of a table."""
    if table not in TABLES:
        raise ValueError(f"there is no table {table!r}; the tables are: {', '.join(TABLES)}")
    text = (SCHEMAS / f"verbatim-row-{table}-1.schema.json").read_text(encoding="utf-8")
    properties: Dict[str, Dict[str, Any]] = json.loads(text)["properties"]
    return tuple(_column(name, of) for name, of in properties.items())


@functools.lru_cache(maxsize=None)
def all_columns(tables: Tuple[str, ...]) -> Tuple[Column, ...]:
    """The columns of several tables as one, each name once. A column that has two types in them is a
    string, and each may be null, because not every table has it."""
    found: Dict[str, Column] = {}
    for table in tables:
        for column in columns(table):
            known = found.get(column.name, column)
            kind = column.type if known.type == column.type else "string"
            found[column.name] = column._replace(type=kind, is_nullable=column.name != "table")
    return tuple(found.values())


def columns_of(tables: Tuple[str, ...]) -> Tuple[Column, ...]:
    """The columns of one table, or of several as one."""
    return columns(tables[0]) if len(tables) == 1 else all_columns(tables)


def _column(name: str, of: Dict[str, Any]) -> Column:
    # A constant, such as the name of the table, has no type.
    told = of.get("type", "string")
    kinds = told if isinstance(told, list) else [told]
    kind = next(kind for kind in kinds if kind != "null")
    if of.get("format") == "date-time":
        kind = "timestamp"
    return Column(name, of.get("x-type", kind), "null" in kinds, of.get("description", ""))


def usage_view() -> str:
    """The statement that makes the view `usage_counted` of the tables `sessions` and `usage`: of the
    rows of all sessions, those that `verbatim usage` counts."""
    return (SCHEMAS / "verbatim-row-usage-1.sql").read_text(encoding="utf-8")


def arrow_schema(*tables: str) -> Any:
    """The schema of a table for pyarrow, which must be installed; of several tables, that of all
    their columns as one table."""
    import pyarrow

    types = {
        "string": pyarrow.string(),
        "integer": pyarrow.int64(),
        "boolean": pyarrow.bool_(),
        "timestamp": pyarrow.timestamp("us", tz="UTC"),
        "decimal(38,12)": pyarrow.decimal128(38, 12),
    }
    fields = [
        pyarrow.field(column.name, types[column.type], nullable=column.is_nullable)
        for column in columns_of(tables)
    ]
    return pyarrow.schema(fields)
