"""Envelopes, each with the verdict that it must get.

The rule by which they are made: of each sentence of RFC 9052 (1.4, 2, 3, 3.1, 4.2, 4.4), RFC 9053
(2.1, 2.2), RFC 8392 and RFC 9597 that one COSE_Sign1 can keep or break, one that keeps to it at its
edge, and those that break it. The verdict is that of the sentence, or of the policy in the head of
the crate `sign`.
"""

import base64

from made import *

whole = envelope()
good("as it should be", whole)

# RFC 9052, 4.4: what is signed.
P = cb(HEADER)
forged("the content alone is signed", envelope(message=CONTENT))
forged("its digest is signed", envelope(message=hashlib.sha256(CONTENT).digest()))
forged(
    "the structure's SHA-512 is signed", envelope(message=hashlib.sha512(sig_structure(P)).digest())
)
forged("the context is bytes", envelope(message=cb([b"Signature1", P, b"", CONTENT])))
forged("the context in small letters", envelope(message=cb(["signature1", P, b"", CONTENT])))
forged("no external data in the structure", envelope(message=cb(["Signature1", P, CONTENT])))
forged("external data is null", envelope(message=cb(["Signature1", P, None, CONTENT])))
forged(
    "the structure of one signature of several",
    envelope(message=cb(["Signature", P, b"", b"", CONTENT])),
)
forged("a MAC's structure", envelope(message=cb(["MAC0", P, b"", CONTENT])))
forged(
    "the header is not in a byte string", envelope(message=cb(["Signature1", HEADER, b"", CONTENT]))
)
forged("the content is a text", envelope(message=cb(["Signature1", P, b"", CONTENT.decode()])))
forged(
    "the content is null, as it is in the envelope",
    envelope(message=cb(["Signature1", P, b"", None])),
)
forged("the content is wrapped twice", envelope(message=cb(["Signature1", P, b"", cb(CONTENT)])))
long_head = b"\x5b" + len(CONTENT).to_bytes(8, "big") + CONTENT
forged("the content has a long head", envelope(message=cb(["Signature1", P, b"", Raw(long_head)])))
forged("another header was signed", envelope(message=sig_structure(cb(header({6: 1})))))
forged("an empty header was signed", envelope(message=sig_structure(b"")))
forged("the structure is tagged", envelope(message=b"\xd2" + sig_structure(P)))
reversed_header = dict(reversed(list(HEADER.items())))
good("the header in the reverse order", envelope(reversed_header))
forged(
    "its names were sorted before it was signed",
    envelope(reversed_header, message=sig_structure(P)),
)
good("labels by length first", envelope(header({-1: b"x", 24: 1})), line="envelope")

# RFC 9053: signatures and algorithms.
for_curve = header({1: -7, 4: kid(curve)})
good("ES256", envelope(for_curve, key=curve))
good("ESP256", envelope(header({1: -9, 4: kid(curve)}), key=curve))
made = by_curve(sig_structure(cb(for_curve)))
r, s = int.from_bytes(made[:32], "big"), int.from_bytes(made[32:], "big")


def pair(r, s, order="big"):
    return envelope(for_curve, signature=r.to_bytes(32, order) + s.to_bytes(32, order))


good("the other s of ECDSA", pair(r, N - s))
forged("r and s change places", pair(s, r))
forged("r and s from the little end", pair(r, s, "little"))
forged("s is 0", pair(r, 0))
forged("r is 0", pair(0, s))
forged("r and s are the order", pair(N, N))
forged("both are 1", pair(1, 1))
refused(
    "ECDSA in DER",
    envelope(
        for_curve, signature=curve.sign(sig_structure(cb(for_curve)), ec.ECDSA(hashes.SHA256()))
    ),
)
forged(
    "ES256 over SHA-512",
    envelope(
        for_curve,
        signature=b"".join(
            n.to_bytes(32, "big")
            for n in decode_dss_signature(
                curve.sign(sig_structure(cb(for_curve)), ec.ECDSA(hashes.SHA512()))
            )
        ),
    ),
)
forged("-8 by a key of P-256", envelope(header({4: kid(curve)}), key=curve))
own = sign(sig_structure(P))
forged(
    "S and the order are added",
    envelope(signature=own[:32] + (int.from_bytes(own[32:], "little") + L).to_bytes(32, "little")),
)
forged("R and S change places", envelope(signature=own[32:] + own[:32]))
forged("R is the neutral point and S is 0", envelope(signature=b"\x01" + bytes(63)))
forged("all zero", envelope(signature=bytes(64)))
for length in (0, 63, 65, 114, 128):
    refused("a signature of %d bytes" % length, envelope(signature=(own * 2)[:length]))
