"""Texts with made secrets, and the wrappings that a session may put around a text."""

import base64
import bz2
import gzip
import html
import io
import json
import lzma
import pathlib
import pickle
import quopri
import re
import struct
import tarfile
import urllib.parse
import zipfile
import zlib

LOW = "abcdefghijklmnopqrstuvwxyz"
UP = LOW.upper()
DIGITS = "0123456789"
ALPHABETS = {
    "A": LOW + UP + DIGITS, "a": LOW + DIGITS, "l": LOW, "L": UP, "U": UP + DIGITS,
    "h": DIGITS + "abcdef", "H": DIGITS + "ABCDEF", "d": DIGITS, "b": LOW + UP + DIGITS + "+/",
    "u": LOW + UP + DIGITS + "-_", "p": LOW + UP + DIGITS + "!@#%^*-_",
}


PLACE = re.compile(
    r"<(\?)?([AalLUhHdbup])(\d+)>|<(JWT|BASIC|B64PASS|PEM\d+|CARD|SSN|IBAN|PHONE)>")


class Kind:
    """A kind of secret: each text that it makes has secrets of its own."""

    def __init__(self, line):
        head, _, self.text = line.partition(" | ")
        self.group, self.name = head.split(" ")
        self.text = self.text.replace("\\n", "\n")

    def made(self, chance):
        """A text, and the parts of it that must not be left."""
        secrets = []

        def letters(alphabet, count):
            return "".join(chance.choice(alphabet) for _ in range(count))

        def part(match):
            keep, alphabet, count, name = match.groups()
            if name:
                text, parts = special(name, letters, chance)
                secrets.extend(parts)
                return text
            text = letters(ALPHABETS[alphabet], int(count))
            if not keep:
                secrets.append(text)
            return text

        text = PLACE.sub(part, self.text)
        return text, [secret for secret in secrets if len(secret) >= 5]


def special(name, letters, chance):
    alphabet, base = ALPHABETS["A"], ALPHABETS["b"]
    if name == "JWT":
        def part(value):
            return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().strip("=")

        sign = letters(ALPHABETS["u"], 43)
        body = part({"sub": letters(alphabet, 20), "iat": 1761000000})
        return ".".join([part({"alg": "HS256", "typ": "JWT"}), body, sign]), [sign]
    if name == "BASIC":
        word = letters(alphabet, 18)
        text = base64.b64encode(b"ana:" + word.encode()).decode()
        return text, [word, text]
    if name == "B64PASS":
        word = letters(alphabet, 16)
        return base64.b64encode(word.encode()).decode(), [word]
    if name.startswith("PEM"):
        lines = [letters(base, 64) for _ in range(int(name[3:]))]
        return "\n".join(lines), lines
    if name == "CARD":
        digits = "4" + letters(DIGITS, 14)
        total = sum(
            int(digit) if at % 2 else sum(divmod(2 * int(digit), 10))
            for at, digit in enumerate(digits)
        )
        digits += str(-total % 10)
        text = " ".join(digits[at:at + 4] for at in range(0, 16, 4))
        return text, [text]
    if name == "SSN":
        area, group = chance.randint(100, 665), chance.randint(10, 99)
        text = f"{area}-{group}-{chance.randint(1000, 9999)}"
        return text, [text]
    if name == "IBAN":
        account = letters(DIGITS, 18)
        check = 98 - int(account + "131400") % 97
        return f"DE{check:02}{account}", [account]
    if name == "PHONE":
        text = letters("123456789", 8)
        return text, [text]
    raise ValueError(name)


def kinds():
    path = pathlib.Path(__file__).with_name("kinds.txt")
    lines = path.read_text().splitlines()
    return [Kind(line) for line in lines if line and not line.startswith("#")]


def b64(data):
    return base64.b64encode(data if isinstance(data, bytes) else data.encode()).decode()


def raw(text):
    return text.encode()


def escaped(text):
    units = text.encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def cut(text, width, between="\n"):
    return between.join(text[at:at + width] for at in range(0, len(text), width))


def pieces(text, width):
    return [text[at:at + width] for at in range(0, len(text), width)]


def js(value):
    return json.dumps(value, ensure_ascii=False)


def tar(text, mode="w"):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        about = tarfile.TarInfo("notes/a.env")
        about.size = len(raw(text))
        archive.addfile(about, io.BytesIO(raw(text)))
    return out.getvalue()


def zipped(text, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr("README", "nothing here")
        archive.writestr("a/.env", text)
    return out.getvalue()


def png(kind, data):
    def chunk(kind, data):
        total = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", total)

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(b"\0\1\2\3"))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(kind, data) + pixels + chunk(b"IEND", b"")


