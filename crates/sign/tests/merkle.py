"""The roots and proofs of trees by the definitions of RFC 9162, for `log.rs` to compare with its own.

Each tree has the leaves "0", "1", and so on. A line for each size: the size, the root, the digest of
all inclusion paths, the digest of all consistency paths.
"""

import functools
import hashlib
import sys


@functools.cache
def root(first, end):
    if end - first == 0:
        return hashlib.sha256(b"").digest()
    if end - first == 1:
        return hashlib.sha256(b"\0" + str(first).encode()).digest()
    k = first + split(end - first)
    return hashlib.sha256(b"\1" + root(first, k) + root(k, end)).digest()


def split(n):
    k = 1
    while k * 2 < n:
        k *= 2
    return k


@functools.cache
def path(m, first, end):
    n = end - first
    if n == 1:
        return ()
    k = split(n)
    if m < k:
        return (*path(m, first, first + k), root(first + k, end))
    return (*path(m - k, first + k, end), root(first, first + k))


@functools.cache
def subproof(m, first, end, whole):
    n = end - first
    if m == n:
        return () if whole else (root(first, end),)
    k = split(n)
    if m <= k:
        return (*subproof(m, first, first + k, whole), root(first + k, end))
    return (*subproof(m - k, first + k, end, False), root(first, first + k))


for size in range(1, int(sys.argv[1]) + 1):
    inclusion, consistency = hashlib.sha256(), hashlib.sha256()
    for index in range(size):
        inclusion.update(b"".join(path(index, 0, size)))
        consistency.update(b"".join(subproof(index + 1, 0, size, True)))
    print(size, root(0, size).hex(), inclusion.hexdigest(), consistency.hexdigest())
