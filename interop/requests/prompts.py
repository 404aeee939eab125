"""The prompts of a request, read from the request alone, and those that `show` and `list` have.

A prompt is what a person typed: a message, a message while a tool ran, a custom command with its
arguments. What a custom command stands for is a part of that prompt. What the agent was told by
others (a skill, a hook, a notification, an attached file) is never a prompt, a title or a turn.
"""
import json

from matching import side, squeezed

TYPED = ("prompt", "slash command", "queued prompt")
# Names of the recorded items that were told. An attachment may stand in the message of its prompt.
TOLD = ("skill", "hook", "notification", "attachment", "memory, nested", "file changed",
        "by hand (!)", "interruption", "sub-agent's report", "developer's text", "local command",
        "picture's source", "reminder", "goal")
SUMMARIES = ("<summary>", "<state_snapshot>")


class Prompt:
    """A prompt of a request: the words that it must have, in their order."""

    def __init__(self, item, words):
        self.n, self.text, self.what = item["n"], item["text"], item.get("what")
        self.message, self.words = message(item), [squeezed(one) for one in words if squeezed(one)]

    def add(self, item):
        self.words.append(squeezed(item["text"]))


def message(item):
    """The message of an item. Claude Code sends several records as one message."""
    return item["at"].rsplit(".", 1)[0]


def typed(request):
    """The prompts of a request."""
    items = [item for item in request["items"]
             if not item.get("own") and item["kind"] == "text" and side(item) == "user"]
    one_by_one = request["protocol"] == "anthropic"
    found = []
    for at, item in enumerate(items):
        what, text = item.get("what"), item["text"] or ""
        after = items[at + 1].get("what") if at + 1 < len(items) else None
        if what == "slash command's text":
            if found and found[-1].what == "slash command":
                found[-1].add(item)
            continue
        if what not in TYPED or text.lstrip().startswith(SUMMARIES) or not text.strip():
            continue
        # A command of the agent's own screen stands for no text.
        if what == "slash command" and after not in ("slash command's text", "skill"):
            continue
        words = item["core"] if what != "prompt" and item.get("core") else [text]
        if found and what == "prompt" and not one_by_one and found[-1].message == message(item):
            found[-1].add(item)
        else:
            found.append(Prompt(item, words))
    return found


def told(request):
    return [item for item in request["items"]
            if not item.get("own") and item["kind"] == "text" and item.get("what") in TOLD]


class Shown:
    """A prompt of `show --json`."""

    def __init__(self, event):
        self.live, self.number = event["live"], event["event"]
        texts = [text for field in event.get("fields", []) if field.get("slot") == "content"
                 for text in content(field["value"])]
        self.text = "\n".join(texts)
        self.words = squeezed(self.text)


def content(value):
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for one in value for text in content(one)]
    if isinstance(value, dict):
        return [value["text"]] if isinstance(value.get("text"), str) else []
    return []


def shown(document):
    prompts = [Shown(event) for event in document["events"]
               if event["part"] == "prompt" and event["stream"] == "main"]
    return [prompt for prompt in prompts if prompt.words]


def compared(request, prompts):
    """The faults of the live prompts of `show`: missing, changed, in another order, too many."""
    faults, there, next_one = [], [], 0
    wanted = typed(request)
    for prompt in prompts:
        taken, at = [], 0
        while next_one < len(wanted):
            place = in_order(wanted[next_one].words, prompt.words, at)
            # Several texts of one record of Claude Code are one prompt.
            fuses = not taken or request["protocol"] == "anthropic"
            if place is None or not fuses:
                break
            at = place
            taken.append(wanted[next_one])
            next_one += 1
        if not taken:
            faults.append(("a prompt that nobody typed", as_item(prompt.text)))
            continue
        there += [as_item(one.text) for one in taken]
        same = {one.message for one in taken} if request["protocol"] != "anthropic" else set()
        for item in told(request):
            words = squeezed(item["text"])
            apart = message(item) not in same and item.get("what") != "slash command"
            if apart and len(words) > 20 and words in prompt.words \
                    and not any(words in word for one in taken for word in one.words):
                faults.append(("a prompt has a text that was told", item))
    for one in wanted[next_one:]:
        faults.append(("not shown as a prompt", as_item(one.text)))
    return there, faults


def in_order(words, text, at):
    for word in words:
        place = text.find(word, at)
        if place < 0:
            return None
        at = place + len(word)
    return at


def as_item(text):
    return {"kind": "text", "what": "prompt", "text": text}


def titles(request, entry, prompts):
    """The faults of a session's title, first prompt and number of turns in `list --json`."""
    faults = []
    items = told(request)
    typed_words = [word for one in typed(request) for word in one.words]
    for name in ("title", "prompt"):
        words = squeezed((entry.get(name) or "").rstrip("….")).rstrip("…")
        if len(words) < 8 or any(word.startswith(words) for word in typed_words):
            continue
        for item in items:
            if words in squeezed(item["text"]):
                faults.append((f"the {name} of the list was told", item))
                break
    live = [prompt for prompt in prompts if prompt.live]
    if live and len(live) == len(prompts):
        first, words = live[0], squeezed(entry.get("prompt") or "").rstrip("….")
        if not words or not first.words.startswith(words[:60]) and words[:60] not in first.words:
            faults.append(("the first prompt of the list is another", as_item(entry.get("prompt"))))
    if entry.get("turns") is not None and entry["turns"] < len(live):
        faults.append((f"{entry['turns']} turns in the list of {len(live)}", as_item("")))
    return faults


def judged(request, file, run):
    """What `show` and `list` say of a session: the prompts that are there, and the faults."""
    done = run(["show", str(file), "--json"])
    if done.returncode != 0:
        return [], [("show refuses it", as_item(done.stderr.decode("utf-8", "replace")))]
    prompts = shown(json.loads(done.stdout))
    there, faults = compared(request, [prompt for prompt in prompts if prompt.live])
    done = run(["list", str(file), "--json", "--turns"])
    sessions = json.loads(done.stdout)["sessions"] if done.returncode == 0 else []
    if len(sessions) != 1:
        return there, [*faults, (f"{len(sessions)} sessions in the list", as_item(""))]
    return there, faults + titles(request, sessions[0], prompts)
