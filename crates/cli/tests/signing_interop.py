"""Signs and verifies files with libraries of others: `pycose`, `scitt_cose`, `cryptography`.

usage: signing_interop.py MODE KEY FILE TYPE; the signature is FILE.cose. Modes: verify, scitt (the
bytes as they stand), draft (the canonical form is made again); sign, sign-attached, sign-draft by
`pycose`, and statement, statement-detached, statement-transparent by `scitt_cose`, which make a key
of TYPE and write its public half to KEY. A statement names the issuer of `issuer` and the subject
of `subject`.
"""

import json
import sys

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from pycose.algorithms import EdDSA, Es256
from pycose.headers import Algorithm, ContentType
from pycose.keys import EC2Key, OKPKey
from pycose.keys.curves import P256, Ed25519
from pycose.messages import CoseMessage, Sign1Message

mode, key_file, file, kind = sys.argv[1:]
content = open(file, "rb").read()
if mode in ("draft", "sign-draft"):
    text = json.loads(content)
    text = json.dumps(text, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    content = text.encode()


def cose_key(public, secret=None):
    if hasattr(public, "public_numbers"):
        numbers = public.public_numbers()
        x, y = numbers.x.to_bytes(32, "big"), numbers.y.to_bytes(32, "big")
        d = secret.private_numbers().private_value.to_bytes(32, "big") if secret else b""
        return EC2Key(crv=P256, x=x, y=y, d=d), Es256
    x = public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    d = secret.private_bytes_raw() if secret else b""
    return OKPKey(crv=Ed25519, x=x, d=d), EdDSA


if mode.startswith(("sign", "statement")):
    p256 = kind == "p256"
    secret = ec.generate_private_key(ec.SECP256R1()) if p256 else ed25519.Ed25519PrivateKey.generate()
    public = secret.public_key()
    pem = public.public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    open(key_file, "wb").write(pem)
    if mode.startswith("statement"):
        import scitt_cose
        from scitt_cose.cose_sign1 import sign_sign1
        from scitt_cose.statement import attach_receipts, build_signed_statement

        private = secret.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        issuer, subject = open("issuer").read(), open("subject").read()
        algorithm = "ES256" if p256 else "EdDSA"
        if mode == "statement-detached":
            claims = {3: "application/json", 15: {1: issuer, 2: subject}}
            encoded = sign_sign1(
                content, alg=algorithm, private_key_pem=private, protected=claims, detached=True
            )
        else:
            encoded = build_signed_statement(
                content,
                alg=algorithm,
                private_key_pem=private,
                issuer=issuer,
                subject=subject,
                content_type="application/json",
                extra_cwt_claims={6: 1790000000, "note": "theirs"},
                kid=b"theirs",
            )
        if mode == "statement-transparent":
            encoded = attach_receipts(encoded, [b"of a log"])
        open(file + ".cose", "wb").write(encoded)
        sys.exit(0)
    key, algorithm = cose_key(public, secret)
    header = {Algorithm: algorithm, ContentType: "application/json"}
    attached = mode == "sign-attached"
    message = Sign1Message(phdr=header, payload=content if attached else None)
    message.key = key
    encoded = message.encode() if attached else message.encode(detached_payload=content)
    open(file + ".cose", "wb").write(encoded)
    sys.exit(0)

pem = open(key_file, "rb").read()
envelope = open(file + ".cose", "rb").read()
if mode == "scitt":
    import scitt_cose

    scitt_cose.verify_sign1(envelope, public_key_pem=pem, detached_payload=content)
    sys.exit(0)
message = CoseMessage.decode(envelope)
message.key, _ = cose_key(serialization.load_pem_public_key(pem))
if not message.verify_signature(detached_payload=content):
    sys.exit("the signature is not good")
