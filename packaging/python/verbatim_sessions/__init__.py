"""What happened in the sessions of coding agents, as rows.

>>> import verbatim_sessions
>>> for session in verbatim_sessions.sessions("~/.claude"):
...     print(session["session"], session["turns"], session["listed_usd"])
>>> calls = verbatim_sessions.rows("~/.claude", "calls").to_pandas()

The program `verbatim` that this package brings along reads the files and redacts what it finds. Each
row has the members that the schema of its table names: `columns()` lists them.
"""

from ._program import VerbatimError, program
from ._rows import Rows, TableRows, rows, sessions
from ._tables import TABLES, Column, arrow_schema, columns, usage_view

__all__ = [
    "TABLES",
    "Column",
    "Rows",
    "TableRows",
    "VerbatimError",
    "arrow_schema",
    "columns",
    "program",
    "rows",
    "sessions",
    "usage_view",
]
