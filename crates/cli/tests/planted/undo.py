"""Everything that a text decodes to, by public decoders: what is left of a secret is found."""

import ast
import base64
import binascii
import bz2
import gzip
import html
import io
import json
import lzma
import quopri
import re
import tarfile
import urllib.parse
import zipfile
import zlib

import unspell

DEPTH = 7
# Whether what programs and tools write is undone too.
SPELT = False
PIECE = 12
MAGIC = re.compile(rb"\x1f\x8b\x08|\x78[\x01\x5e\x9c\xda]|PK\x03\x04|BZh[1-9]|\xfd7zXZ")
COLOUR = re.compile("\x1b\\[[0-9;]*[A-Za-z]")
JOINT = re.compile("[\u200b\u2060\u00ad\0]|[\"']\\s*(?:\\+|\\.|,|\\|\\|)?\\s*[\"']")
RUN = re.compile(r"[A-Za-z0-9+/_-]{12,}")
LONG = re.compile(r"[A-Za-z0-9]{10}")
PREFIX = re.compile(
    r"^(?:\s*\d+(?:\u2192|\t|:| )|[^\s:]+:\d+[:-]|[>+#|\u2502\s]+|[-\dT:.Z]+ \w+ \| )", re.M)
ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([0-7]{3})|"
                    r"(n)|([\"'\\/]))")


def squeezed(text):
    return re.sub("[^A-Za-z0-9]", "", text)


class Sought:
    """The pieces of secrets that must not be anywhere, each with what it is of."""

    def __init__(self):
        self.pieces, self.sizes = {}, set()

    def add(self, secret, of):
        letters = squeezed(secret)
        size = min(PIECE, len(letters))
        self.sizes.add(size)
        for at in range(len(letters) - size + 1):
            self.pieces.setdefault(letters[at:at + size], of)

    def seen(self, text, found):
        letters = squeezed(text)
        for size in self.sizes:
            for at in range(len(letters) - size + 1):
                of = self.pieces.get(letters[at:at + size])
                if of is not None:
                    found.add(of)


def plain(data):
    """Bytes as texts."""
    yield data.replace(b"\0", b"").decode("utf-8", "ignore")


def unpacked(data, depth=0):
    """The bytes of all that is packed anywhere in bytes."""
    yield data
    if depth > 4:
        return
    for match in MAGIC.finditer(data):
        rest, found = data[match.start():], []
        try:
            if rest[:2] == b"PK":
                # The whole archive by its directory, once.
                archive = zipfile.ZipFile(io.BytesIO(rest))
                found = [archive.read(name) for name in archive.namelist()]
            elif rest[:2] == b"\x1f\x8b":
                found = [gzip.decompress(rest)]
            elif rest[:2] == b"BZ":
                found = [bz2.decompress(rest)]
            elif rest[:1] == b"\xfd":
                found = [lzma.decompress(rest)]
            else:
                found = [zlib.decompressobj().decompress(rest)]
        except (OSError, EOFError, zlib.error, zipfile.BadZipFile, lzma.LZMAError, ValueError,
                NotImplementedError, RuntimeError):
            continue
        for inner in found:
            yield from unpacked(inner, depth + 1)


