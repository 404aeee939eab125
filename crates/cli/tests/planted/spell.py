"""More wrappings: as programs, shells, tools and files of settings write texts and bytes."""

import base64
import binascii
import json
import quopri
import re
import shlex
import struct
import textwrap
import zlib


def raw(text):
    return text.encode()


def rows(data, width=16):
    return [(at, data[at:at + width]) for at in range(0, len(data), width)]


def shown(part):
    return "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)


def words(part, width, form, order="little"):
    part += b"\0" * (-len(part) % width)
    return [form(int.from_bytes(part[at:at + width], order)) for at in range(0, len(part), width)]


def od(data, width, form, head="{:07o}", between=" ", order="little"):
    lines = [head.format(at) + between + between.join(words(part, width, form, order))
             for at, part in rows(data)]
    return "\n".join(lines + [head.format(len(data))])


def od_letters(data):
    names = {0: "\\0", 9: "\\t", 10: "\\n", 13: "\\r"}

    def letter(byte):
        return names.get(byte) or (chr(byte) if 32 <= byte < 127 else f"{byte:03o}")

    return od(data, 1, lambda byte: f"{letter(byte):>3}")


def xxd_little(data):
    lines = []
    for at, part in rows(data):
        units = " ".join(part[i:i + 4][::-1].hex() for i in range(0, len(part), 4))
        lines.append(f"{at:08x}: {units:<35}  {shown(part)}")
    return "\n".join(lines)


def xxd_bits(data):
    lines = []
    for at, part in rows(data, 6):
        units = " ".join(f"{byte:08b}" for byte in part)
        lines.append(f"{at:08x}: {units:<53}  {shown(part)}")
    return "\n".join(lines)


def xxd_columns(data, group, width):
    lines = []
    for at, part in rows(data, width):
        units = " ".join(part[i:i + group].hex() for i in range(0, len(part), group))
        full = 2 * width + width // group - 1
        lines.append(f"{at:08x}: {units:<{full}}  {shown(part)}")
    return "\n".join(lines)


def xxd_code(data):
    lines = ",\n".join("  " + ", ".join(f"0x{byte:02x}" for byte in part)
                       for _, part in rows(data, 12))
    return f"unsigned char a_env[] = {{\n{lines}\n}};\nunsigned int a_env_len = {len(data)};"


def hexyl(data):
    lines = []
    for at, part in rows(data):
        halves = [part[:8].hex(" "), part[8:].hex(" ")]
        digits = " \u250a ".join(f"{half:<23}" for half in halves)
        letters = "\u250a".join(f"{shown(half):<8}" for half in (part[:8], part[8:]))
        lines.append(f"\u2502{at:08x}\u2502 {digits} \u2502{letters}\u2502")
    return "\n".join(lines)


def trace(data):
    head = f"=> Send data, {len(data)} bytes (0x{len(data):x})\n"
    lines = [f"{at:04x}: {part.hex(' '):<47} {shown(part)}" for at, part in rows(data)]
    return head + "\n".join(lines)


def trace_letters(data):
    head = f"=> Send data, {len(data)} bytes (0x{len(data):x})\n"
    return head + "\n".join(f"{at:04x}: {shown(part)}" for at, part in rows(data, 64))


def uuencoded(data):
    lines = [binascii.b2a_uu(part).decode().rstrip("\n") for _, part in rows(data, 45)]
    return "begin 644 a.env\n" + "\n".join(lines) + "\n`\nend"


def wide(text):
    return "".join(chr(ord(c) + 0xfee0) if 33 <= ord(c) < 127 else c for c in text)


def binary_patch(data):
    lines, packed = [], zlib.compress(data)
    for _, part in rows(packed, 52):
        size = len(part)
        head = chr(size + 64) if size < 27 else chr(size + 70)
        lines.append(head + base64.b85encode(part, pad=True).decode())
    return (f"diff --git a/a.db b/a.db\nindex 1..2\nGIT binary patch\nliteral {len(data)}\n"
            + "\n".join(lines) + "\n")


def any_soft(text):
    """Quoted-printable whose lines are broken anywhere."""
    encoded = quopri.encodestring(raw(text)).decode().replace("=\n", "")
    units = re.findall(r"=[0-9A-F]{2}|[^=]", encoded, re.S)
    return "".join(unit + ("=\n" if at % 17 == 16 else "") for at, unit in enumerate(units))