refused("the signature is a text", envelope(signature="x" * 64))
refused("the signature is null", b"\xd2" + cb([P, {}, None, None]))
refused("the signature is a list", b"\xd2" + cb([P, {}, None, [own]]))
refused("a COSE_Sign of one signature", b"\xd8\x62" + cb([b"", {}, None, [[P, {}, own]]]))
for what, alg in [
    ("ESP384", -51),
    ("ESP512", -52),
    ("Ed448", -53),
    ("ES384", -35),
    ("RS256", -257),
    ("PS256", -37),
    ("ES256K", -47),
    ("SHA-256", -16),
    ("HMAC 256/64", 4),
    ("A128GCM", 1),
    ("7, without its sign", 7),
    ("ML-DSA-44", -48),
    ("a private one", -70_000),
]:
    refused("algorithm " + what, envelope(header({1: alg})))
for what, alg in [
    ("null", None),
    ("true", True),
    ("a list", [-8]),
    ("-8 as text", "-8"),
    ("-8.0", Raw(b"\xf9\xc8\x00")),
    ("tagged", Raw(b"\xc1\x27")),
    ("a large number's tag", Raw(b"\xc3\x41\x07")),
]:
    refused("the algorithm is " + what, envelope(header({1: alg})))

# RFC 9052, 2 and 4.2: the envelope.
refused("the header is a map", b"\xd2" + cb([HEADER, {}, None, own]))
refused("the header is a text", b"\xd2" + cb([Raw(head(3, len(P)) + P), {}, None, own]))
refused("the header is null", b"\xd2" + cb([None, {}, None, own]))
refused("the header is wrapped twice", envelope(raw=cb(P)))
refused("the header is tagged as CBOR", b"\xd2" + cb([Raw(b"\xd8\x18" + cb(P)), {}, None, own]))
refused("the unprotected header is in bytes", envelope(own=b"\xa0"))
refused("tag 18 in nine bytes", b"\xdb" + (18).to_bytes(8, "big") + whole[1:])
refused("tag 16", b"\xd0" + whole[1:])
refused("a list in two bytes", b"\xd2\x98\x04" + whole[2:])
refused("in a byte string", cb(whole))
refused("in a list", b"\x81" + whole)
refused("two of them", whole + whole)
refused("a byte before it", b"\x00" + whole)
refused("a line's end behind it", whole + b"\n")
refused("in base64", base64.b64encode(whole))
refused("cut by one byte", whole[:-1])
refused("nothing", b"")


def parts(*items):
    return b"\xd2\x84" + b"".join(items)


def pieces(data, at=7):
    return b"\x5f" + cb(data[:at]) + cb(data[at:]) + b"\xff"


refused("the header in pieces", parts(pieces(P), b"\xa0", b"\xf6", cb(own)))
refused("the signature in pieces", parts(cb(P), b"\xa0", b"\xf6", pieces(own)))
refused("the content in pieces", parts(cb(P), b"\xa0", pieces(CONTENT), cb(own)))
good("the content inside", envelope(payload=CONTENT))
good("the content inside, and no file", envelope(payload=CONTENT), content=None)
case("no content anywhere", whole, UNKNOWN, "bytes", NOT, content=None)
forged("the file has a line's end more", whole, content=CONTENT + b"\n")
forged("the content inside is that of the file and more", envelope(payload=CONTENT + b" "))