def jpeg(text):
    note = raw(text)
    return b"\xff\xd8\xff\xfe" + struct.pack(">H", len(note) + 2) + note + b"\xff\xd9"


def xxd(data, plain=True):
    lines = []
    for at in range(0, len(data), 16):
        part = data[at:at + 16]
        pairs = " ".join(part[i:i + 2].hex() for i in range(0, len(part), 2))
        shown = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)
        lines.append(f"{at:08x}: {pairs:<39}  {shown}" if plain else f"{at:08x}: {pairs}")
    return "\n".join(lines)


def hexdump(data):
    lines = []
    for at in range(0, len(data), 16):
        part = data[at:at + 16]
        pairs = part[:8].hex(" ") + "  " + part[8:].hex(" ")
        shown = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)
        lines.append(f"{at:08x}  {pairs:<49} |{shown}|")
    return "\n".join(lines + [f"{len(data):08x}"])


def od(data):
    rows = [(at, data[at:at + 16]) for at in range(0, len(data), 16)]
    return "\n".join(f"{at:07o} " + part.hex(" ") for at, part in rows)


def numbered(text, form):
    return "\n".join(form(at + 7, line) for at, line in enumerate(text.split("\n")))


def halves(text, join):
    """The text cut into pieces of nine letters, put together by a program."""
    return join([text[at:at + 9] for at in range(0, len(text), 9)])


def shell_string(text, single):
    if single:
        return "'" + text.replace("'", "'\\''") + "'"
    return '"' + re.sub(r'(["\\$`])', r"\\\1", text) + '"'


def gz(data):
    return gzip.compress(data if isinstance(data, bytes) else data.encode(), mtime=0)


