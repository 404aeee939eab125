"""Verifies and makes envelopes with libraries of others: `pycose`, `scitt_cose`, `cryptography`.

usage: interop.py verify|scitt PUBLIC ENVELOPE CONTENT, or: interop.py sign PRIVATE ENVELOPE CONTENT,
or, of the receipt of a log whose entry is CONTENT, the fourth of six:
interop.py receipt PUBLIC RECEIPT CONTENT, or: interop.py log PRIVATE RECEIPT CONTENT
"""

import sys

from cryptography.hazmat.primitives import serialization

mode, key_file, envelope_file, content_file = sys.argv[1:]
content = open(content_file, "rb").read()
key_bytes = open(key_file, "rb").read()

if mode == "receipt":
    import scitt_cose

    receipt = open(envelope_file, "rb").read()
    result = scitt_cose.verify_receipt(receipt, leaf_entry_hex=content.hex(), log_public_key_pem=key_bytes)
    assert result.ok, result.errors
    assert result.tree_size == 6, result
    other = content[:-1] + bytes([content[-1] ^ 1])
    result = scitt_cose.verify_receipt(receipt, leaf_entry_hex=other.hex(), log_public_key_pem=key_bytes)
    sys.exit("it accepts another entry" if result.ok else 0)

if mode == "log":
    import scitt_cose

    entries = ["%064x" % number for number in range(6)]
    entries[3] = content.hex()
    receipt = scitt_cose.build_receipt(
        leaf_entry_hex=entries[3],
        leaf_index=3,
        tree_entries_hex=entries,
        alg="EdDSA" if b"PRIVATE" in key_bytes and len(key_bytes) < 150 else "ES256",
        log_private_key_pem=key_bytes,
        iss="https://log.example",
        sub="urn:x:entry",
        kid=b"theirs",
    )
    open(envelope_file, "wb").write(receipt)
    sys.exit(0)

if mode == "scitt":
    import scitt_cose

    envelope = open(envelope_file, "rb").read()
    key = key_bytes
    scitt_cose.verify_sign1(envelope, public_key_pem=key, detached_payload=content)
    try:
        scitt_cose.verify_sign1(envelope, public_key_pem=key, detached_payload=content + b"x")
    except Exception:
        sys.exit(0)
    sys.exit("it accepts other bytes")

from pycose.algorithms import EdDSA, Es256
from pycose.headers import Algorithm, ContentType, KID
from pycose.keys import EC2Key, OKPKey
from pycose.keys.curves import P256, Ed25519
from pycose.messages import CoseMessage, Sign1Message

if mode == "sign":
    secret = serialization.load_pem_private_key(key_bytes, None)
    public = secret.public_key()
else:
    public = serialization.load_pem_public_key(key_bytes)
edwards = not hasattr(public, "public_numbers")
if edwards:
    raw = serialization.Encoding.Raw
    x = public.public_bytes(raw, serialization.PublicFormat.Raw)
    d = secret.private_bytes_raw() if mode == "sign" else b""
    key = OKPKey(crv=Ed25519, x=x, d=d)
else:
    numbers = public.public_numbers()
    x, y = numbers.x.to_bytes(32, "big"), numbers.y.to_bytes(32, "big")
    d = secret.private_numbers().private_value.to_bytes(32, "big") if mode == "sign" else b""
    key = EC2Key(crv=P256, x=x, y=y, d=d)
if mode == "sign":
    header = {Algorithm: EdDSA if edwards else Es256, ContentType: "application/json"}
    message = Sign1Message(phdr=header, uhdr={KID: b"theirs"}, payload=content)
    message.key = key
    encoded = message.encode()
    open(envelope_file, "wb").write(encoded)
else:
    message = CoseMessage.decode(open(envelope_file, "rb").read())
    message.key = key
    assert message.verify_signature(detached_payload=content), "the signature is not good"
    assert not message.verify_signature(detached_payload=content + b"x"), "other bytes"
