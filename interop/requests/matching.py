"""Compares what a real agent sent of its session with the items that another agent would send of
the session that was written for it. White space is not compared.

- A text of the request must be a text of the same side. One text may be several ones there, or
  whole lines of a longer one.
- Of an item that the agent words by itself (`core`), what stands in its session must be there.
- A call must have all values of the arguments; their names are those of the other agent's tool.
- A result must be at its call, with its whole text; a picture must have the same bytes.
- Texts, pictures and calls must be in the same order. The results are at their calls. What the agent
  was told by others (`TOLD`) must stand between the same answers and calls: agents put it in front
  of the prompt with which it was sent, or behind it.
- No answer is there twice. Answers, calls and results that the agent left out of its request may be
  there: it shortens what is compacted by its provider, unanswered or without a place in its tree.
"""
import bisect
import collections
import json
import re

# Names of recorded items that were told: by a hook, a skill, a file, a command.
TOLD = ("skill", "hook", "notification", "attachment", "memory, nested", "file changed",
        "by hand (!)", "interruption", "sub-agent's report", "developer's text", "local command",
        "picture's source", "reminder", "goal")


def squeezed(text):
    return "".join((text or "").split())


def side(item):
    return "model" if item["role"] in ("assistant", "model") else "user"


def summaries(request):
    """The numbers of OpenCode's answers to its own demand for a summary: told by either side."""
    items = request["items"]
    return {after["n"] for before, after in zip(items, items[1:])
            if (before.get("text") or "").strip() == "What did we do so far?"}


def wanted(request):
    """The items of the conversation: those that the agent does not add by itself."""
    kinds = ("text", "call", "result", "image")
    return [item for item in request["items"]
            if not item.get("own") and item["kind"] in kinds
            and (item["kind"] == "image" or item["length"])]


def head(item):
    return re.sub(r"\s+", " ", item.get("text") or item.get("sha256") or "")[:90]


class Tape:
    """The texts of one side, one behind the other without white space, and where lines begin."""

    def __init__(self, items):
        self.text, self.starts, self.numbers = "", [], []
        self.edges, self.taken = {0}, []
        for number, item in items:
            self.starts.append(len(self.text))
            self.numbers.append(number)
            for line in item["text"].split("\n"):
                self.text += squeezed(line)
                self.edges.add(len(self.text))

    def is_free(self, start, end):
        return not any(start < to and since < end for since, to in self.taken)

    def places(self, words):
        """Where these words stand as whole lines, of one text or of several in a row."""
        start = self.text.find(words)
        while start >= 0:
            if start in self.edges and start + len(words) in self.edges:
                yield start
            start = self.text.find(words, start + 1)

    def find(self, words, behind):
        """The first free place behind another one; otherwise the first free one."""
        free = [at for at in self.places(words) if self.is_free(at, at + len(words))]
        start = next((at for at in free if at >= behind), free[0] if free else None)
        if start is not None:
            self.taken.append((start, start + len(words)))
        return start

    def numbers_of(self, start, length):
        first = bisect.bisect_right(self.starts, start) - 1
        last = bisect.bisect_left(self.starts, start + length)
        return self.numbers[first:max(last, first + 1)]

    def start(self, number):
        """Where the first text begins that is this item or a later one."""
        at = bisect.bisect_left(self.numbers, number)
        return self.starts[at] if at < len(self.starts) else len(self.text)

    def place(self, start):
        at = bisect.bisect_right(self.starts, start) - 1
        return (self.numbers[at], start - self.starts[at])