def quoted_word(text, word=40):
    parts = [text[at:at + word] for at in range(0, len(text), word)]
    return "\n ".join(f"=?utf-8?B?{base64.b64encode(raw(part)).decode()}?=" for part in parts)


def quoted_letters(text, word=30):
    def letters(part):
        return "".join(c if c.isalnum() else f"={ord(c):02X}" for c in part)

    parts = [text[at:at + word] for at in range(0, len(text), word)]
    return "\n ".join(f"=?utf-8?Q?{letters(part)}?=" for part in parts)


def pieces(text, width=9):
    return [text[at:at + width] for at in range(0, len(text), width)]


def js(value):
    return json.dumps(value, ensure_ascii=False)


def sql(text):
    return "'" + text.replace("'", "''") + "'"


def listed(text):
    """As `sed -n l` prints lines."""
    out = []
    for line in text.split("\n"):
        line = line.replace("\\", "\\\\")
        parts = [line[at:at + 69] for at in range(0, len(line), 69)] or [""]
        out += [part + "\\" for part in parts[:-1]] + [parts[-1] + "$"]
    return "\n".join(out)


def table(text):
    """A value of several lines in a table of psql."""
    lines = text.split("\n")
    width = max(map(len, lines)) + 1
    body = "\n".join(f" {line:<{width}}" + ("+" if line is not lines[-1] else "")
                     for line in lines)
    return f" {'note':^{width}} \n-{'-' * width}-\n{body}\n(1 row)"


def systemd(text):
    return "".join(c if c.isalnum() or c in ":_." else "\n" if c == "\n" else f"\\x{ord(c):02x}"
                   for c in text)


def lined(text, form):
    return "\n".join(form(at + 1, line) for at, line in enumerate(text.split("\n")))