# RFC 9052, 1.4 and 3: labels and their values.
refused("label 1 as a large number", envelope(raw=b"\xa4" + b"\xc2\x41\x01\x27" + P[3:]))
refused(
    "the algorithm again by a large number", envelope(raw=b"\xa5" + P[1:] + b"\xc2\x41\x01\x26")
)
refused("a label is 1.0", envelope(header({Raw(b"\xf9\x3c\x00"): 1})))
refused("a label is null", envelope(header({None: 1})))
refused("a label is a list", envelope(header({Raw(b"\x81\x01"): 1})))
refused("a label is a tagged text", envelope(header({Raw(b"\xd8\x20\x61x"): 1})))
good("a label in words", envelope(header({"x": 1})))
good("a label in words, not signed", envelope(own={"x": 1}), line="metadata", verdict=NOT)
good("an empty label", envelope(header({"": 1})))
refused("a label in words, in both", envelope(header({"x": 1}), own={"x": 1}))
refused(
    "claims as a large number's label, not signed", envelope(own={Raw(b"\xc2\x41\x0f"): CLAIMS})
)
refused("the key's id is a text", envelope(header({4: "id"})))
refused("the key's id is a number", envelope(header({4: 1})))
good("the id of another known key", envelope(header({4: kid(curve)})))
good("the id of nobody", envelope(header({4: b"nobody"})))
case(
    "an unknown key, and its id",
    envelope(header({4: kid(other)}), key=other),
    UNKNOWN,
    "bytes",
    NOT,
)
forged("an unknown key, and a known id", envelope(key=other))
good("the content's type by its number", envelope(header({3: 50})))
refused("the content's type as bytes", envelope(header({3: b"x"})))
refused("the content's type below 0", envelope(header({3: -1})))
good("an initialization vector", envelope(header({5: b"x"})))
refused("the vector is a text", envelope(header({5: "x"})))
refused("both vectors", envelope(header({5: b"x", 6: b"y"})))
refused("one vector signed, the other not", envelope(header({5: b"x"}), own={6: b"y"}))
good("critical: the algorithm", envelope(header({2: [1]})))
good("critical: the claims", envelope(header({2: [15]})))
refused(
    "critical: claims that are not signed",
    envelope(header({2: [15]}, without=[15]), own={15: CLAIMS}),
)
refused("critical is a number", envelope(header({2: 4})))
refused("critical is a map", envelope(header({2: {4: 1}})))
refused("critical has bytes", envelope(header({2: [b"\x04"]})))
refused("critical: receipts", envelope(header({2: [394], 394: [b"x"]})))
refused("critical: a number beyond others", envelope(header({2: [2**40], 2**40: 1})))
good("a type (RFC 9596)", envelope(header({16: "application/vac+cose"})))
good("a certificate's digest", envelope(header({34: [-16, b"x" * 32]})))
good(
    "a countersignature that nobody checks",
    envelope(own={11: [b"", {}, b"x"]}),
    line="metadata",
    verdict=NOT,
)
good("a time stamp that nobody checks", envelope(own={270: b"x"}), line="time", verdict=NOT)
refused("a digest of the content", envelope(header({258: -16}, without=[3])))


# RFC 8392 and RFC 9597: claims.
def claiming(changes, without=()):
    claims = {k: v for k, v in CLAIMS.items() if k not in without}
    claims.update(changes)
    return envelope(header({15: claims}))


refused("the issuer is bytes", claiming({1: b"x"}))
refused("the issuer is null", claiming({1: None}))
refused("the subject is a number", claiming({2: 7}))
refused("the claims are a list of pairs", envelope(header({15: [[1, ISSUER]]})))
refused("the claims are in a byte string", envelope(header({15: cb(CLAIMS)})))
refused("the time has tag 1", claiming({6: Raw(b"\xc1\x1a\x6a\xb1\x3b\x80")}))
refused("the time is a large number", claiming({6: Raw(b"\xc2\x44\x6a\xb1\x3b\x80")}))
refused("the end is a large number", claiming({4: Raw(b"\xc2\x49" + b"\xff" * 9)}))
refused("the end is infinite", claiming({4: Raw(b"\xf9\x7c\x00")}))
refused("the beginning is null", claiming({5: None}))
refused("the end is true", claiming({4: True}))
case("the end is 0", claiming({4: 0}), BAD, "validity", FAILED)
case(
    "the end is half a second after 1970",
    claiming({4: Raw(b"\xf9\x38\x00")}),
    BAD,
    "validity",
    FAILED,
)
good("it begins at 0", claiming({5: 0}), line="validity")
good("it ends late", claiming({4: 2**40}), line="validity")
good(
    "a claim in words is another claim", claiming({"iss": "https://example.org/eve"}), line="issuer"
)
good("a private claim", claiming({-70_000: [1, {2: 3}]}))
case("the issuer's name and a zero byte", claiming({1: ISSUER + "\0"}), BAD, "issuer", FAILED)
case(
    "the subject in other letters",
    claiming({2: "URN:vac:session:" + SESSION}),
    GOOD,
    "subject",
    NOT,
)
case("the subject is longer", claiming({2: CLAIMS[2] + "0"}), BAD, "subject", FAILED)