ALL = {
    "plain": lambda t: t,
    "fence": lambda t: f"```\n{t}\n```",
    "json": lambda t: js({"a": t}),
    "json2": lambda t: js({"a": js({"b": t})}),
    "json5": lambda t: js({"a": js([js({"b": js([js({"c": t})])})])}),
    "json-slashes": lambda t: js({"a": t}).replace("/", "\\/"),
    "json-name": lambda t: js({t: 1}),
    "unicode": lambda t: f'{{"a":"{escaped(t)}"}}',
    "unicode-in-json": lambda t: js({"a": f'{{"b":"{escaped(t)}"}}'}),
    "unicode-braces": lambda t: "".join(f"\\u{{{ord(c):x}}}" for c in t),
    "base64": lambda t: f"got {b64(t)} ok",
    "base64-address": lambda t: base64.urlsafe_b64encode(raw(t)).decode().rstrip("="),
    "base64-lines": lambda t: cut(b64(t), 76),
    "base64-crlf": lambda t: cut(b64(t), 64, "\r\n"),
    "base64-2": lambda t: b64(b64(t)),
    "base64-4": lambda t: b64(b64(b64(b64(t)))),
    "base64-json": lambda t: b64(js({"env": t})),
    "base64-shell": lambda t: f"echo '{b64(t)}' | base64 -d",
    "data-address": lambda t: "data:text/plain;base64," + b64(t),
    "utf16": lambda t: b64(t.encode("utf-16-le")),
    "utf16-be": lambda t: b64(b"\xfe\xff" + t.encode("utf-16-be")),
    "hex": lambda t: raw(t).hex(),
    "hex-capitals": lambda t: raw(t).hex().upper(),
    "hex-spaces": lambda t: raw(t).hex(" "),
    "hex-colons": lambda t: raw(t).hex(":"),
    "hex-list": lambda t: ", ".join(f"0x{byte:02x}" for byte in raw(t)),
    "hex-base64": lambda t: raw(b64(t)).hex(),
    "base64-hex": lambda t: b64(raw(t).hex()),
    "backslash-x": lambda t: "".join(f"\\x{byte:02x}" for byte in raw(t)),
    "shell-x": lambda t: "printf $'" + "".join(f"\\x{byte:02x}" for byte in raw(t)) + "'",
    "octal": lambda t: "".join(f"\\{byte:03o}" for byte in raw(t)),
    "percent": lambda t: "q=" + "".join(f"%{byte:02X}" for byte in raw(t)),
    "percent-some": lambda t: "?q=" + urllib.parse.quote(t, safe=""),
    "percent-2": lambda t: urllib.parse.quote("".join(f"%{byte:02X}" for byte in raw(t))),
    "form": lambda t: urllib.parse.urlencode({"body": t}),
    "percent-base64": lambda t: "".join(f"%{byte:02x}" for byte in raw(b64(t))),
    "base64-percent": lambda t: b64("".join(f"%{byte:02x}" for byte in raw(t))),
    "html-decimal": lambda t: "".join(f"&#{ord(c)};" for c in t),
    "html-hex": lambda t: "".join(f"&#x{ord(c):x};" for c in t),
    "html-names": lambda t: f"<pre>{html.escape(t)}</pre>",
    "html-tags": lambda t: halves(
        t, lambda p: "".join(f"<span>{html.escape(x)}</span>" for x in p)),
    "html-json": lambda t: html.escape(js({"a": t})),
    "quoted-printable": lambda t: quopri.encodestring(raw(t)).decode(),
    "quoted-all": lambda t: cut("".join(f"={byte:02X}" for byte in raw(t)), 72, "=\n"),
    "xxd": lambda t: xxd(raw(t)),
    "xxd-bare": lambda t: xxd(raw(t), plain=False),
    "hexdump": lambda t: hexdump(raw(t)),
    "od": lambda t: od(raw(t)),
    "hex-lines": lambda t: cut(raw(t).hex(), 60),
    "bytes": lambda t: json.dumps(list(raw(t))),
    "bytes-tight": lambda t: ",".join(str(byte) for byte in raw(t)),
    "bytes-code": lambda t: f"String.fromCharCode({', '.join(str(ord(c)) for c in t)})",
    "zeros": lambda t: "\0".join(t),
    "zero-width": lambda t: "\u200b".join(t),
    "joiners": lambda t: "\u2060".join(t),
    "soft-hyphens": lambda t: "\u00ad".join(t),
    "colours": lambda t: cut(t, 9, "\x1b[0m\x1b[1;32m"),
    "colours-256": lambda t: cut(t, 7, "\x1b[38;5;208m"),
    "gzip": lambda t: b64(gz(t)),
    "gzip-2nd": lambda t: b64(gz("first") + gz(t)),
    "gzip-gzip": lambda t: b64(gz(gz(t))),
    "gzip-hex": lambda t: gz(t).hex(),
    "gzip-json": lambda t: js({"blob": b64(gz(js({"a": t})))}),
    "gzip-xxd": lambda t: xxd(gz(t)),
    "zlib": lambda t: b64(zlib.compress(raw(t))),
    "zlib-hex": lambda t: zlib.compress(raw(t), 9).hex(),
    "zip": lambda t: b64(zipped(t)),
    "zip-stored": lambda t: b64(zipped(t, zipfile.ZIP_STORED)),
    "tar": lambda t: b64(tar(t)),
    "tar-gzip": lambda t: b64(tar(t, "w:gz")),
    "gzip-zip": lambda t: b64(gz(zipped(t))),
    "bzip2": lambda t: b64(bz2.compress(raw(t))),
    "xz": lambda t: b64(lzma.compress(raw(t))),
    "png-text": lambda t: b64(png(b"tEXt", b"Comment\0" + raw(t))),
    "png-packed": lambda t: b64(png(b"zTXt", b"Comment\0\0" + zlib.compress(raw(t)))),
    "png-utf8": lambda t: b64(png(b"iTXt", b"Comment\0\0\0\0\0" + raw(t))),
    "png-address": lambda t: "data:image/png;base64," + b64(png(b"tEXt", b"a\0" + raw(t))),
    "jpeg": lambda t: b64(jpeg(t)),
    "joined-js": lambda t: "x = " + halves(t, lambda p: " + ".join(js(x) for x in p)) + ";",
    "joined-lines": lambda t: halves(t, lambda p: " +\n    ".join(js(x) for x in p)),
    "joined-python": lambda t: "(" + halves(t, lambda p: "\n ".join(repr(x) for x in p)) + ")",
    "joined-sql": lambda t: halves(
        t, lambda p: " || ".join("'" + x.replace("'", "''") + "'" for x in p)),
    "joined-php": lambda t: halves(t, lambda p: " . ".join(js(x) for x in p)),
    "joined-shell": lambda t: halves(t, lambda p: "".join(shell_string(x, i % 2)
                                                       for i, x in enumerate(p))),
    "joined-list": lambda t: "''.join(" + halves(t, lambda p: ", ".join(map(repr, p))) + ")",
    "continued": lambda t: cut(t, 24, "\\\n"),
    "wrapped-30": lambda t: "\n".join(cut(line, 30) for line in t.split("\n")),
    "wrapped-80": lambda t: cut(f"{'the output of the command is':<40}" + t, 80),
    "wrapped-indented": lambda t: cut(t, 40, "\n    "),
    "quoted-mail": lambda t: numbered(t, lambda _, line: "> " + line),
    "read": lambda t: numbered(t, lambda at, line: f"{at:>6}\u2192{line}"),
    "cat-n": lambda t: numbered(t, lambda at, line: f"{at:>6}\t{line}"),
    "grep": lambda t: numbered(t, lambda at, line: f"conf/app.env:{at}:{line}"),
    "diff": lambda t: numbered(t, lambda _, line: "+" + line),
    "diff-colours": lambda t: numbered(t, lambda _, line: f"\x1b[32m+\x1b[m\x1b[32m{line}\x1b[m"),
    "comment": lambda t: numbered(t, lambda _, line: "# " + line),
    "logged": lambda t: numbered(t, lambda at, line: f"2026-03-01T10:00:{at:02}Z app | {line}"),
    "box": lambda t: numbered(t, lambda _, line: f"\u2502 {line} \u2502"),
    "crlf": lambda t: t.replace("\n", "\r\n"),
    "escaped-lines": lambda t: t.replace("\n", "\\n"),
    "csv": lambda t: 'id,text\n1,"' + t.replace('"', '""') + '"',
    "yaml": lambda t: "note: |\n" + numbered(t, lambda _, line: "  " + line),
    "twice": lambda t: f"{t} {t}",
    "base64-quoted": lambda t: "> " + cut(b64(t), 60, "\n> "),
    "base64-numbers": lambda t: numbered(cut(b64(t), 60), lambda at, line: f"{at:>5}\u2192{line}"),
    "base64-list": lambda t: "[\n" + ",\n".join(f"  {js(x)}" for x in pieces(b64(t), 40)) + "\n]",
    "base64-logged": lambda t: numbered(
        cut(b64(t), 60), lambda at, line: f"2026-03-01T10:00:{at:02}Z app | {line}"),
    "base64-before-a-word": lambda t: b64(t).rstrip("=") + "\nsome_identifier_and_more = 3",
    "base64-among-bytes": lambda t: b64(b"\x08\x01\x12\x80" + raw(t) + bytes(range(128, 160))),
    "base64-colours": lambda t: b64(cut(t, 9, "\x1b[0m\x1b[1;32m")),
    "base64-joiners": lambda t: b64("\u2060".join(t)),
    "gzip-behind": lambda t: b64(b"a head and more\0\1\2" * 9 + gz(t)),
    "gzip-bytes": lambda t: repr(gz(t)),
    "gzip-percent": lambda t: "".join(f"%{byte:02x}" for byte in gz(t)),
    "zip-behind": lambda t: b64(b"MZ\x90\0" * 20 + zipped(t)),
    "tar-hex": lambda t: tar(t).hex(),
    "pdf": lambda t: b64(b"%PDF-1.4\n1 0 obj\nstream\n" + zlib.compress(raw(t)) + b"\nendstream"),
    "png-behind": lambda t: b64(png(b"tEXt", b"a\0b") + gz(t)),
    "pickle": lambda t: b64(pickle.dumps({"a": t})),
    "xxd-behind": lambda t: "$ xxd .env " + xxd(raw(t)),
    "xxd-indented": lambda t: numbered(xxd(raw(t)), lambda _, line: "    " + line),
    "calls": lambda t: "+".join(f"chr({ord(c)})" for c in t),
    "casts": lambda t: "-join(" + ",".join(f"[char]{ord(c)}" for c in t) + ")",
    "bytes-object": lambda t: json.dumps({str(at): byte for at, byte in enumerate(raw(t))}),
    "bytes-spaces": lambda t: " ".join(str(byte) for byte in raw(t)),
    "letters-spaces": " ".join,
    "letters-list": lambda t: json.dumps(list(t)),
    "markdown-escapes": lambda t: re.sub(r"([_*\-.])", r"\\\1", t),
    "joined-concat": lambda t: "concat!(" + halves(t, lambda p: ", ".join(map(js, p))) + ")",
}

# What few programs write, and no criterion names: measured, but not asked for.
RARE = {
    "base32": lambda t: base64.b32encode(raw(t)).decode(),
    "base85": lambda t: base64.b85encode(raw(t)).decode(),
    "deflate": lambda t: b64(zlib.compress(raw(t))[2:-4]),
}

# These wrappings were given up: no real session had a value in them.
RARE |= {name: ALL.pop(name) for name in (
    "png-packed", "png-behind", "gzip-behind", "zip-behind", "gzip-bytes", "gzip-percent", "pdf",
    "gzip-2nd", "png-text", "png-utf8", "png-address", "jpeg", "pickle", "calls", "casts",
    "bytes-object", "bytes-spaces", "letters-spaces",
    "letters-list")}
