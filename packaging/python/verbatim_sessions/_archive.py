"""Archives on an object store: which sessions they have, and a small archive of some of them.

`docs/archive.md` describes the layout. Nothing here knows what is in a session: an archive has runs,
which say which pieces make which file, and packs, which have the pieces.
"""

import hashlib
import json
import os
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple

#: The bytes at the end of a pack that are read first: its table is there.
END = 64 * 1024
#: A skippable frame of Zstandard.
SKIPPABLE = 0x184D2A50

Line = Dict[str, Any]


class Runs:
    """The lines of all runs, in the order of their times."""

    def __init__(self, files: Any, root: str) -> None:
        found = _names(files, f"{root}/runs")
        self.files = [
            (name, [json.loads(line) for line in _whole(files, f"{root}/runs/{name}").splitlines()])
            for name in sorted(found)
            if name.endswith(".jsonl")
        ]
        self.contents: Dict[str, List[Line]] = {}
        self.newest: Dict[str, Line] = {}
        timed: List[Tuple[str, int, Line]] = []
        for _, lines in self.files:
            time = ""
            for line in lines:
                time = line["run"]["time"] if "run" in line else time
                timed.append((time, len(timed), line))
        for _, _, line in sorted(timed, key=lambda one: one[:2]):
            if "content" in line:
                self.contents.setdefault(line["content"]["digest"], []).append(line["content"])
            for kind in ("session", "forgotten"):
                if kind in line:
                    own = line[kind]
                    name = json.dumps([own["agent"], own["group"]])
                    if kind == "session":
                        self.newest[name] = own
                    else:
                        self.newest.pop(name, None)

    def length(self, name: str) -> int:
        return sum(int(file["length"]) for file in self.newest[name]["files"])

    def needed(self, names: Sequence[str]) -> Tuple[Set[str], Set[str]]:
        """The contents of sessions, and the pieces of these."""
        contents: Set[str] = set()
        waiting = [file["content"] for name in names for file in self.newest[name]["files"]]
        while waiting:
            digest = waiting.pop()
            if digest not in contents:
                contents.add(digest)
                told = self.contents.get(digest, [])
                waiting += [content["base"] for content in told if content.get("base")]
        pieces = {
            piece
            for digest in contents
            for content in self.contents.get(digest, [])
            for piece in content["pieces"]
        }
        return contents, pieces


def plan(
    uri: str, tasks: Callable[[int], int], only: Optional[Sequence[str]] = None
) -> List[List[str]]:
    """The sessions of an archive, or only these of them, a list for each task, of about the same
    size."""
    files, root = opened(uri)
    runs = Runs(files, root)
    names = sorted(runs.newest if only is None else runs.newest.keys() & set(only))
    total = sum(map(runs.length, names))
    count = tasks(total)
    parts: List[List[str]] = [[] for _ in range(count)]
    before = 0
    for name in names:
        parts[min(before * count // max(total, 1), count - 1)].append(name)
        before += runs.length(name)
    return [part for part in parts if part]


def fetch(uri: str, names: Sequence[str], folder: str) -> None:
    """Writes an archive that has the newest versions of these sessions alone."""
    files, root = opened(uri)
    runs = Runs(files, root)
    contents, pieces = runs.needed(names)
    for name in ("runs", "packs"):
        os.mkdir(os.path.join(folder, name))
    _write(folder, "archive.json", _whole(files, f"{root}/archive.json"))
    wanted = {json.dumps(runs.newest[name], sort_keys=True) for name in names}
    for name, lines in runs.files:
        kept = [line for line in lines if _is_kept(line, contents, wanted)]
        if any("run" not in line for line in kept):
            text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in kept).encode()
            time = name.rsplit("-", 1)[0]
            _write(folder, f"runs/{time}-{hashlib.sha256(text).hexdigest()}.jsonl", text)
    for name in _names(files, f"{root}/packs"):
        if name.endswith(".pack"):
            pieces -= _pack(files, f"{root}/packs/{name}", pieces, folder)


def _is_kept(line: Line, contents: Set[str], wanted: Set[str]) -> bool:
    if "session" in line:
        return json.dumps(line["session"], sort_keys=True) in wanted
    return "run" in line or "content" in line and line["content"]["digest"] in contents


def _pack(files: Any, path: str, pieces: Set[str], folder: str) -> Set[str]:
    """Writes a pack with those of the pieces that a pack has. Returns these."""
    with files.open_input_file(path) as pack:
        size = pack.size()
        table = json.loads(_last_line(pack, size))
        own = [piece for piece in table["pieces"] if piece["digest"] in pieces]
        made: List[Dict[str, Any]] = []
        body = bytearray()
        for piece in own:
            made.append({**piece, "offset": len(body)})
            body += pack.read_at(piece["stored"], piece["offset"])
    if own:
        told = json.dumps({**table, "pieces": made}, separators=(",", ":")).encode()
        told = b"\n" + told + b"\n"
        body += SKIPPABLE.to_bytes(4, "little") + len(told).to_bytes(4, "little") + told
        _write(folder, f"packs/{hashlib.sha256(body).hexdigest()}.pack", bytes(body))
    return {piece["digest"] for piece in own}


def _last_line(pack: Any, size: int) -> bytes:
    """The last line of a pack, of which only the end is read."""
    length = min(END, size)
    while True:
        end: bytes = pack.read_at(length, size - length)
        line = end.rstrip(b"\n").rpartition(b"\n")
        if line[1] or length == size:
            return line[2]
        length = min(length * 4, size)


def opened(uri: str) -> Tuple[Any, str]:
    """The file system of an address, and the path in it. The place and the keys of S3 come from the
    variables of its own tools: AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID and others."""
    from pyarrow import fs

    scheme, _, rest = uri.partition("://")
    place = os.environ.get("AWS_ENDPOINT_URL") or os.environ.get("AWS_ENDPOINT")
    if scheme in ("s3", "s3a") and place:
        kind, _, host = place.partition("://")
        return fs.S3FileSystem(endpoint_override=host, scheme=kind), rest.rstrip("/")
    if scheme == "s3a":
        uri = f"s3://{rest}"
    files, path = fs.FileSystem.from_uri(uri)
    return files, path.rstrip("/")


def _names(files: Any, path: str) -> List[str]:
    from pyarrow import fs

    found = files.get_file_info(fs.FileSelector(path, allow_not_found=True))
    return sorted(info.base_name for info in found if info.type == fs.FileType.File)


def _whole(files: Any, path: str) -> bytes:
    with files.open_input_stream(path) as stream:
        content: bytes = stream.read()
    return content


def _write(folder: str, name: str, content: bytes) -> None:
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content)
