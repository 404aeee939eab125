"""A registry for npm on this machine, which serves the packed packages: for packaging/test alone.

    python3 -m parts.registry FOLDER PORT_FILE

It writes its port into PORT_FILE, and serves until it is ended.
"""

import base64
import hashlib
import json
import sys
import tarfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote


def packages(folder):
    """The manifest and the file of each package, by its name."""
    found = {}
    for path in sorted(Path(folder).glob("*.tgz")):
        with tarfile.open(path) as archive:
            manifest = json.load(archive.extractfile("package/package.json"))
        found[manifest["name"]] = (manifest, path)
    return found


class Registry(BaseHTTPRequestHandler):
    """Answers with the document of a package, or with its file."""

    known = {}

    def do_GET(self):
        name = unquote(self.path).strip("/")
        if name.startswith("-/") and name[2:] in self.known:
            return self.answer(self.known[name[2:]][1].read_bytes(), "application/octet-stream")
        if name not in self.known:
            return self.send_error(404)
        manifest, path = self.known[name]
        digest = base64.b64encode(hashlib.sha512(path.read_bytes()).digest()).decode()
        port = self.server.server_address[1]
        dist = {"tarball": f"http://127.0.0.1:{port}/-/{name}", "integrity": f"sha512-{digest}"}
        version = manifest["version"]
        document = {"name": name, "dist-tags": {"latest": version},
                    "versions": {version: {**manifest, "dist": dist}}}
        return self.answer(json.dumps(document).encode(), "application/json")

    def answer(self, data, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def main():
    Registry.known = packages(sys.argv[1])
    server = ThreadingHTTPServer(("127.0.0.1", 0), Registry)
    Path(sys.argv[2]).write_text(str(server.server_address[1]))
    server.serve_forever()


if __name__ == "__main__":
    main()
