"""The formula for Homebrew: it takes the archives of a release, with their sums."""

import hashlib

from .common import ROOT, TARGETS


def write(project, release, folder):
    """Writes the formula if the archives of all its systems are there."""
    text = (ROOT / "packaging/homebrew/verbatim.rb.in").read_text()
    values = {"VERSION": project.version, "REPOSITORY": project.repository}
    for target in TARGETS:
        archive = release / f"verbatim-{project.version}-{target.triple}.tar.gz"
        if target.os == "win32":
            continue
        if not archive.is_file():
            print(f"missing: the formula for Homebrew: it needs {archive.name}")
            return []
        key = f"SHA256_{target.os}_{target.cpu}".upper()
        values[key] = hashlib.sha256(archive.read_bytes()).hexdigest()
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    path = folder / "verbatim.rb"
    path.write_text(text)
    return [path]
