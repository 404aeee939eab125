#!/usr/bin/env python3
"""Takes the names of Copilot's events from the typings of its SDK (MIT) into `names.txt`.

    npm pack @github/copilot-sdk && tar xzf github-copilot-sdk-*.tgz
    python3 names.py package > names.txt

Of each event that is written to a file: its members, those that every such event has with a `!`.
Of the others (`ephemeral: true`) the type alone.
"""

import json
import pathlib
import re
import sys

# The objects within events that the reader looks into.
PARTS = [
    "AssistantMessageToolRequest",
    "PermissionApproved",
    "ToolExecutionCompleteError",
    "ToolExecutionCompleteResult",
    "ToolExecutionCompleteShellExecution",
    "WorkingDirectoryContext",
]

def interfaces(text):
    """The members of each interface: their names, whether each is required, and their types."""
    found = {}
    for match in re.finditer(r"^export interface (\w+) \{\n(.*?)^\}", text, re.M | re.S):
        body = re.sub(r"/\*.*?\*/", "", match[2], flags=re.S)
        members = re.findall(r"^    (\w+)(\??): ([^\n]*)", body, re.M)
        found[match[1]] = [(name, not mark, kind.rstrip(";")) for name, mark, kind in members]
    return found


def row(kind, name, members):
    required = [member + "!" for member, needed, _ in members if needed]
    optional = [member for member, needed, _ in members if not needed]
    return " ".join([kind, name, *required, *optional]) + "\n"


def main():
    package = pathlib.Path(sys.argv[1])
    version = json.loads((package / "package.json").read_text())["version"]
    known = interfaces((package / "dist/generated/session-events.d.ts").read_text())
    events, fleeting = {}, []
    for members in known.values():
        kinds = {name: kind for name, _, kind in members}
        if not {"data", "id", "timestamp", "type"} <= kinds.keys():
            continue
        name = kinds["type"].strip('"')
        if kinds.get("ephemeral") == "true":
            fleeting.append(name)
        else:
            events[name] = known.get(kinds["data"], [])
    out = f"from @github/copilot-sdk {version} (MIT), by names.py\n"
    out += "".join(row("event", name, events[name]) for name in sorted(events))
    out += "".join(f"client {name}\n" for name in sorted(fleeting))
    out += "".join(row("part", name, known[name]) for name in PARTS)
    print(out, end="")


main()