def bytes_of(text):
    """The bytes that a text may spell."""
    bare = JOINT.sub("", text)
    for source in {text, bare, re.sub(r"\s", "", text), re.sub(r"\s", "", PREFIX.sub("", text))}:
        for run in RUN.findall(source):
            digits = run.replace("-", "+").replace("_", "/")
            for cut in range(2):
                body = digits[:len(digits) - cut]
                try:
                    yield base64.b64decode(body + "=" * (-len(body) % 4))
                    break
                except binascii.Error:
                    continue
            if re.fullmatch("[0-9a-fA-F]+", run):
                yield bytes.fromhex(run[:len(run) // 2 * 2])
        for run in re.findall(r"[A-Z2-7]{16,}=*", source):
            try:
                yield base64.b32decode(run + "=" * (-len(run) % 8))
            except binascii.Error:
                continue
    for literal in re.finditer(r"b'(?:[^'\\]|\\.)*'|b\"(?:[^\"\\]|\\.)*\"", text):
        try:
            yield ast.literal_eval(literal.group())
        except (SyntaxError, ValueError):
            continue
    yield dumped(text)
    pairs = re.findall(r"(?:\b|0x|\\x)([0-9a-fA-F]{2})\b", text)
    if len(pairs) > 7:
        yield bytes.fromhex("".join(pairs))
    numbers = [int(word) for word in re.findall(r"\b\d{1,3}\b", text)]
    if len(numbers) > 7:
        yield bytes(number for number in numbers if number < 256)


def dumped(text):
    """The bytes of the lines of a dump."""
    out = b""
    for line in text.split("\n"):
        # A dump may be indented, or begin behind the command that made it.
        head = re.search(r"(?:^|(?<=\s))(?:[0-9a-f]{8}(: |  )|[0-7]{7} )", line)
        if head:
            # The letters beside the digits begin at a fixed column.
            end = head.start() + {": ": 49, "  ": 59}.get(head.group(1), 99)
            digits = "".join(re.findall("[0-9a-f]{2}", line[head.end():end]))
            out += bytes.fromhex(digits)
    return out


def unescaped(match):
    brace, four, two, octal, line, other = match.groups()
    for digits, base in [(brace, 16), (four, 16), (two, 16), (octal, 8)]:
        if digits:
            point = int(digits, base)
            return chr(point) if point < 0x110000 else ""
    return "\n" if line else other


def leaves(value, out, name=None):
    """The strings, names and numbers of a value, and the strings of each list and name as one."""
    if isinstance(value, str):
        out.append((name, value))
    elif isinstance(value, list):
        if value and all(isinstance(item, int) and 0 <= item < 256 for item in value):
            out.extend((None, text) for text in plain(bytes(value)))
        for item in value:
            leaves(item, out, name)
    elif isinstance(value, dict):
        if len(value) > 7 and all(
                name.isdigit() and isinstance(item, int) and 0 <= item < 256
                for name, item in value.items()):
            out.extend((None, text) for text in plain(bytes(value.values())))
        for name, item in value.items():
            out.append((None, name))
            leaves(item, out, name)
    elif not isinstance(value, bool) and value is not None:
        out.append((None, str(value)))


def views(text, first=False):
    """The texts that a text decodes to in one step; of the first ones, in more ways."""
    if text[:1] in "{[\"" and text[:1]:
        try:
            out = []
            leaves(json.loads(text), out)
            for _, inner in out:
                yield inner
        except ValueError:
            pass
    for data in bytes_of(text):
        for inner in unpacked(data):
            yield from plain(inner)
    if "%" in text:
        yield urllib.parse.unquote_plus(text)
    if "&" in text or "<" in text:
        yield html.unescape(text)
        yield html.unescape(re.sub("<[^>]*>", "", text))
    if "=" in text:
        yield quopri.decodestring(text.encode("utf-8", "replace")).decode("utf-8", "ignore")
    if "\\" in text:
        yield ESCAPE.sub(unescaped, text.replace("\\\n", ""))
    if "\x1b" in text:
        yield COLOUR.sub("", text)
    if SPELT and first:
        yield from unspell.spelled(text)
    if "\n" in text:
        yield "\n".join(PREFIX.sub("", line) for line in text.split("\n"))


def look(text, sought, found, depth=DEPTH, known=None):
    """Adds to `found` what a text, or anything that it decodes to, has of the sought pieces."""
    known = set() if known is None else known
    if text in known or len(known) > 3000:
        return
    known.add(text)
    sought.seen(text, found)
    if depth:
        for inner in views(text, depth > DEPTH - 3):
            if len(inner) > 4 and inner != text:
                look(inner, sought, found, depth - 1, known)


def document(text, sought):
    """What is left in a document: a session's file, a record, a page."""
    found, streams = set(), {}
    try:
        values = [json.loads(text)]
    except ValueError:
        values = []
        for line in text.split("\n"):
            try:
                values.append(json.loads(line))
            except ValueError:
                look(line, sought, found)
        if not any(isinstance(value, dict) for value in values):
            page(text, sought, found)
    for value in values:
        out, blocks = [], {}
        leaves(value, out)
        for name, inner in out:
            look(inner, sought, found)
            if name:
                blocks.setdefault(name, []).append(inner)
        for name, parts in blocks.items():
            if 1 < len(parts) < 9:
                look("".join(parts), sought, found)
            streams.setdefault(name, []).extend(parts)
    for name in ("chunk", "delta", "text_delta"):
        parts = streams.get(name, [])
        sought.seen("".join(parts), found)
        data = []
        for part in parts:
            try:
                data.append(base64.b64decode(part, validate=True))
            except ValueError:
                pass
        sought.seen(b"".join(data).decode("utf-8", "ignore"), found)
    return found


def page(text, sought, found):
    """A page, or Markdown: each paragraph, without tags."""
    bare = html.unescape(re.sub("<[^>]*>", "", text))
    for part in re.split(r"\n\s*\n", bare) + re.findall(r"<(?:pre|p|td)[^>]*>(.*?)</", text, re.S):
        look(html.unescape(re.sub("<[^>]*>", "", part)), sought, found)