class Comparison:
    """The result: what is missing, changed, moved or too many; `there` counts the rest."""

    def __init__(self, request, have):
        self.have = have
        self.missing, self.changed, self.moved, self.misplaced = [], [], [], []
        self.there, self.places, self.used, self.ids = [], [], set(), {}
        self.wanted = wanted(request)
        self.summaries = summaries(request)
        said = [(n, one) for n, one in enumerate(have) if one["kind"] == "text"]
        self.tapes = {name: Tape([pair for pair in said if pair[1]["side"] == name])
                      for name in ("user", "model")}
        self.behind = {"user": 0, "model": 0}
        self.calls = [n for n, one in enumerate(have) if one["kind"] == "call"]
        self.next_call, self.last_act = 0, -1
        self.exact = self.exact_texts()
        for item in self.wanted:
            getattr(self, item["kind"])(item)
        self.moved = self.out_of_order()
        self.besides = [one for number, one in enumerate(have) if self.is_besides(number, one)]
        self.twice = self.repeated(request)

    def is_whole(self):
        faults = (self.missing, self.changed, self.moved, self.misplaced, self.twice)
        return not any(faults)

    def arrived(self, item, place):
        self.there.append(item)
        if place is not None:
            self.places.append((place, item))
        if place is not None and side(item) == "model":
            self.last_act = place[0]

    def exact_texts(self):
        """Equal texts first, so that a short one does not take a line of a longer one."""
        found, last, equal = {}, {"user": -1, "model": -1}, collections.defaultdict(list)
        for number, one in enumerate(self.have):
            if one["kind"] == "text":
                equal[one["side"], squeezed(one["text"])].append(number)
        for item in self.wanted:
            own, words = side(item), squeezed(item.get("text"))
            free = equal.get((own, words)) if item["kind"] == "text" else None
            if not free:
                continue
            number = next((n for n in free if n > last[own]), free[0])
            free.remove(number)
            last[own] = max(last[own], number)
            self.used.add(number)
            found[item["n"]] = number
            start = self.tapes[own].start(number)
            self.tapes[own].taken.append((start, start + len(words)))
        return found

    def text(self, item):
        words, own = squeezed(item["text"]), side(item)
        tape = self.tapes[own]
        if item["n"] in self.exact:
            number = self.exact[item["n"]]
            self.behind[own] = tape.start(number) + len(words)
            return self.arrived(item, (number, 0))
        start = tape.find(words, self.behind[own]) if words else None
        if start is not None:
            self.used.update(tape.numbers_of(start, len(words)))
            self.behind[own] = start + len(words)
            return self.arrived(item, tape.place(start))
        place = self.core(item, tape)
        if place is None and item["n"] in self.summaries and own == "model":
            return self.text({**item, "role": "user"})
        if place is None:
            return self.missing.append(item)
        return self.arrived(item, place)

    def core(self, item, tape):
        """The place of the first of the strings that must be there, if all of them are: behind the
        answer or call before it if it is there too, otherwise the last place before that."""
        places, behind = [], tape.start(self.last_act + 1)
        for words in map(squeezed, item.get("core") or []):
            found = [at for at in occurrences(tape.text, words)
                     if tape.is_free(at, at + len(words))]
            if not found:
                return None
            start = next((at for at in found if at >= behind), found[-1])
            tape.taken.append((start, start + len(words)))
            self.used.update(tape.numbers_of(start, len(words)))
            places.append(start)
        return tape.place(places[0]) if places else None

    def image(self, item):
        call = self.ids.get(item.get("of"))
        for number, one in enumerate(self.have):
            if one["kind"] == "image" and one["digest"] == item["sha256"] \
                    and number not in self.used and (not item.get("of") or one["id"] == call):
                self.used.add(number)
                return self.arrived(item, None if item.get("of") else (number, 0))
        return self.missing.append(item)

    def call(self, item):
        best, number = 0, None
        order = self.calls[self.next_call:] + self.calls[:self.next_call]
        own = [n for n in order if self.have[n]["id"] == item.get("id")]
        for at in own or order:
            share = share_of_values(item, self.have[at]) if at not in self.used else 0
            if share > best:
                best, number = share, at
            if best == 1:
                break
        if best < 0.5:
            return self.missing.append(item)
        self.used.add(number)
        self.next_call = self.calls.index(number) + 1
        self.ids[item.get("id")] = self.have[number]["id"]
        if best < 1:
            return self.changed.append(item)
        return self.arrived(item, (number, 0))

    def result(self, item):
        if not item.get("id"):
            return self.text(item)  # A text that the agent sends as the result of no call.
        call, words = self.ids.get(item.get("id")), squeezed(item["text"])
        results = [(n, one) for n, one in enumerate(self.have) if one["kind"] == "result"]
        own = [pair for pair in results if call is not None and pair[1]["id"] == call]
        told = squeezed("".join(one["text"] for _, one in own))
        if words in told or has_all(told, item.get("core")):
            self.used.update(n for n, _ in own)
            return self.arrived(item, None)
        elsewhere = any(words == squeezed(one["text"]) for _, one in results)
        if elsewhere and len(words) > 20:
            return self.misplaced.append(item)
        if own:
            self.used.update(n for n, _ in own)
            return self.changed.append(item)
        return self.missing.append(item)

    def out_of_order(self):
        """What is not in the request's order: what was said and done, then what was told."""
        said = [(place, item) for place, item in self.places if item.get("what") not in TOLD]
        moved = outside_of_run(said)
        gone = {item["n"] for item in moved}
        acts = [(item, place) for place, item in said
                if item["n"] not in gone and side(item) == "model"]
        numbers = [item["n"] for item, _ in acts]
        for place, item in self.places:
            if item.get("what") in TOLD:
                at = bisect.bisect_left(numbers, item["n"])
                is_behind = at == 0 or first_of_message(acts, at - 1) < place
                is_before = at == len(acts) or place < acts[at][1]
                moved += [] if is_behind and is_before else [item]
        return moved

    def is_besides(self, number, one):
        """Whether it is an answer, a call or a result that no item of the request was found in."""
        if number in self.used or one["kind"] not in ("text", "call", "result"):
            return False
        if one["kind"] == "text":
            return one["side"] == "model" and squeezed(one["text"]) != ""
        # A call without a result gets one that says so: providers refuse it otherwise.
        return one["kind"] == "call" or one["id"] not in self.ids.values()

    def repeated(self, request):
        """Answers that are there once more. Before a sealed summary all stands that it replaced."""
        if any(item["kind"] == "sealed" for item in request["items"]):
            return []
        said = {squeezed(item["text"]) for item in self.wanted if what_side(item) == "text model"}
        return [one for one in self.besides
                if one["kind"] == "text" and squeezed(one["text"]) in said]


