"""The bill of materials of a program (SBOM): each crate that is linked into it, as CycloneDX 1.5.

It has no serial number and no time, so that equal sources give equal bills.
"""

import json
import subprocess

from .common import ROOT


def metadata(target):
    """What cargo knows of all packages, and of their dependencies on a system."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked",
               "--filter-platform", target.triple]
    out = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    return json.loads(out)


def sums():
    """The SHA-256 sums of the crates in Cargo.lock, by name and version."""
    import tomllib
    with open(ROOT / "Cargo.lock", "rb") as file:
        packages = tomllib.load(file)["package"]
    return {(one["name"], one["version"]): one.get("checksum") for one in packages}


def linked(nodes, root):
    """Each package that a program is linked from, with those that it depends on itself.

    What only builds or tests something is left out, and so is what a macro of another needs.
    """
    found, left = {}, [root]
    while left:
        one = left.pop()
        if one in found:
            continue
        normal = [dep["pkg"] for dep in nodes[one]["deps"]
                  if any(kind["kind"] is None for kind in dep["dep_kinds"])]
        found[one] = sorted(normal)
        left += normal
    return found


def component(package, digest):
    """A crate as a component."""
    ref = f"pkg:cargo/{package['name']}@{package['version']}"
    made = {
        "type": "library",
        "bom-ref": ref,
        "name": package["name"],
        "version": package["version"],
        "purl": ref,
    }
    if package["license"]:
        # The older form of "or" is no expression.
        expression = package["license"].replace("/", " OR ")
        made["licenses"] = [{"expression": expression}]
    if digest:
        made["hashes"] = [{"alg": "SHA-256", "content": digest}]
    return made


def of_target(project, target, folder):
    """Writes the bill of the program of a system."""
    known, digests = metadata(target), sums()
    packages = {package["id"]: package for package in known["packages"]}
    nodes = {node["id"]: node for node in known["resolve"]["nodes"]}
    root = next(one["id"] for one in known["packages"] if one["name"] == "verbatim-cli")
    # A macro runs in the compiler, with all that it depends on.
    macros = {one for one, package in packages.items()
              if any("proc-macro" in made["kind"] for made in package["targets"])}
    for node in nodes.values():
        node["deps"] = [dep for dep in node["deps"] if dep["pkg"] not in macros]
    parts = linked(nodes, root)
    made = {one: component(packages[one], digests[packages[one]["name"], packages[one]["version"]])
            for one in parts}
    ref = {one: made[one]["bom-ref"] for one in parts}
    main = {**made.pop(root), "type": "application"}
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": main,
            "properties": [{"name": "verbatim:target", "value": target.triple}],
        },
        "components": sorted(made.values(), key=lambda one: one["bom-ref"]),
        "dependencies": sorted(
            ({"ref": ref[one], "dependsOn": sorted(ref[dep] for dep in deps)}
             for one, deps in parts.items()), key=lambda one: one["ref"]),
    }
    path = folder / f"verbatim-{project.version}-{target.triple}.cdx.json"
    path.write_text(json.dumps(bill, indent=1) + "\n")
    return path
