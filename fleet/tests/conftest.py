"""The store and the engine, once for all tests; sessions that are invented."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE))

SECRET = "Tidewater-Kestrel-4417"


def needed(name):
    """A module; without it the tests are skipped, unless it is required."""
    try:
        return __import__(name)
    except ImportError as error:
        if os.environ.get("VERBATIM_REQUIRE_FLEET"):
            raise
        pytest.skip(f"skipped: {error}", allow_module_level=True)


@pytest.fixture(scope="session")
def store(tmp_path_factory):
    import stack

    opened = stack.store(tmp_path_factory.mktemp("store"))
    try:
        running = opened.__enter__()
    except SystemExit as error:
        if os.environ.get("VERBATIM_REQUIRE_FLEET"):
            raise
        pytest.skip(f"skipped: the store does not run here: {error}")
    try:
        os.environ.update(stack.settings(running))
        yield running
    finally:
        opened.__exit__(None, None, None)


@pytest.fixture(scope="session")
def spark(store):
    import fill
    import stack

    with stack.engine() as (remote, _):
        session = fill.session(remote)
        yield session
        session.stop()


class Machine:
    """The home of a developer, with sessions of two agents' kinds, and an archive."""

    def __init__(self, folder):
        self.folder = folder
        self.home = folder / "home"
        self.archive = folder / "archive"
        self.projects = self.home / ".claude/projects/-srv-shop"
        self.projects.mkdir(parents=True)

    def session(self, number):
        return self.projects / f"{uid(number)}.jsonl"

    def talk(self, number, turns, day=1):
        """Writes a session of some turns; of each, one call fails."""
        lines = [line for turn in range(turns) for line in told(number, turn, day)]
        self.session(number).write_text("".join(lines), encoding="utf-8")

    def run(self, *arguments):
        from verbatim_sessions import program

        env = {**os.environ, "HOME": str(self.home)}
        return subprocess.run([program(), *arguments, "--archive", str(self.archive)], check=True,
                              env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def uid(number):
    return f"5f1e7f1e-2a0b-4a55-8f3e-{number:012x}"


def told(number, turn, day):
    """The lines of a turn: a prompt, an answer with a call, a result, an answer."""
    own = uid(number)

    def line(at, kind, message):
        parent = f"{own}-{turn}-{at - 1}" if at else (f"{own}-{turn - 1}-3" if turn else None)
        return json.dumps({
            "parentUuid": parent, "isSidechain": False, "cwd": "/srv/shop", "sessionId": own,
            "version": "2.1.34", "type": kind, "message": message, "uuid": f"{own}-{turn}-{at}",
            "gitBranch": "main", "timestamp": f"2026-03-{day:02}T10:{turn % 60:02}:0{at}.000Z"}) + "\n"

    def answer(at, content):
        usage = {"input_tokens": 1000 + number, "output_tokens": 50 + turn}
        return line(at, "assistant", {
            "model": "claude-opus-4-5", "id": f"msg_{number}_{turn}_{at}", "type": "message",
            "role": "assistant", "usage": usage, "content": content})

    call = f"call_{number}_{turn}"
    yield line(0, "user", {"role": "user", "content": f"Paint door {turn} of house {number}"})
    command = {"command": f"mysql --password={SECRET} -e 'select {turn}'"}
    yield answer(1, [{"type": "tool_use", "id": call, "name": "Bash", "input": command}])
    result = {"tool_use_id": call, "type": "tool_result", "content": "denied", "is_error": True}
    yield line(2, "user", {"role": "user", "content": [result]})
    yield answer(3, [{"type": "text", "text": "It is painted."}])
