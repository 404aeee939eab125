"""Counts the calls of sessions in raw files, and compares them with the rows of `verbatim rows`.

    judge.py PROGRAM FOLDER

It shares no code with the program: it knows only that both agents write a JSON object a line. Of
the program it takes which files are of one session (`list`), and its rows.
"""

import collections
import json
import pathlib
import subprocess
import sys


def ran(program, *arguments):
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


def records(path):
    """The objects of a file. A line that is none, as the last one of a cut file, is left out."""
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict):
                yield record


def claude_code(paths):
    """The calls of a session by their ids, and those of them that failed; `None` if its records
    are of several sessions: then it begins with another one, whose calls are not its own."""
    calls, failed, sessions = {}, set(), set()
    for path in paths:
        for record in records(path):
            sessions.update([record["sessionId"]] if record.get("sessionId") else [])
            message = record.get("message")
            content = message.get("content") if isinstance(message, dict) else None
            blocks = [block for block in content if isinstance(block, dict)] if isinstance(
                content, list) else []
            # An old generation writes a call as a record.
            for block in [*blocks, record]:
                if block.get("type") in ("tool_use", "server_tool_use") and block.get("name"):
                    calls[block.get("id") or record.get("uuid")] = block["name"]
                if block.get("type") == "tool_result" and block.get("is_error") is True:
                    failed.add(block.get("tool_use_id"))
    return None if len(sessions) > 1 else (calls, failed & set(calls))


CODEX_CALLS = ("function_call", "custom_tool_call", "local_shell_call", "tool_search_call")


def codex(paths):
    """The same of a session of Codex since August 2025, which does not record failures in one way.
    A fork begins with a second header, and a history that went back has calls that do not count."""
    calls, heads, items = {}, 0, 0
    for path in paths:
        for record in records(path):
            payload = record.get("payload")
            if not isinstance(payload, dict):
                continue
            heads += record.get("type") == "session_meta"
            if payload.get("type") == "thread_rolled_back":
                return None
            items += record.get("type") == "response_item"
            if record.get("type") == "response_item" and payload.get("type") in CODEX_CALLS:
                calls[payload["call_id"]] = payload.get("name")
            if payload.get("type") == "web_search_call":
                calls[len(calls)] = "web_search"
            # Forms that other programs write.
            called = payload.get("function_call") or payload.get("function") or payload
            if "function_call" in payload or payload.get("type") == "tool_call":
                calls[payload.get("call_id") or len(calls)] = called["name"]
    return None if heads > 1 or items == 0 else (calls, None)


JUDGES = {"claude-code": claude_code, "codex": codex}


def main(program, folder):
    rows = collections.defaultdict(list)
    states = collections.defaultdict(set)
    told = ran(program, "rows", "--unredacted", "--table", "sessions,calls", folder)
    for line in told.splitlines():
        row = json.loads(line)
        states[row["session"]].add(row["state"])
        if row["table"] == "calls":
            rows[row["session"], row["state"]].append(row)
    judged = collections.Counter()
    wrong = []
    for session in json.loads(ran(program, "list", "--json", folder))["sessions"]:
        judge = JUDGES.get(session["format"])
        paths = [pathlib.Path(path) for path in session["files"]]
        if judge is None or any(path.suffix != ".jsonl" for path in paths):
            continue
        told = judge(paths)
        if told is None:
            judged[session["format"], "left out"] += 1
            continue
        calls, failed = told
        names = collections.Counter(name for name in calls.values() if name)
        found = []
        for state in states[session["uid"]]:
            own = rows[session["uid"], state]
            tools = collections.Counter(row["tool"] for row in own if row["tool"])
            bad = sum(row["outcome"] == "bad" for row in own)
            found.append((len(own), tools, None if failed is None else bad))
        wanted = (len(calls), names, None if failed is None else len(failed))
        judged[session["format"], "calls"] += len(calls)
        judged[session["format"], "sessions"] += 1
        if wanted not in found:
            wrong.append(f"{session['uid']} ({paths[0]}): raw {wanted}, rows {found}")
    print("\n".join(wrong))
    for (agent, what), count in sorted(judged.items()):
        print(f"{agent}: {count} {what}")
    print(f"{len(wrong)} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
