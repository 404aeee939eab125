"""Receipts of logs, each with the verdict that it must get, by the same rule: RFC 9162 (2.1) and
RFC 9942 (4, 5). None takes anything away from the statement that it is about.
"""

from made import *

# RFC 9162 and RFC 9942: receipts. The log's entry is the digest of the statement, or of the file.
whole = envelope()


def leaf_hash(entry):
    return hashlib.sha256(b"\x00" + entry).digest()


def node(one, two, mark=b"\x01"):
    return hashlib.sha256(mark + one + two).digest()


STATEMENT = hashlib.sha256(whole).digest()
FILE = hashlib.sha256(CONTENT).digest()
others = [hashlib.sha256(bytes([n])).digest() for n in range(7)]


def tree(leaves, mark=b"\x01"):
    if len(leaves) == 1:
        return leaves[0]
    k = 1 << (len(leaves) - 1).bit_length() - 1
    return node(tree(leaves[:k], mark), tree(leaves[k:], mark), mark)


def path(at, leaves):
    if len(leaves) == 1:
        return []
    k = 1 << (len(leaves) - 1).bit_length() - 1
    if at < k:
        return path(at, leaves[:k]) + [tree(leaves[k:])]
    return path(at - k, leaves[k:]) + [tree(leaves[:k])]


LEAVES = [leaf_hash(n) for n in others]
LEAVES[3] = leaf_hash(STATEMENT)
ROOT, PATH = tree(LEAVES), path(3, LEAVES)
LOG_HEADER = {1: -8, 4: kid(log_key), 395: 1}


def receipt(
    proof=None,
    proofs=None,
    header=LOG_HEADER,
    own=None,
    root=ROOT,
    key=log_key,
    payload=None,
    tag=b"\xd2",
):
    proof = [7, 3, PATH] if proof is None else proof
    proofs = {-1: [cb(proof)]} if proofs is None else proofs
    own = {396: proofs} if own is None else own
    protected = cb(header)
    signature = sign(sig_structure(protected, content=root), key)
    return tag + cb([protected, own, payload, signature])


def logged(name, made, verdict, whole_list=None):
    """A statement that carries a receipt."""
    carried = [made] if whole_list is None else whole_list
    case("receipt: " + name, envelope(own={394: carried}), GOOD, "log", verdict)


