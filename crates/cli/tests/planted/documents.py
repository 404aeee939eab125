"""Plants made secrets in random JSON documents, and looks for them in what is redacted.

    python3 documents.py VERBATIM FOLDER COUNT [SEED]

Each document is the result of a tool in a session of Claude Code: objects and lists by chance, with
one to five secrets (of letters and digits) as values, within longer texts or as names, as they are
or in one of six encodings. In the redacted session each line must be JSON of the same shape, with
each number as it was, and no secret may be left in any of the encodings that is found as a plain
text. No code or expectation is shared with the program. Prints what is wrong, and exits with 1 if
anything is.
"""

import base64
import json
import os
import random
import sys
import urllib.parse

import judge
import wrap

WORDS = "the build ran twice and three files were written before lunch by a worker on port".split()
NAMES = "path state items note count label owner size when detail step result".split()


def aligned(text):
    """The digits of Base64 that a text has at each alignment."""
    data = text.encode()
    for shift in range(3):
        digits = base64.b64encode(b"x" * shift + data).decode().rstrip("=")
        yield digits[-(-shift * 8 // 6):(shift + len(data)) * 8 // 6]


ENCODINGS = [
    lambda text: text,
    lambda text: json.dumps({"inner": text}),
    lambda text: "".join(f"\\u{ord(letter):04x}" for letter in text),
    lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    lambda text: base64.b64encode(text.encode()).decode(),
    lambda text: text.encode().hex(),
]


def forms(secret):
    """What a secret is in each of the encodings, without the space around it."""
    yield secret
    for encode in ENCODINGS[2:4] + ENCODINGS[5:]:
        yield encode(secret)
    yield from aligned(secret)


def value(chance, depth=0):
    """A value by chance."""
    kind = chance.randrange(8 if depth < 4 else 5)
    if kind == 0:
        return chance.choice([True, False, None])
    if kind < 3:
        return chance.choice([chance.randrange(10**9), chance.random(), -3, 12.50])
    if kind < 5:
        return " ".join(chance.choices(WORDS, k=chance.randrange(1, 12)))
    if kind == 5:
        return [value(chance, depth + 1) for _ in range(chance.randrange(5))]
    names = chance.sample(NAMES, chance.randrange(1, 6))
    return {name: value(chance, depth + 1) for name in names}


def objects(of):
    """All objects in a value."""
    if isinstance(of, dict):
        yield of
    inner = of.values() if isinstance(of, dict) else of if isinstance(of, list) else []
    for one in inner:
        yield from objects(one)


def with_digits(chance, kinds):
    """A text and its secrets, each with a digit: one of letters alone may be a word."""
    while True:
        text, own = chance.choice(kinds).made(chance)
        if all(any(letter.isdigit() for letter in secret) for secret in own):
            return text, own


def document(chance, kinds):
    """A document, and its secrets, each in its text."""
    made, secrets = {name: value(chance) for name in chance.sample(NAMES, 4)}, []
    for _ in range(chance.randrange(1, 6)):
        text, own = with_digits(chance, kinds)
        secrets.append((text, own))
        encode, place = chance.choice(ENCODINGS), chance.randrange(4)
        inner = chance.choice(list(objects(made)))
        name = chance.choice(NAMES) + str(chance.randrange(99))
        if place == 0:
            inner[encode(text)] = 1
        elif place == 1:
            inner[name] = ["see", encode(text) + " ", "behind"]
        else:
            inner[name] = encode(text)
    return made, secrets


def shape(of):
    """The shape of a value: its texts and names count as such, numbers as they are."""
    if isinstance(of, dict):
        return [shape(one) for one in of.values()]
    if isinstance(of, list):
        return tuple(shape(one) for one in of)
    return "text" if isinstance(of, str) else of


def session(documents):
    """The lines of a session that has the documents."""
    first = {"parentUuid": None, "isSidechain": False, "userType": "external", "cwd": "/w",
             "sessionId": judge.SID, "version": "2.1.81", "gitBranch": "main", "type": "user",
             "message": {"role": "user", "content": "look"}, "uuid": "u", "timestamp": ""}
    for at, (made, _) in enumerate(documents):
        block = {"type": "tool_result", "tool_use_id": f"toolu_{at}", "content": "done"}
        yield {**first, "uuid": f"a0000000-0000-4000-8000-{at:012}", "toolUseResult": made,
               "timestamp": f"2026-03-01T{at // 3600 % 24:02}:{at // 60 % 60:02}:{at % 60:02}.000Z",
               "message": {"role": "user", "content": [block]}}


def plainly(documents):
    """The lines of a session that has the texts as they are, a prompt each."""
    texts = [text for _, secrets in documents for text, _ in secrets]
    for line, text in zip(session([({}, [])] * len(texts)), texts):
        yield {**line, "toolUseResult": {}, "message": {"role": "user", "content": text}}


def redacted(run, name, lines):
    """The lines of a session, redacted."""
    path = f"{run.folder}/{name}/{judge.SID}.jsonl"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    run("redact", path, "-o", f"{run.folder}/{name}.jsonl", "--force")
    with open(f"{run.folder}/{name}.jsonl", encoding="utf-8") as file:
        return file.read().splitlines()


def main():
    program, folder, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    run = judge.Run(os.path.abspath(program), os.path.abspath(folder))
    kinds = [kind for kind in wrap.kinds() if kind.group != "person"]
    wrong = planted = unknown = 0
    for begin in range(0, count, 1000):
        chance = random.Random(seed * count + begin)
        all_made = [document(chance, kinds) for _ in range(min(1000, count - begin))]
        lines = list(session(all_made))
        texts = redacted(run, "documents", lines)
        # By chance a secret has a word that a rule takes for a sign of none, or is one for a test.
        plain = iter(redacted(run, "plain", list(plainly(all_made))))
        if len(texts) != len(lines):
            print(f"{begin}: {len(texts)} lines, not {len(lines)}")
            wrong += 1
        for at, (line, text) in enumerate(zip(lines, texts)):
            if shape(json.loads(text)) != shape(line):
                print(f"document {begin + at}: another shape")
                wrong += 1
            for (_, secrets), known in zip(all_made[at][1], plain):
                planted += 1
                left = [one for one in secrets if any(form in text for form in forms(one))]
                if left and any(one in json.loads(known)["message"]["content"] for one in left):
                    unknown += 1
                elif left:
                    print(f"document {begin + at}: a secret is left")
                    wrong += 1
    print(f"{count} documents, {planted} secrets, {wrong} wrong, {unknown} not found plainly either")
    # More than by chance: then the plain texts are no measure.
    if unknown * 1000 > planted:
        print("too many are not found as plain texts")
        wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
