"""The packages for npm: one with the launcher, and one with the program of each system.

npm installs of the second kind the one whose `os` and `cpu` are those of the machine. No package
runs anything when it is installed.
"""

import json

from .common import ROOT, TARGETS, Entry, tar_gz

NAME = "verbatim-cli"


def name_of(target):
    """The name of the package with the program of a system."""
    return f"{NAME}-{target.os}-{target.cpu}"


def manifest(project, name, **rest):
    """The text of a package.json."""
    of_all = {
        "name": name,
        "version": project.version,
        "description": project.description,
        "license": project.licence,
    }
    if project.repository:
        of_all["repository"] = {"type": "git", "url": f"git+{project.repository}.git"}
    return (json.dumps({**of_all, **rest}, indent=2, ensure_ascii=False) + "\n").encode()


def write(folder, name, version, files):
    path = folder / f"{name}-{version}.tgz"
    tar_gz(path, {f"package/{file}": entry for file, entry in files.items()})
    return path


def of_target(project, target, program, folder):
    """Writes the package with the program of a system."""
    name = name_of(target)
    readme = f"# {name}\n\nThe program of `{NAME}` for this system. Install `{NAME}`.\n"
    files = {
        "package.json": Entry(manifest(project, name, os=[target.os], cpu=[target.cpu],
                                       preferUnplugged=True)),
        "README.md": Entry(readme.encode()),
        f"bin/{target.program}": Entry(program, is_program=True),
    }
    files |= {file: Entry(text) for file, text in project.licences.items()}
    return write(folder, name, project.version, files)


def main_package(project, folder):
    """Writes the package that people install. It names the programs of all systems."""
    manual = sorted(page for page in project.pages if page.startswith("share/man/"))
    package = manifest(
        project, NAME, keywords=project.keywords, bin={"verbatim": "bin/verbatim.js"},
        man=manual, engines={"node": ">=16"},
        optionalDependencies={name_of(target): project.version for target in TARGETS},
    )
    files = {
        "package.json": Entry(package),
        "README.md": Entry((ROOT / "packaging/about.md").read_bytes()),
        "bin/verbatim.js": Entry((ROOT / "packaging/npm/verbatim.js").read_bytes(), True),
    }
    files |= {file: Entry(text) for file, text in {**project.licences, **project.pages}.items()}
    return write(folder, NAME, project.version, files)