logged("good", receipt(), SHOWN)
logged("of a key of P-256", receipt(header={1: -7, 395: 1}, key=curve), SHOWN)
logged("without the key's id", receipt(header={1: -8, 395: 1}), SHOWN)
logged("with claims", receipt(header={**LOG_HEADER, 15: {1: "https://log.example"}}), SHOWN)
logged("with the root inside", receipt(payload=ROOT), SHOWN)
logged("with another root inside", receipt(payload=others[0]), NOT)
logged("with an empty payload inside", receipt(payload=b""), NOT)
logged("no kind of tree", receipt(header={1: -8}), NOT)
logged("kind 2", receipt(header={1: -8, 395: 2}), NOT)
logged("the kind in words", receipt(header={1: -8, 395: "RFC9162_SHA256"}), NOT)
logged(
    "the kind is not signed",
    receipt(header={1: -8}, own={395: 1, 396: {-1: [cb([7, 3, PATH])]}}),
    NOT,
)
logged(
    "the proofs are signed alone",
    receipt(header={**LOG_HEADER, 396: {-1: [cb([7, 3, PATH])]}}, own={}),
    NOT,
)
logged("no proofs", receipt(own={}), NOT)
logged("an empty map of proofs", receipt(proofs={}), NOT)
logged("no proof in the list", receipt(proofs={-1: []}), NOT)
logged("the proof is no byte string", receipt(proofs={-1: [[7, 3, PATH]]}), NOT)
logged("the proof is in no list", receipt(proofs={-1: cb([7, 3, PATH])}), NOT)
logged("the proof under the positive label", receipt(proofs={1: [cb([7, 3, PATH])]}), NOT)
logged("a proof of consistency in its place", receipt(proofs={-2: [cb([7, 3, PATH])]}), NOT)
logged("size 0", receipt([0, 3, PATH]), NOT)
logged("the index is the size", receipt([7, 7, PATH]), NOT)
logged("the index of the neighbour", receipt([7, 2, PATH]), NOT)
logged("another size with another path", receipt([4, 3, PATH]), NOT)
logged("the size is negative", receipt([-7, 3, PATH]), NOT)
logged("the size is a float", receipt([Raw(b"\xf9\x47\x00"), 3, PATH]), NOT)
logged("the size is endless", receipt([2**64 - 1, 3, PATH]), NOT)
logged("the index is endless", receipt([2**64 - 1, 2**64 - 2, PATH]), NOT)
logged("a hash more", receipt([7, 3, PATH + [others[0]]]), NOT)
logged("a hash fewer", receipt([7, 3, PATH[:-1]]), NOT)
logged("no hash", receipt([7, 3, []]), NOT)
logged("the hashes from the root", receipt([7, 3, PATH[::-1]]), NOT)
logged("a hash of 31 bytes", receipt([7, 3, PATH[:-1] + [PATH[-1][:31]]]), NOT)
logged("a hash of 33 bytes", receipt([7, 3, PATH[:-1] + [PATH[-1] + b"\0"]]), NOT)
logged("a hash is null", receipt([7, 3, PATH[:-1] + [None]]), NOT)
logged("the hashes are one string", receipt([7, 3, b"".join(PATH)]), NOT)
logged("a fourth member", receipt([7, 3, PATH, 0]), NOT)
logged("more behind the proof", receipt(proofs={-1: [cb([7, 3, PATH]) + b"\0"]}), NOT)
logged("a proof with a long number", receipt(proofs={-1: [b"\x83\x18\x07\x03" + cb(PATH)]}), NOT)
logged("the proof is a map", receipt({0: 7, 1: 3, 2: PATH}), NOT)
unmarked = [hashlib.sha256(n).digest() for n in others]
unmarked[3] = hashlib.sha256(STATEMENT).digest()
logged("leaves without their mark", receipt([7, 3, path(3, unmarked)], root=tree(unmarked)), NOT)
pair_of = [tree(LEAVES[:2]), tree(LEAVES[2:4])]
logged("a node as the entry", receipt([2, 1, [pair_of[0]]], root=tree(pair_of)), NOT)
logged("nodes without their mark", receipt(root=tree(LEAVES, b"")), NOT)
# The form has at least one hash (5.2.1), but `scitt-cose` publishes a receipt that has none.
logged("a tree of one leaf, which has no path", receipt([1, 0, []], root=LEAVES[3]), SHOWN)
logged("the root of another tree is signed", receipt(root=tree(LEAVES[:6])), NOT)
logged("the leaf is signed", receipt(root=LEAVES[3]), NOT)
logged("an unknown log", receipt(header={1: -8, 395: 1}, key=other), NOT)
logged("an unknown log with a known id", receipt(key=other), NOT)
logged("no tag", receipt(tag=b""), NOT)
logged(
    "its algorithm is not signed",
    receipt(header={395: 1}, own={1: -8, 396: {-1: [cb([7, 3, PATH])]}}),
    NOT,
)
logged("critical, unknown", receipt(header={**LOG_HEADER, 2: [395]}), NOT)
logged("not in a byte string", None, NOT, [Raw(receipt())])
logged("not in a list", None, NOT, receipt())
logged("an empty list", None, NOT, [])
logged("in a map", None, NOT, {0: receipt()})
logged("a good one behind another", None, SHOWN, [receipt(key=other), receipt()])
logged("a good one behind what is none", None, SHOWN, [b"x", receipt()])
logged("of another statement", receipt([7, 4, path(4, LEAVES)]), NOT)
FILES = LEAVES[:3] + [leaf_hash(FILE)] + LEAVES[4:]
beside = receipt([7, 3, path(3, FILES)], root=tree(FILES))
case("receipt: of the file, beside it", whole, GOOD, "log", SHOWN, receipt=beside)
case("receipt: of the file, within the envelope", envelope(own={394: [beside]}), GOOD, "log", NOT)
case("receipt: of the statement, beside the file", whole, GOOD, "log", NOT, receipt=receipt())
case(
    "receipt: of a file that is another",
    whole,
    GOOD,
    "log",
    NOT,
    receipt=receipt([7, 4, path(4, FILES)], root=tree(FILES)),
)
case("receipt: signed with the statement", envelope(header({394: [beside]})), GOOD, "log", NOT)
