"""What all packages share: the project's facts, the targets, and archives that are always equal."""

import gzip
import io
import os
import stat
import subprocess
import tarfile
import tempfile
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

try:
    import tomllib
except ModuleNotFoundError:
    raise SystemExit("packaging/pack needs Python 3.11 or newer: it reads Cargo.toml")

ROOT = Path(__file__).resolve().parent.parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target").resolve()

# The time of every file in every package, in seconds: the first one that a ZIP archive can have.
TIME = 315_532_800

# Greatest lengths in bytes.
PROGRAM = 22_000_000
PACKAGE = 9_000_000


@dataclass(frozen=True)
class Target:
    """A system for which the program is built."""

    triple: str
    # Its names in npm's `os` and `cpu`.
    os: str
    cpu: str
    # The wheel's tags of the platform. Those of macOS also have the system's version.
    wheel: str

    @property
    def program(self):
        return "verbatim.exe" if self.os == "win32" else "verbatim"

    def built(self, profile):
        """The path of its program, as packaging/build leaves it."""
        return TARGET / self.triple / profile / self.program


# A static program runs with every C library: its wheel is one of both kinds.
TARGETS = [
    Target("x86_64-unknown-linux-musl", "linux", "x64",
           "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64"),
    Target("aarch64-unknown-linux-musl", "linux", "arm64",
           "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64"),
    Target("x86_64-apple-darwin", "darwin", "x64", "macosx_{}_x86_64"),
    Target("aarch64-apple-darwin", "darwin", "arm64", "macosx_{}_arm64"),
    Target("x86_64-pc-windows-gnu", "win32", "x64", "win_amd64"),
]


@dataclass(frozen=True)
class Project:
    """The facts of the project, from Cargo.toml, and the texts that every package has."""

    version: str
    licence: str
    description: str
    keywords: list
    repository: str
    # Paths below a package, with their bytes: licences, manual pages, completions.
    licences: dict = field(default_factory=dict)
    pages: dict = field(default_factory=dict)

    @staticmethod
    def read():
        with open(ROOT / "Cargo.toml", "rb") as file:
            package = tomllib.load(file)["workspace"]["package"]
        with open(ROOT / "crates/cli/Cargo.toml", "rb") as file:
            cli = tomllib.load(file)["package"]
        licences = {name: (ROOT / name).read_bytes() for name in ("LICENSE-APACHE", "LICENSE-MIT")}
        return Project(package["version"], package["license"], " ".join(cli["description"].split()),
                       cli["keywords"], package.get("repository", ""), licences)


# Each shell with the place below a prefix in which it looks for completions.
SHELLS = {
    "bash": "share/bash-completion/completions/verbatim",
    "zsh": "share/zsh/site-functions/_verbatim",
    "fish": "share/fish/vendor_completions.d/verbatim.fish",
    "elvish": "share/elvish/lib/verbatim.elv",
    "powershell": "share/powershell/verbatim.ps1",
}


def pages(program):
    """The completions and manual pages, which the program itself prints."""
    def run(*args):
        # No home of this machine changes what is printed.
        env = {"PATH": os.environ.get("PATH", ""), "HOME": "/nonexistent", "NO_COLOR": "1"}
        return subprocess.run([program, *args], check=True, capture_output=True, env=env).stdout
    made = {place: run("completions", shell) for shell, place in SHELLS.items()}
    with tempfile.TemporaryDirectory() as folder:
        run("man", "--output", folder)
        for page in Path(folder).iterdir():
            made[f"share/man/man1/{page.name}"] = page.read_bytes()
    return made


@dataclass(frozen=True)
class Entry:
    """A file of a package."""

    data: bytes
    is_program: bool = False

    @property
    def mode(self):
        return 0o755 if self.is_program else 0o644


def tar_gz(path, entries):
    """Writes a compressed TAR archive. Equal entries give equal bytes."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, entry in sorted(entries.items()):
            info = tarfile.TarInfo(name)
            info.size, info.mode, info.mtime = len(entry.data), entry.mode, TIME
            archive.addfile(info, io.BytesIO(entry.data))
    with open(path, "wb") as file:
        with gzip.GzipFile("", "wb", 9, file, 0) as out:
            out.write(raw.getvalue())


def zipped(path, entries):
    """Writes a ZIP archive with its entries in the given order. Equal entries give equal bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, entry in entries.items():
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3
            info.external_attr = (stat.S_IFREG | entry.mode) << 16
            archive.writestr(info, entry.data, compresslevel=9)
