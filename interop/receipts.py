#!/usr/bin/env python3
"""Compares the receipts of a run of a real agent with `git` and with the mock's log.

    receipts.py VERBATIM HOME WORK TOLD.jsonl UID...

- Each file that `git diff --name-status` calls changed is named in a record of a change of files, or
  of a command; each record of a change names a file that `git` calls changed.
- The tool calls of all turns are those that the mock sent in the answers that the home has.
- The tokens of all turns are those that the mock reported of these answers.

It shares no code with the program: the records are opened at their bytes, in the file whose digest
the receipt has, or in the rows of the database. It prints a JSON object: the faults, and the numbers.
"""

import hashlib
import itertools
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile


def run(program, home, *arguments):
    """The JSON that the program prints, or `None`; and its error lines."""
    environment = {"HOME": home, "PATH": os.environ.get("PATH", "")}
    done = subprocess.run([program, *arguments], env=environment, capture_output=True, check=False)
    try:
        return json.loads(done.stdout), done.stderr.decode()
    except ValueError:
        return None, done.stderr.decode()


def receipts(program, home, uid):
    """The receipts of all turns of a session, also of those that were rewound."""
    made, said = run(program, home, "receipt", uid, "--turn", "all", "--unfinished")
    if made is None:
        return [], None if "no turn" in said else said
    rewound, _ = run(program, home, "receipt", uid, "--turn", "rewound")
    return made + (rewound or []), None


def files_of(home):
    """The bytes of every file in the home."""
    found = {}
    for folder, _, names in os.walk(home):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    found[path] = file.read()
    return found


def rows(path):
    """The calls in the rows of a database: the texts of its parts that are calls of tools."""
    with tempfile.TemporaryDirectory() as folder:
        for ending in ("", "-wal"):
            if os.path.exists(path + ending):
                shutil.copy(path + ending, os.path.join(folder, "copy.db" + ending))
        database = sqlite3.connect(os.path.join(folder, "copy.db"))
        try:
            return [data for (data,) in database.execute("SELECT data FROM part") if '"tool"' in data]
        except sqlite3.Error:
            return []
        finally:
            database.close()


def texts(receipt, counted, files):
    """The bytes of the records that a number counts, as text."""
    said = []
    for record in receipt["account"][counted]["records"]:
        source = receipt["evidence"]["sources"][record["source"]]
        if source["form"] == "dump":
            for path in files:
                if path.endswith((".db", ".sqlite")):
                    said += [row for row in rows(path) if any(
                        '"%s"' % tool in row for tool in ("edit", "write", "apply_patch", "patch"))]
            continue
        for path, content in files.items():
            whole = content[: source["bytes"]]
            if os.path.basename(path) == source["name"] and \
                    hashlib.sha256(whole).hexdigest() == source["sha256"]:
                said.append(content[record["start"] : record["end"]].decode("utf-8", "replace"))
                break
        else:
            said.append("")
    return said


def changed(work):
    """The files that `git` calls changed."""
    git = ["git", "-C", work]
    subprocess.run(git + ["add", "-A"], check=True, capture_output=True)
    named = git + ["diff", "--cached", "--name-status", "--no-renames"]
    lines = subprocess.run(named, check=True, capture_output=True).stdout.decode().splitlines()
    return [line.split("\t", 1)[1] for line in lines if "\t" in line]


def judge_files(all_receipts, files, work, wrong):
    names = [os.path.basename(name) for name in changed(work)]
    changes, commands = [], []
    for receipt in all_receipts:
        changes += texts(receipt, "files_changed", files)
        if receipt["account"]["commands_executed"]["count"] != 0:
            commands.append(receipt)
    for text in changes:
        if not any(name in text for name in names):
            wrong.append("receipt: a change of a file names none that git calls changed")
    for name in names:
        if not any(name in text for text in changes) and not commands:
            wrong.append("receipt: %s changed by git, and no record changes it" % name)
    return len(names)


def once(all_receipts):
    """The receipts without those of turns that a fork repeats: its session has a copy of them."""
    found = {}
    for receipt in all_receipts:
        account = receipt["account"]
        counts = [account[name]["count"] for name in ("tool_calls", "tokens", "files_changed")]
        turn = receipt["turn"]
        found.setdefault(json.dumps([turn["started_at"], turn["ended_at"], counts]), receipt)
    return list(found.values())


def judge_told(all_receipts, told, home, wrong):
    """The calls and the tokens that the mock sent, of the answers that the home has."""
    kept = [one for one in told if one["part"] and b"told%03dword" % one["number"] in home]
    sent = sum(one["calls"] for one in kept)
    calls = [receipt["account"]["tool_calls"]["count"] for receipt in all_receipts]
    known = sum(count for count in calls if count != "unavailable")
    if "unavailable" not in calls and known != sent:
        wrong.append("receipt: %d tool calls, the mock sent %d" % (known, sent))

    def total(one):
        return one["input"] + one["cache_read"] + one["cache_write"] + one["output"]

    def has_numbers(one):
        prompt = one["input"] + one["cache_read"] + one["cache_write"]
        return any(str(number).encode() in home for number in (one["input"], prompt))

    spent = [one for one in told if total(one) and has_numbers(one)]
    own = sum(total(one) for one in spent if one["part"])
    beside = [total(one) for one in spent if not one["part"]][:12]
    counts = [receipt["account"]["tokens"]["count"] for receipt in all_receipts]
    tokens = sum(count for count in counts if count != "unavailable")
    sums = {own + sum(some) for size in range(len(beside) + 1)
            for some in itertools.combinations(beside, size)}
    if tokens not in sums:
        wrong.append("receipt: %d tokens, the mock reported %d" % (tokens, own))
    return known, tokens


def main():
    program, home, work, log, *uids = sys.argv[1:]
    wrong, all_receipts = [], []
    for uid in uids:
        made, why = receipts(program, home, uid)
        all_receipts += made
        if why:
            wrong.append("receipt: " + why.splitlines()[0])
    all_receipts = once(all_receipts)
    with open(log, encoding="utf-8") as lines:
        told = [json.loads(line) for line in lines]
    files = files_of(home)
    numbers = {"turns": len(all_receipts), "files": judge_files(all_receipts, files, work, wrong)}
    together = b"\n".join(files.values())
    numbers["calls"], numbers["tokens"] = judge_told(all_receipts, told, together, wrong)
    json.dump({"wrong": wrong, **numbers}, sys.stdout)


main()
