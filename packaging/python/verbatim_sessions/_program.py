"""The program that reads the sessions, and its runs."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO, Iterator, List, Optional, Sequence

DISTRIBUTION = "verbatim-cli"
NAMES = ("verbatim", "verbatim.exe")
#: The bytes of the program's output that are read at once: what a pipe of Linux holds.
OUTPUT = 64 * 1024


class VerbatimError(Exception):
    """The program failed. The message is what it said."""


def program() -> str:
    """The path of the program: that of `$VERBATIM_PROGRAM`, else the one that came with this
    package, else the one on the path."""
    named = os.environ.get("VERBATIM_PROGRAM")
    if named:
        return named
    found = _installed() or shutil.which("verbatim")
    if found is None:
        raise VerbatimError(
            "the program `verbatim` is not here: install the package `verbatim-cli` again, or name "
            "the program in the variable VERBATIM_PROGRAM"
        )
    return found


def _installed() -> Optional[str]:
    """The program among the files that the package's own installation lists."""
    if sys.version_info < (3, 8):
        return None
    from importlib import metadata

    try:
        files = metadata.files(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return None
    paths = (Path(str(file.locate())) for file in files if file.name in NAMES)
    return next((str(path.resolve()) for path in paths if path.is_file()), None)


class Run:
    """A run of the program, whose lines are read while it works."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()
        command: List[str] = [program(), *arguments]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                bufsize=OUTPUT,
            )
        except OSError as error:
            self._errors.close()
            raise VerbatimError(f"cannot run {command[0]}: {error}") from error

    def lines(self) -> Iterator[bytes]:
        """The lines of its output. Raises an error at the end if the program failed."""
        output = self._process.stdout
        assert output is not None
        yield from output
        if self._process.wait() != 0:
            self._errors.seek(0)
            said = self._errors.read().decode("utf-8", "replace").strip()
            raise VerbatimError(said or f"the program ended with {self._process.returncode}")

    def close(self) -> None:
        """Ends the program, if it still runs."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._errors.close()


def version() -> str:
    """The version of the program, as it says it: with its commit and date."""
    told = subprocess.run([program(), "--version"], check=True, capture_output=True, text=True)
    return told.stdout.strip()