SPELT = {
    "base64-groups": lambda t: " ".join(pieces(base64.b64encode(raw(t)).decode(), 8)),
    "base32": lambda t: base64.b32encode(raw(t)).decode(),
    "base32-lines": lambda t: "\n".join(pieces(base64.b32encode(raw(t)).decode(), 76)),
    "base32-small": lambda t: base64.b32encode(raw(t)).decode().rstrip("=").lower(),
    "deflate": lambda t: base64.b64encode(zlib.compress(raw(t))[2:-4]).decode(),
    "uuencode": lambda t: uuencoded(raw(t)),
    "git-binary": lambda t: binary_patch(raw(t)),
    "utf7": lambda t: "+" + base64.b64encode(t.encode("utf-16-be")).decode().rstrip("=") + "-",
    "utf32": lambda t: base64.b64encode(t.encode("utf-32-le")).decode(),
    "full-width": wide,
    "od-words": lambda t: od(raw(t), 2, "{:06o}".format),
    "od-b": lambda t: od(raw(t), 1, "{:03o}".format),
    "od-c": lambda t: od_letters(raw(t)),
    "od-x": lambda t: od(raw(t), 2, "{:04x}".format),
    "od-x4": lambda t: od(raw(t), 4, "{:08x}".format),
    "od-u1": lambda t: od(raw(t), 1, "{:>3}".format),
    "od-bare": lambda t: "\n".join(" " + part.hex(" ") for _, part in rows(raw(t))),
    "od-hex-place": lambda t: od(raw(t), 1, "{:02x}".format, head="{:06x}"),
    "hexdump-plain": lambda t: od(raw(t), 2, "{:04x}".format, head="{:07x}"),
    "hexdump-b": lambda t: od(raw(t), 1, "{:03o}".format, head="{:07x}"),
    "hexdump-c": lambda t: od_letters(raw(t)),
    "xxd-e": lambda t: xxd_little(raw(t)),
    "xxd-b": lambda t: xxd_bits(raw(t)),
    "xxd-c8": lambda t: xxd_columns(raw(t), 2, 8),
    "xxd-g1": lambda t: xxd_columns(raw(t), 1, 16),
    "xxd-g4": lambda t: xxd_columns(raw(t), 4, 16),
    "xxd-i": lambda t: xxd_code(raw(t)),
    "xxd-numbers": lambda t: lined(xxd_columns(raw(t), 2, 16), lambda at, x: f"{at:>6}\u2192{x}"),
    "hexyl": lambda t: hexyl(raw(t)),
    "trace": lambda t: trace(raw(t)),
    "trace-ascii": lambda t: trace_letters(raw(t)),
    "css": lambda t: "".join(f"\\{ord(c):x} " for c in t),
    "css-zeros": lambda t: "".join(f"\\{ord(c):06x}" for c in t),
    "html-zeros": lambda t: "".join(f"&#{ord(c):07};" for c in t),
    "html-open": lambda t: "".join(f"&#{ord(c)}" for c in t),
    "html-hex-open": lambda t: "".join(f"&#x{ord(c):02X}" for c in t).replace("&#x0A", "\n"),
    "percent-u": lambda t: "".join(f"%u{ord(c):04x}" for c in t),
    "quoted-anywhere": any_soft,
    "mail-words": quoted_word,
    "mail-letters": quoted_letters,
    "rtf": lambda t: "{\\rtf1 " + "".join(f"\\'{byte:02x}" for byte in raw(t)) + "}",
    "ruby-list": lambda t: '"\\u{' + " ".join(f"{ord(c):x}" for c in t) + '}"',
    "template": lambda t: "`" + "".join(f"${{{js(x)}}}" if at % 2 else x
                                        for at, x in enumerate(pieces(t))) + "`",
    "template-plus": lambda t: " + ".join(f"`{x}`" for x in pieces(t)),
    "go-raw": lambda t: " +\n\t".join(f"`{x}`" for x in pieces(t)),
    "python-bytes": lambda t: "(" + " ".join(repr(raw(x)) for x in pieces(t)) + ")",
    "python-octal": lambda t: "b'" + "".join(f"\\{byte:o}" for byte in raw(t)) + "'",
    "python-long": lambda t: "'" + "".join(f"\\U{ord(c):08x}" for c in t) + "'",
    "rust-bytes": lambda t: "[" + ", ".join(f"{byte}u8" for byte in raw(t)) + "]",
    "rust-letters": lambda t: "[" + ", ".join(f"b'{c}'" if c not in "\n'" else f"b{c!r}"
                                              for c in t) + "]",
    "c-letters": lambda t: "{" + ", ".join(repr(c) for c in t) + "}",
    "c-strings": lambda t: '"' + '" "'.join(f"\\x{byte:02x}" for byte in raw(t)) + '"',
    "java-bytes": lambda t: "{" + ", ".join(f"(byte) 0x{byte:02X}" for byte in raw(t)) + "}",
    "csharp": lambda t: "".join(f"\\u{ord(c):04X}" for c in t),
    "bits": lambda t: " ".join(f"{byte:08b}" for byte in raw(t)),
    "bits-0b": lambda t: ", ".join(f"0b{byte:08b}" for byte in raw(t)),
    "octal-0o": lambda t: ", ".join(f"0o{byte:o}" for byte in raw(t)),
    "octal-spaces": lambda t: " ".join(f"{byte:03o}" for byte in raw(t)),
    "hex-go": lambda t: "[]byte{" + ", ".join(f"0x{byte:x}" for byte in raw(t)) + "}",
    "erlang": lambda t: "<<" + ",".join(str(byte) for byte in raw(t)) + ">>",
    "go-bytes": lambda t: "[" + " ".join(str(byte) for byte in raw(t)) + "]",
    "shell-octal": lambda t: "printf $'" + "".join(f"\\{byte:03o}" for byte in raw(t)) + "'",
    "shell-printf": lambda t: "printf '%b' '" + "".join(f"\\0{byte:03o}" for byte in raw(t)) + "'",
    "shell-words": shlex.quote,
    "printf-q": lambda t: re.sub(r"([^A-Za-z0-9_.,:/@%+\n-])", r"\\\1", t),
    "printf-q-dollar": lambda t: "$'" + t.replace("\\", "\\\\").replace("'", "\\'")
                                         .replace("\n", "\\n") + "'",
    "cmd-carets": lambda t: re.sub(r"([&|<>^()%!\"])", r"^\1", t),
    "powershell": lambda t: "powershell -EncodedCommand "
                            + base64.b64encode(t.encode("utf-16-le")).decode(),
    "backticks": lambda t: re.sub(r"([\"$`])", r"`\1", t),
    "systemd": systemd,
    "systemd-unit": lambda t: "Environment=" + js("X=" + t.replace("\n", "\\n")),
    "nginx": lambda t: '1.2.3.4 - "POST /" 200 "'
                       + re.sub(r"[\"\\\n]", lambda m: f"\\x{ord(m.group()):02X}", t) + '"',
    "sql-e": lambda t: "E'" + "".join(f"\\{byte:03o}" for byte in raw(t)) + "'",
    "bytea": lambda t: "\\x" + raw(t).hex(),
    "sql-x": lambda t: f"X'{raw(t).hex().upper()}'",
    "sql-0x": lambda t: f"0x{raw(t).hex().upper()}",
    "sql-char": lambda t: "CHAR(" + ",".join(str(byte) for byte in raw(t)) + ")",
    "sql-chr": lambda t: "||".join(f"CHR({byte})" for byte in raw(t)),
    "sql-quotes": sql,
    "psql-table": table,
    "yaml-folded": lambda t: "note: >-\n" + textwrap.indent(
        "\n\n".join(textwrap.fill(x, 60, break_long_words=False,
                                  break_on_hyphens=False) for x in t.split("\n")), "  "),
    "yaml-quoted": lambda t: 'note: "' + "\\\n  ".join(
        x.replace(" ", "\\ ").replace('"', '\\"').replace("\n", "\\n") for x in pieces(t, 30)) + '"',
    "properties": lambda t: "note=" + "\\\n    ".join(
        re.sub(r"([:=#!])", r"\\\1", x).replace("\n", "\\n") for x in pieces(t, 30)),
    "properties-u": lambda t: "note=" + "".join(c if c.isalnum() else f"\\u{ord(c):04X}"
                                               for c in t),
    "ldif": lambda t: "note:: " + "\n ".join(pieces(base64.b64encode(raw(t)).decode(), 70)),
    "ldif-plain": lambda t: "\n ".join(pieces(t, 76)),
    "k8s": lambda t: "apiVersion: v1\nkind: Secret\ndata:\n  note: "
                     + base64.b64encode(raw(t)).decode(),
    "heredoc": lambda t: f"cat <<'EOF' > a\n{t}\nEOF",
    "sed-l": listed,
    "cat-a": lambda t: lined(t, lambda _, line: line + "$"),
    "compose": lambda t: lined(t, lambda _, line: f"app-1  | {line}"),
    "kubectl": lambda t: lined(t, lambda _, line: f"[pod/app-0/app] {line}"),
    "journal": lambda t: lined(t, lambda at, line: f"Mar 01 10:00:{at % 60:02} h app[123]: {line}"),
    "actions": lambda t: lined(
        t, lambda at, line: f"2026-03-01T10:00:{at % 60:02}.1234567Z {line}"),
    "remote": lambda t: lined(t, lambda _, line: f"remote: {line}"),
    "npm": lambda t: lined(t, lambda _, line: f"npm ERR! {line}"),
    "blame": lambda t: lined(
        t, lambda at, line: f"^1a2b3c4 (Ana 2026-03-01 10:00:00 +0100 {at:>3}) {line}"),
    "bat": lambda t: lined(t, lambda at, line: f"  {at:>2}   \u2502 {line}"),
    "rustc": lambda t: lined(t, lambda at, line: f"{at:>2} | {line}"),
    "doc-comment": lambda t: lined(t, lambda _, line: f"/// {line}"),
    "java-comment": lambda t: lined(t, lambda _, line: f" * {line}"),
    "mail-twice": lambda t: lined(t, lambda _, line: f">> {line}"),
    "conflict": lambda t: f"<<<<<<< HEAD\n{t}\n=======\nx\n>>>>>>> b",
    "diff-minus": lambda t: lined(t, lambda _, line: f"-{line}"),
    "diff-two": lambda t: lined(t, lambda _, line: f"++{line}"),
    "markdown-table": lambda t: "| a | b |\n|---|---|\n" + lined(t, lambda _, x: f"| x | `{x}` |"),
    "markdown-list": lambda t: lined(t, lambda _, line: f"- {line}"),
    "lisp": lambda t: "#(" + " ".join(str(byte) for byte in raw(t)) + ")",
    "tex": lambda t: re.sub(r"([_#$%&{}])", r"\\\1", t),
    "cdata": lambda t: f"<a><![CDATA[{t}]]></a>",
}

# These wrappings were given up: no real session had a value in them.
RARE = {name: SPELT.pop(name) for name in (
    "base64-groups", "base32", "base32-lines", "base32-small", "deflate", "uuencode", "git-binary",
    "od-words", "od-b", "od-c", "od-u1", "hexdump-b", "hexdump-c", "xxd-b", "hexyl", "css",
    "css-zeros", "rust-bytes", "rust-letters", "c-letters", "c-strings", "java-bytes", "bits", "bits-0b",
    "octal-0o", "octal-spaces", "sql-chr")}
