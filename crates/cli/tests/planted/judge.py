"""Plants made secrets in sessions of all agents, and looks for them in what is redacted.

    python3 judge.py VERBATIM FOLDER [--all] [--seed N] [--rare]

Each kind of secret is put into each wrapping (without `--all`: into some of them), each time with a
value of its own. What is redacted, in every form and converted to every agent, is decoded fully: no
twelve letters of a secret may be left. The decoders are those of Python; no code, sample or
expectation is shared with the program. Prints a line for each form, and exits with 1 if anything is
left, with 2 if the decoders do not see each secret in the sessions before.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import time

import asked
import spell
import undo
import wrap

AGENTS = ["claude-code", "codex", "gemini", "opencode", "cursor", "codewhale", "sage",
          "copilot", "pi", "qwen"]
SID = "7b1c2d3e-4f50-4a61-8b72-93a4b5c6d7e8"
THREAD = "019c69e3-e30f-7ee3-9643-3355aabbccdd"


def texts(chance, wrappings, every, share):
    """The cells: a key, the wrapped text, the secrets."""
    for number, kind in enumerate(wrap.kinds()):
        if kind.group == "person" and not share:
            continue
        for at, (name, put) in enumerate(wrappings.items()):
            # The chosen cells are spread over kinds and wrappings.
            if (at * 7_919 + number * 1_000_003) % every == 0:
                text, secrets = kind.made(chance)
                yield f"{kind.name} in {name}", put(text), secrets


def middle(text):
    """A place near the middle of a text where something goes on: no space and no sign."""
    at = len(text) // 2
    while at < len(text) - 1 and not (text[at - 1].isalnum() and text[at].isalnum()):
        at += 1
    return at


def claude(cells):
    """A session of Claude Code: each text in a prompt, an answer, thinking, a call or an output."""
    lines, parent = [], None

    def add(kind, message, **more):
        nonlocal parent
        at = len(lines)
        uuid = f"a0000000-0000-4000-8000-{at:012}"
        day, hour = at // 86400, f"{at // 3600 % 24:02}:{at // 60 % 60:02}:{at % 60:02}"
        time = f"2026-03-{1 + day:02}T{hour}.000Z"
        line = {"parentUuid": parent, "isSidechain": False, "userType": "external", "cwd": "/w",
                "sessionId": SID, "version": "2.1.81", "gitBranch": "main", "type": kind,
                "message": message, "uuid": uuid, "timestamp": time, **more}
        parent = uuid
        lines.append(json.dumps(line, ensure_ascii=at % 3 == 0))

    def answer(*blocks):
        add("assistant", {"id": f"msg_{len(lines)}", "type": "message", "role": "assistant",
                          "model": "claude-opus-4-6", "content": list(blocks),
                          "usage": {"input_tokens": 3, "output_tokens": 4}})

    def result(call, text, **more):
        block = {"type": "tool_result", "tool_use_id": call, "content": text}
        add("user", {"role": "user", "content": [block]}, **more)

    add("user", {"role": "user", "content": "look at all of it"})
    for at, (_, text, _) in enumerate(cells):
        call = f"toolu_{at:06}"
        use = {"type": "tool_use", "id": call, "name": "Bash"}
        place, half = at % 6, middle(text)
        if place == 0:
            add("user", {"role": "user", "content": text})
        elif place == 1:
            answer({"type": "text", "text": text})
        elif place == 2:
            answer({"type": "text", "text": text[:half]}, {"type": "text", "text": text[half:]})
        elif place == 3:
            answer({**use, "input": {"command": text}})
            result(call, "ok")
        elif place == 4:
            answer({**use, "input": {"command": "sh show.sh"}})
            result(call, text, toolUseResult={"stdout": text, "stderr": "", "interrupted": False})
        else:
            answer({"type": "thinking", "thinking": text, "signature": ""})
    answer({"type": "text", "text": "done"})
    return "".join(line + "\n" for line in lines)


def codex(cells):
    """A session of Codex: the same, and streams in pieces."""
    lines = []

    def add(kind, payload):
        at = len(lines)
        time = f"2026-03-01T{at // 3600 % 24:02}:{at // 60 % 60:02}:{at % 60:02}.000Z"
        line = {"timestamp": time, "type": kind, "payload": payload}
        lines.append(json.dumps(line, ensure_ascii=at % 3 == 0))

    def said(role, kind, text):
        content = [{"type": kind, "text": text}]
        add("response_item", {"type": "message", "role": role, "content": content})

    def answered(call, text):
        kind = "function_call_output"
        add("response_item", {"type": kind, "call_id": call, "output": text})

    add("session_meta", {"id": THREAD, "timestamp": "2026-03-01T00:00:00.000Z", "cwd": "/w",
                         "originator": "codex_cli_rs", "cli_version": "0.100.0", "source": "cli"})
    said("user", "input_text", "look at all of it")
    for at, (_, text, _) in enumerate(cells):
        call, place = f"call_{at:06}", at % 6
        if place == 0:
            said("user", "input_text", text)
        elif place == 1:
            said("assistant", "output_text", text)
        elif place == 2:
            arguments = json.dumps({"command": ["bash", "-lc", text]})
            add("response_item", {"type": "function_call", "name": "shell", "call_id": call,
                                  "arguments": arguments})
            output = json.dumps({"output": "ok", "metadata": {"exit_code": 0}})
            answered(call, output)
        elif place == 3:
            add("response_item", {"type": "function_call", "name": "shell", "call_id": call,
                                  "arguments": json.dumps({"command": ["sh", "x"]})})
            for part in wrap.cut(text, 11, "\1").split("\1"):
                chunk = {"type": "exec_command_output_delta", "call_id": call, "stream": "stdout",
                         "chunk": wrap.b64(part)}
                add("event_msg", chunk)
            answered(call, text)
        elif place == 4:
            for part in wrap.cut(text, 7, "\1").split("\1"):
                add("event_msg", {"type": "agent_message_delta", "delta": part})
            add("event_msg", {"type": "agent_message", "message": text})
        else:
            add("response_item", {"type": "reasoning", "encrypted_content": None,
                                  "summary": [{"type": "summary_text", "text": text}]})
    said("assistant", "output_text", "done")
    return "".join(line + "\n" for line in lines)


class Run:
    """The program in a home of its own."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        os.makedirs(folder + "/home", exist_ok=True)
        self.env = {"HOME": folder + "/home", "PATH": os.environ.get("PATH", ""), "USER": "zoe-q7"}

    def __call__(self, *args, codes=(0,)):
        done = subprocess.run([self.program, *args], cwd=self.folder, env=self.env,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode not in codes:
            words = done.stderr.decode("utf-8", "replace")[-600:]
            raise SystemExit(f"{' '.join(args)}: exit {done.returncode}: {words}")
        return done


def files(path):
    """The text of a file, or of all files of a folder."""
    if os.path.isfile(path):
        with open(path, encoding="utf-8", errors="replace") as file:
            return [file.read()]
    inner = sorted(os.path.join(path, name) for name in os.listdir(path))
    return [text for one in inner for text in files(one)]


def left(paths, sought):
    found = set()
    for path in paths:
        for text in files(path):
            found |= undo.document(text, sought)
    return found


def sources(run, cells):
    """The sessions, by their agent."""
    for agent, make in [("claude-code", claude), ("codex", codex)]:
        name = SID if agent == "claude-code" else f"rollout-2026-03-01T00-00-00-{THREAD}"
        path = f"{run.folder}/in-{agent}/{name}.jsonl"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(make(cells))
        yield agent, path
    first = f"{run.folder}/in-claude-code/{SID}.jsonl"
    for agent in AGENTS[2:]:
        path = f"{run.folder}/in-{agent}"
        run("convert", first, "--to", agent, "-o", path + "/", "--force")
        yield agent, path


def outputs(run, agent, source, profile):
    """The redacted forms of a session: a name and its path."""
    out = f"{run.folder}/out-{agent}-{profile}"
    run("redact", source, "--profile", profile, "-o", out + "/redacted/", "--force")
    yield "redacted", out + "/redacted"
    with open(out + "/rows.jsonl", "wb") as file:
        file.write(run("rows", source, "--profile", profile).stdout)
    yield "rows", out + "/rows.jsonl"
    for form, name in [("vac", "a.vac.json"), ("stead", "a.stead.json"), ("html", "a.html"),
                       ("markdown", "a.md")]:
        path = f"{out}/{name}"
        run("export", source, "--profile", profile, "--to", form, "-o", path, "--force")
        yield form, path
    yield from answered(run, agent, source, profile, out)
    for other in AGENTS:
        path = f"{out}/as-{other}/"
        run("convert", out + "/redacted", "--to", other, "-o", path, "--force")
        yield f"as {other}", path


def answered(run, agent, source, profile, out):
    """What `mcp` answers, and what its search shows of a session that `sync` redacted before."""
    folder = source if os.path.isdir(source) else os.path.dirname(source)
    places = [("mcp", ["-C", folder, "--profile", profile], run.env)]
    if agent == "claude-code" and profile == "share":
        home = f"{out}/home"
        file = f"{home}/.claude/projects/-w/{SID}.jsonl"
        os.makedirs(os.path.dirname(file))
        shutil.copyfile(source, file)
        os.utime(file, (1772359200, 1772359200))
        env = {**run.env, "HOME": home}
        # A file that has just been written is not indexed.
        time.sleep(2.1)
        sync = [run.program, "sync", "--index-only"]
        subprocess.run(sync, env=env, cwd=out, check=True, capture_output=True)
        places.append(("mcp after sync", [], env))
    for name, more, env in places:
        texts = asked.everything([run.program, "mcp", *more], env, out, name != "mcp")
        path = f"{out}/{name}.txt"
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(texts))
        yield name, path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--rare", action="store_true", help="wrappings that no criterion names")
    parser.add_argument("--spelt", action="store_true", help="as programs and tools write")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, default=29)
    parser.add_argument("--agents", default=",".join(AGENTS))
    parser.add_argument("--profile", default="share")
    parser.add_argument("--first", action="store_true", help="the agent's own form alone")
    parser.add_argument("--wraps", help="these wrappings alone")
    parser.add_argument("--unredacted", action="store_true", help="to see that the judge sees")
    parser.add_argument("--list", type=int, default=40)
    args = parser.parse_args()
    wrappings = wrap.RARE | spell.RARE if args.rare else spell.SPELT if args.spelt else wrap.ALL
    if args.wraps:
        every = wrap.ALL | wrap.RARE | spell.SPELT | spell.RARE
        wrappings = {name: every[name] for name in args.wraps.split(",")}
    every = 1 if args.wraps or args.all or args.rare else args.every
    undo.SPELT = any(name in spell.SPELT | spell.RARE for name in wrappings)
    chance = random.Random(args.seed)
    cells = list(texts(chance, wrappings, every, args.profile == "share"))
    sought = undo.Sought()
    for key, _, secrets in cells:
        for secret in secrets:
            sought.add(secret, key)
    run, wrong = Run(os.path.abspath(args.program), os.path.abspath(args.folder)), 0
    for agent, source in sources(run, cells):
        if agent not in args.agents.split(","):
            continue
        before = left([source], sought)
        unseen = {key for key, _, _ in cells} - before
        print(f"{agent}: {len(cells)} planted, {len(before)} seen before", flush=True)
        if unseen and agent in ("claude-code", "codex"):
            print("not seen before:", *sorted(unseen)[:40], sep="\n  ")
            return 2
        forms = outputs(run, agent, source, args.profile)
        for form, path in [("redacted", source)] if args.unredacted else forms:
            found = left([path], sought)
            print(f"  {form}: {len(found)} left", flush=True)
            for key in sorted(found)[:args.list]:
                print(f"    {key}")
            wrong += len(found)
            if args.first:
                break
    print(f"{len(cells)} secrets, {wrong} left")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
