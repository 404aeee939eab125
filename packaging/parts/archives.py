"""Archives for a release: the program of a system with its manual pages, completions, licences."""

from .common import ROOT, Entry, tar_gz, zipped


def of_target(project, target, program, folder):
    """Writes the archive of a system: a ZIP file for Windows, else a TAR file."""
    stem = f"verbatim-{project.version}-{target.triple}"
    files = {
        f"{stem}/{target.program}": Entry(program, is_program=True),
        f"{stem}/README.md": Entry((ROOT / "packaging/about.md").read_bytes()),
    }
    texts = {**project.licences, **project.pages}
    files |= {f"{stem}/{name}": Entry(text) for name, text in sorted(texts.items())}
    is_zip = target.os == "win32"
    path = folder / f"{stem}{'.zip' if is_zip else '.tar.gz'}"
    (zipped if is_zip else tar_gz)(path, files)
    return path
