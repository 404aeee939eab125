"""The prompts of a request, read from the request alone, and those that `show` and `list` have.

A prompt is what a person typed: a message, a message while a tool ran, a custom command with its
arguments. What a custom command stands for is a part of that prompt. What the agent was told by
others (a skill, a hook, a notification, an attached file) is never a prompt, a title or a turn.
"""
import json

from matching import TOLD, side, squeezed

TYPED = ("prompt", "slash command", "queued prompt")
SUMMARIES = ("<summary>", "<state_snapshot>")


class Prompt:
    """A prompt of a request: the words that it must have, in their order."""

    def __init__(self, item, words):
        self.n, self.text, self.what = item["n"], item["text"], item.get("what")
        self.message, self.words = message(item), [squeezed(one) for one in words if squeezed(one)]
        # What a command stands for: it may be an event beside that of the person's words.
        self.expansion = ""

    def add(self, item):
        self.words.append(squeezed(item["text"]))


def message(item):
    """The message of an item. Claude Code and Gemini CLI send several records as one message."""
    return item["at"].rsplit(".", 1)[0]


def is_merged(request):
    return request["protocol"] in ("anthropic", "gemini")


def typed(request):
    """The prompts of a request."""
    items = [item for item in request["items"]
             if not item.get("own") and item["kind"] == "text" and side(item) == "user"]
    one_by_one = is_merged(request)
    found = []
    for at, item in enumerate(items):
        what, text = item.get("what"), item["text"] or ""
        after = items[at + 1].get("what") if at + 1 < len(items) else None
        if what == "slash command's text":
            if found and found[-1].what == "slash command":
                found[-1].expansion = squeezed(text)
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


def live_words(document):
    return [Shown(event).words for event in document["events"] if event["live"]]


def compared(request, prompts, live):
    """The faults of the live prompts of `show`: missing, in another order, or told. `live` are the
    words of all live events."""
    faults, there, wanted = [], [], typed(request)
    one_by_one = is_merged(request)
    for prompt in prompts:
        at = 0
        place = in_order(wanted[0].words, prompt.words, 0) if wanted else None
        if place is None:
            equal = [n for n, one in enumerate(wanted) if "".join(one.words) == prompt.words]
            at = equal[0] if equal else 0
            place = len(prompt.words) if equal else None
        faults += [("not shown as a prompt", as_item(one.text)) for one in wanted[:at]]
        wanted = wanted[at:]
        taken = []
        while wanted and place is not None:
            taken.append(wanted.pop(0))
            # Several texts of one record are one prompt.
            fuses = wanted and one_by_one
            place = in_order(wanted[0].words, prompt.words, place) if fuses else None
        there += [as_item(one.text) for one in taken]
        faults += told_in(request, prompt, taken)
        faults += [("what the command stands for is not shown", as_item(one.text))
                   for one in taken if not any(one.expansion in words for words in live)]
    return there, faults + [("not shown as a prompt", as_item(one.text)) for one in wanted]


def told_in(request, prompt, taken):
    """What was told and stands in a prompt. An attachment may be in the message of its prompt."""
    same = set() if request["protocol"] == "anthropic" else {one.message for one in taken}
    own = [word for one in taken for word in one.words]
    faults = []
    for item in told(request):
        texts = [squeezed(text) for text in [item["text"], *(item.get("core") or [])]]
        found = [text for text in texts if len(text) > 12 and text in prompt.words]
        is_all = not taken and any(prompt.words in text for text in texts)
        if message(item) in same or all(any(text in word for word in own) for text in found):
            found = []
        if found or is_all:
            faults.append(("a prompt that was told", item))
    return faults


def in_order(words, text, at):
    for word in words:
        place = text.find(word, at)
        if place < 0:
            return None
        at = place + len(word)
    return at


def as_item(text):
    return {"kind": "text", "what": "prompt", "text": text}


def titles(request, entry, prompts, alone):
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
        own = next((one for one in typed(request) if in_order(one.words, first.words, 0)), None)
        typed_first = "".join(own.words) + own.expansion if own else first.words
        if not words or words[:60] not in first.words and words[:60] not in typed_first:
            faults.append(("the first prompt of the list is another", as_item(entry.get("prompt"))))
    if alone and entry["turns"] < len(live):
        faults.append((f"{entry['turns']} turns in the list of {len(live)}", as_item("")))
    return faults


def judged(request, file, run):
    """What `show` and `list` say of a session: the prompts that are there, and the faults."""
    done = run(["show", str(file), "--json"])
    if done.returncode != 0:
        return [], [("show refuses it", as_item(done.stderr.decode("utf-8", "replace")))]
    document = json.loads(done.stdout)
    prompts = shown(document)
    live = [prompt for prompt in prompts if prompt.live]
    there, faults = compared(request, live, live_words(document))
    done = run(["list", str(file), "--json", "--turns"])
    sessions = json.loads(done.stdout)["sessions"] if done.returncode == 0 else []
    if len(sessions) != 1:
        return there, [*faults, (f"{len(sessions)} sessions in the list", as_item(""))]
    # A fork lists the turns of its own file; `show` has those of the file before it too.
    alone = len(document["session"]["members"]) == 1
    return there, faults + titles(request, sessions[0], prompts, alone)
