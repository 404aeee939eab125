"""CBOR, keys and envelopes written from raw bytes, and the cases that are made of them."""

import hashlib
import json
import os
import sys

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

record_file, folder = sys.argv[1:3]
CONTENT = open(record_file, "rb").read()
SESSION = json.loads(CONTENT)["session"]["session-id"]
ISSUER = "https://example.org/ana"

# --- CBOR, as RFC 8949 writes it


def head(major, number):
    if number < 24:
        return bytes([major << 5 | number])
    for info, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if number < 1 << 8 * size:
            return bytes([major << 5 | info]) + number.to_bytes(size, "big")


def cb(value):
    """The encoding of a value; `Raw` stands for itself."""
    if isinstance(value, Raw):
        return value.bytes
    if value is None:
        return b"\xf6"
    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(cb, value))
    if isinstance(value, dict):
        return head(5, len(value)) + b"".join(cb(k) + cb(v) for k, v in value.items())
    raise TypeError(value)


class Raw:
    def __init__(self, encoded):
        self.bytes = encoded

    def __hash__(self):
        return hash(self.bytes)

    def __eq__(self, other):
        return isinstance(other, Raw) and self.bytes == other.bytes


# --- keys

edwards = ed25519.Ed25519PrivateKey.from_private_bytes(bytes([7] * 32))
other = ed25519.Ed25519PrivateKey.from_private_bytes(bytes([8] * 32))
log_key = ed25519.Ed25519PrivateKey.from_private_bytes(bytes([9] * 32))
curve = ec.derive_private_key(int.from_bytes(bytes([7] * 32), "big"), ec.SECP256R1())
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
L = 2**252 + 27742317777372353535851937790883648493


def spki(key, encoding=serialization.Encoding.DER):
    return key.public_key().public_bytes(encoding, serialization.PublicFormat.SubjectPublicKeyInfo)


def kid(key):
    return hashlib.sha256(spki(key)).digest()[:16]


def by_curve(message):
    r, s = decode_dss_signature(curve.sign(message, ec.ECDSA(hashes.SHA256())))
    return r.to_bytes(32, "big") + s.to_bytes(32, "big")


def sign(message, key=edwards):
    return by_curve(message) if key is curve else key.sign(message)


# --- envelopes

CLAIMS = {1: ISSUER, 2: "urn:vac:session:" + SESSION, 6: 1_790_000_000}
HEADER = {1: -8, 3: "application/json", 4: kid(edwards), 15: CLAIMS}


def header(changes=None, without=()):
    made = {k: v for k, v in HEADER.items() if k not in without}
    made.update(changes or {})
    return made


def sig_structure(protected, external=b"", content=CONTENT):
    return cb(["Signature1", protected, external, content])


def envelope(
    protected=None, own=None, payload=None, signature=None, key=edwards, raw=None, message=None
):
    """An envelope with a good signature of its parts, but for those that are given."""
    protected = cb(protected if protected is not None else HEADER) if raw is None else raw
    content = payload if isinstance(payload, bytes) else CONTENT
    if signature is None:
        signature = sign(
            sig_structure(protected, content=content) if message is None else message, key
        )
    return b"\xd2" + cb([protected, own if own is not None else {}, payload, signature])


cases = []
GOOD, BAD, UNKNOWN = 0, 1, 4
SHOWN, FAILED, NOT = "shown", "FAILED", "not shown"


def case(name, made, code, line, verdict, receipt=None, content=CONTENT):
    place = os.path.join(folder, "%03d" % len(cases))
    os.mkdir(place)
    if content is not None:
        open(os.path.join(place, "record.json"), "wb").write(content)
    open(os.path.join(place, "record.json.cose"), "wb").write(made)
    if receipt is not None:
        open(os.path.join(place, "record.json.receipt"), "wb").write(receipt)
    cases.append([os.path.basename(place), name, code, line, verdict])


def good(name, made, line="bytes", verdict=SHOWN, **more):
    case(name, made, GOOD, line, verdict, **more)


def refused(name, made):
    case(name, made, BAD, "envelope", FAILED)


def forged(name, made, **more):
    case(name, made, BAD, "bytes", FAILED, **more)


def write():
    """Writes the keys that are to be trusted, and the list of the cases."""
    for name, key in (("edwards", edwards), ("curve", curve), ("log", log_key)):
        pem = spki(key, serialization.Encoding.PEM)
        open(os.path.join(folder, name + ".pem"), "wb").write(pem)
    json.dump({"issuer": ISSUER, "cases": cases}, open(os.path.join(folder, "cases.json"), "w"))
