"""Wheels for PyPI: `pip install`, `pipx` and `uvx` put the program into the folder of scripts, and
the import package `verbatim_sessions`, which runs it, beside other packages.

The layout is that of the binary distribution format (version 1.0) and of core metadata 2.4.
"""

import base64
import hashlib
import struct

from .common import ROOT, Entry, zipped

NAME = "verbatim-cli"

CLASSIFIERS = [
    "Development Status :: 4 - Beta",
    "Environment :: Console",
    "Intended Audience :: Developers",
    "Programming Language :: Rust",
    "Topic :: Software Development",
    "Topic :: System :: Archiving :: Backup",
    "Topic :: Text Processing :: Indexing",
]


def metadata(project):
    """The text of METADATA: headers, and the description as the body."""
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {NAME}",
        f"Version: {project.version}",
        f"Summary: {project.description}",
        f"Keywords: {','.join(project.keywords)}",
        f"License-Expression: {project.licence}",
        *(f"License-File: {name}" for name in sorted(project.licences)),
        *(f"Classifier: {name}" for name in CLASSIFIERS),
        *([f"Project-URL: Source, {project.repository}"] if project.repository else []),
        "Requires-Python: >=3.7",
        "Description-Content-Type: text/markdown",
    ]
    about = (ROOT / "packaging/about.md").read_text()
    return ("\n".join(lines) + "\n\n" + about).encode()


def oldest_macos(program):
    """The oldest version of macOS that a program says it runs on: `11_0`.

    It is in the load command LC_BUILD_VERSION, or in the older LC_VERSION_MIN_MACOSX.
    """
    build_version, version_min, header = 0x32, 0x24, 32
    magic, _, _, _, count = struct.unpack_from("<5I", program)
    if magic != 0xFEEDFACF:
        raise SystemExit("the program for macOS is no Mach-O file of 64 bits")
    at = header
    for _ in range(count):
        command, size = struct.unpack_from("<2I", program, at)
        if command in (build_version, version_min):
            place = at + (12 if command == build_version else 8)
            version = struct.unpack_from("<I", program, place)[0]
            major, minor = version >> 16, version >> 8 & 0xFF
            # Since version 11 only the first number counts.
            return f"{major}_{minor if major < 11 else 0}"
        at += size
    raise SystemExit("the program for macOS does not say on which versions it runs")


def import_package():
    """The files of the import package, with the schemas that its types come from."""
    folder = ROOT / "packaging/python/verbatim_sessions"
    own = [*sorted(folder.glob("*.py")), folder / "py.typed"]
    schemas = sorted((ROOT / "schemas").glob("verbatim-row-*"))
    files = {f"{folder.name}/{path.name}": path.read_bytes() for path in own}
    return files | {f"{folder.name}/schemas/{path.name}": path.read_bytes() for path in schemas}


def of_target(project, target, program, folder):
    """Writes the wheel of a system."""
    tags = target.wheel
    if "{}" in tags:
        tags = tags.format(oldest_macos(program))
    stem = f"{NAME.replace('-', '_')}-{project.version}"
    about, data = f"{stem}.dist-info", f"{stem}.data"
    kind = ["Wheel-Version: 1.0", "Generator: verbatim", "Root-Is-Purelib: false"]
    kind += [f"Tag: py3-none-{tag}" for tag in tags.split(".")]
    files = {f"{data}/scripts/{target.program}": Entry(program, is_program=True)}
    files |= {name: Entry(text) for name, text in import_package().items()}
    files |= {f"{data}/data/{place}": Entry(text) for place, text in sorted(project.pages.items())}
    files |= {f"{about}/licenses/{name}": Entry(text) for name, text in project.licences.items()}
    files[f"{about}/METADATA"] = Entry(metadata(project))
    files[f"{about}/WHEEL"] = Entry(("\n".join(kind) + "\n").encode())
    files[f"{about}/RECORD"] = Entry(record(files, f"{about}/RECORD"))
    path = folder / f"{stem}-py3-none-{tags}.whl"
    zipped(path, files)
    return path


def record(files, own):
    """The list of all files with their digests and lengths. It has no digest of itself."""
    def row(name, data):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        return f"{name},sha256={digest},{len(data)}\n"
    rows = [row(name, entry.data) for name, entry in files.items()]
    return ("".join(rows) + f"{own},,\n").encode()
