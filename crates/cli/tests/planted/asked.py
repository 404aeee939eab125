"""A client of `verbatim mcp`, which asks for all that the tools tell of some sessions."""

import json
import re
import subprocess

# Words that most of the sessions have, and signs that stand beside many secrets.
QUERIES = ["look", "done", "key", "token", "password", "the", "http", "user"]


class Client:
    """A server, and the texts of its answers."""

    def __init__(self, command, env, cwd):
        self.server = subprocess.Popen(command, env=env, cwd=cwd, stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.count, self.texts, self.failed = 0, [], []
        about = {"protocolVersion": "2025-06-18", "capabilities": {},
                 "clientInfo": {"name": "planted", "version": "1"}}
        self.ask("initialize", about)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.server.stdin.write(json.dumps(message).encode() + b"\n")
        self.server.stdin.flush()

    def ask(self, method, params):
        self.count += 1
        self.send({"jsonrpc": "2.0", "id": self.count, "method": method, "params": params})
        while True:
            line = self.server.stdout.readline()
            if not line:
                raise SystemExit(f"mcp ended before it answered {method}")
            answer = json.loads(line)
            if answer.get("id") == self.count:
                return answer

    def call(self, tool, **arguments):
        """The text of a tool's answer, which is kept."""
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        result = answer.get("result", {})
        if result.get("isError", True):
            self.failed.append(f"{tool} {arguments}: {json.dumps(answer)[:300]}")
        text = "\n".join(block.get("text", "") for block in result.get("content", []))
        self.texts.append(text)
        return text

    def end(self):
        self.server.stdin.close()
        return self.server.wait(60)


def everything(command, env, cwd, needs_text):
    """All texts of the answers about all sessions. With `needs_text`, a search must show lines."""
    client = Client(command, env, cwd)
    listed = client.call("list_sessions", all_projects=True, limit=100)
    marks = [line for line in listed.splitlines() if line.startswith("address: ")]
    found = [client.call("search_sessions", query=query, all_projects=True) for query in QUERIES]
    is_shown = "look at all of it" in found[0] and "not yet checked" not in "".join(found)
    if needs_text and not is_shown:
        raise SystemExit("the search shows no text of a session that was redacted before")
    for by in ("day", "agent", "model", "session"):
        client.call("get_usage", by=by, all_projects=True)
    for address in (mark.removeprefix("address: ") for mark in marks):
        where, count = {}, 0
        while where is not None:
            text = client.call("get_session", session=address, **where)
            count += text.count("\naddress: ")
            # An answer is bounded, and its first block says where it goes on.
            more = re.search(r"^left out: .*from_turn (\d+) from_item (\d+)$", text, re.M)
            where = more and {"from_turn": int(more[1]), "from_item": int(more[2])}
        if count < 2 or "\ncut: " in text:
            raise SystemExit(f"{address} was not told whole: {count} items")
        client.call("get_receipt", session=address, turn=1, unfinished=True)
    if client.failed or not marks or client.end() != 0:
        raise SystemExit(f"mcp: {len(marks)} sessions, {client.failed[:3]}")
    return client.texts
