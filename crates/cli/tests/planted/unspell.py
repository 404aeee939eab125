"""Decoders of what programs, shells, tools and files of settings write, by public means."""

import base64
import binascii
import email.header
import html
import re
import unicodedata
import zlib

# A position, and what is behind it: octal, decimal or hexadecimal digits, or letters.
PLACED = re.compile(r"^(?:\s*\d+\u2192|[>\s]*)?\u2502?([0-9a-f]{4,10})(:|\u2502|\s)\s*(.*?)\s*$")


def placed(text):
    """The bytes of a dump in each of the forms that its numbers may have."""
    lines = [PLACED.match(line) for line in text.split("\n")]
    lines = [line.groups() for line in lines if line]
    if not lines:
        return
    for form in (hexadecimal, little, octal, octal_words, decimal, binary, letters, shown):
        out = b""
        for _, mark, units in lines:
            # The letters are behind the digits: a bar, or two spaces.
            end = re.search(r"\u2502(?!\u250a)|\|", units) if mark != ":" else None
            units = units[:end.start()] if end else units
            try:
                out += form(re.split("  +", units)[0] if mark == ":" and form not in (
                    letters, shown) else units)
            except (ValueError, OverflowError):
                continue
        if len(out) > 7:
            yield out


def units_of(text, digits, size):
    found = []
    for unit in text.replace("\u250a", " ").split():
        if not re.fullmatch(f"[{digits}]{{{size}}}", unit):
            break
        found.append(unit)
    return found


def hexadecimal(text):
    return bytes.fromhex("".join(units_of(text, "0-9a-f", "2,8")))


def little(text):
    return b"".join(bytes.fromhex(unit)[::-1] for unit in units_of(text, "0-9a-f", "2,8"))


def octal(text):
    return bytes(int(unit, 8) for unit in units_of(text, "0-7", "3"))


def octal_words(text):
    return b"".join(int(unit, 8).to_bytes(2, "little") for unit in units_of(text, "0-7", "6"))


def decimal(text):
    return bytes(int(unit) for unit in units_of(text, "0-9", "1,3"))


def binary(text):
    return bytes(int(unit, 2) for unit in units_of(text, "01", "8"))


def letters(text):
    """Three columns for each letter, and one between them."""
    names = {"\\n": 10, "\\t": 9, "\\r": 13, "\\0": 0}
    out = []
    for unit in re.findall(r" {0,3}(\\.|[0-7]{3}|\S| )(?= |$)", text):
        out.append(names[unit] if unit in names else int(unit, 8) if len(unit) == 3
                   else ord(unit[-1]))
    return bytes(out)


def shown(text):
    return text.encode()


def spelled_bytes(text):
    """The bytes that a text may spell."""
    yield from placed(text)
    for pattern, base in [(r"\b0b([01]{8})\b", 2), (r"(?<![\w])([01]{8})\b", 2),
                          (r"\b0o([0-7]{1,3})\b", 8), (r"(?<![\w\\])([0-3][0-7]{2})\b", 8),
                          (r"\b(\d{1,3})u8\b", 10), (r"\b0x([0-9a-fA-F]{1,2})(?:u8)?\b", 16)]:
        numbers = [int(word, base) for word in re.findall(pattern, text)]
        if len(numbers) > 7:
            yield bytes(number for number in numbers if number < 256)
    for run in re.findall(r"[A-Z2-7]{16,}|[a-z2-7]{16,}", re.sub(r"\s", "", text)):
        for size in (len(run), len(run) // 8 * 8):
            try:
                yield base64.b32decode(run[:size].upper() + "=" * (-size % 8))
                break
            except ValueError:
                continue
    for run in re.findall(r"[A-Za-z0-9+/]{16,}=*", re.sub(r"\s", "", text)):
        try:
            run = run.rstrip("=")
            packed = base64.b64decode(run + "=" * (-len(run) % 4))
            yield zlib.decompressobj(-15).decompress(packed)
            yield packed.replace(b"\0", b"")
        except (ValueError, zlib.error):
            continue
    for run in re.findall("[xX]([0-9a-fA-F]{16,})", text):
        yield bytes.fromhex(run[:len(run) // 2 * 2])
    if "begin " in text:
        out = b""
        for line in text.split("\n"):
            try:
                out += binascii.a2b_uu(line)
            except ValueError:
                continue
        yield out
    if "GIT binary patch" in text:
        packed = b""
        for line in re.findall(r"(?m)^[A-Za-z]([^\s]{5,})$", text):
            try:
                packed += base64.b85decode(line)
            except ValueError:
                continue
        try:
            yield zlib.decompressobj().decompress(packed)
        except zlib.error:
            pass
    records = re.findall(r"(?m)^:[0-9A-F]{6}00((?:[0-9A-F]{2})+)[0-9A-F]{2}$", text)
    if records:
        yield bytes.fromhex("".join(records))


def spelled(text):
    """The texts that a text decodes to in one step."""
    for data in spelled_bytes(text):
        yield data.decode("utf-8", "ignore")
    if "=?" in text:
        try:
            parts = email.header.decode_header(text)
            yield "".join(part if isinstance(part, str) else part.decode("utf-8", "ignore")
                          for part, _ in parts)
        except (ValueError, email.errors.HeaderParseError):
            pass
    if "\\" in text:
        point = r"\\([0-9a-fA-F]{1,6})\s?"
        yield re.sub(point, lambda found: chr(int(found.group(1), 16) % 0x110000), text)
        yield re.sub(r"\\U([0-9a-fA-F]{8})", lambda of: chr(int(of.group(1), 16) % 0x110000),
                     text)
        yield re.sub(r"\\0?([0-7]{1,3})", lambda of: chr(int(of.group(1), 8) & 255), text)
        yield re.sub(r"\\'([0-9a-fA-F]{2})", lambda of: chr(int(of.group(1), 16)), text)
        yield re.sub(r"\\u\{([0-9a-f ]+)\}",
                     lambda of: "".join(
                         chr(int(one, 16) % 0x110000) for one in of.group(1).split()), text)
        yield re.sub(r"\\(.)", r"\1", re.sub(r"\\\r?\n[ \t]*", "", text))
    if "&#" in text:
        yield html.unescape(text)
    if "%u" in text:
        yield re.sub(r"%u([0-9a-f]{4})", lambda of: chr(int(of.group(1), 16)), text)
    if re.search(r"\+[A-Za-z0-9+/]{2,}-", text):
        try:
            yield text.encode("ascii", "ignore").decode("utf-7")
        except UnicodeDecodeError:
            pass
    yield unicodedata.normalize("NFKC", text)
    for pattern in (r"\bb?'(\\?.)'", r'"(\\?.)"'):
        yield "".join(one[-1] for one in re.findall(pattern, text))
    bare = re.sub(r"b?['\"`]\s*\+?\s*b?['\"`]|\$\{[\"']|[\"']\}|[\^`$]", "", text)
    yield bare
    yield re.sub(r"\n\s*", "", text)