def first_of_message(acts, at):
    """Where the first of the calls stands that were made together."""
    message = acts[at][0]["at"].rsplit(".", 1)[0]
    while at > 0 and acts[at - 1][0]["at"].rsplit(".", 1)[0] == message:
        at -= 1
    return acts[at][1]


def outside_of_run(places):
    """The items outside of the longest run whose places ascend."""
    tails, behind, kept = [], {}, set()
    for at, (place, _) in enumerate(places):
        spot = bisect.bisect_right([places[tail][0] for tail in tails], place)
        behind[at] = tails[spot - 1] if spot else None
        tails[spot:spot + 1] = [at]
    at = tails[-1] if tails else None
    while at is not None:
        kept.add(at)
        at = behind[at]
    return [item for at, (_, item) in enumerate(places) if at not in kept]


def what_side(item):
    return f"{item['kind']} {side(item)}"


def occurrences(text, words):
    start = text.find(words) if words else -1
    while start >= 0:
        yield start
        start = text.find(words, start + 1)


def has_all(text, core):
    return bool(core) and all(squeezed(words) in text for words in core)


def values(text):
    """The values of a call's arguments, of their JSON."""
    try:
        value = json.loads(text)
    except ValueError:
        return [text]
    found, open_values = [], [value]
    while open_values:
        one = open_values.pop(0)
        if isinstance(one, dict):
            open_values[:0] = list(one.values())
        elif isinstance(one, list):
            open_values[:0] = one
        elif one is not None:
            found.append(one if isinstance(one, str) else json.dumps(one))
    return found


def share_of_values(item, call):
    """The share of the characters of a call's values that the other call has."""
    own = [squeezed(value) for value in values(item["text"])]
    other = squeezed("".join(call["values"]))
    total = sum(map(len, own))
    if not total:
        return 1
    return sum(len(value) for value in own if value in other) / total
