#!/usr/bin/env bash
# A group of arrays costs numba's compiled code time by their number, wherever it is passed or taken out of another group, though nothing
# is copied: each array's references are counted up and down, in atomic operations.
#
# A NamedTuple is the natural group, and no page warns of it: a function that is too large to be inlined, and reads three of forty
# arrays, takes some 800 ns a call with a NamedTuple of arrays, and some 40 with a structref of the same arrays, which counts one
# reference. Only within small functions does the compiler remove the counting. Seen with numba 0.68.1.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check numba==0.68.1
"$place/venv/bin/python" - <<'PYTHON'
from collections import namedtuple
from time import perf_counter

import numba
import numpy as np
from numba import njit, types
from numba.experimental import structref

FIELDS = tuple(f"a{k}" for k in range(40))
Tuple = namedtuple("Tuple", FIELDS)
Pair = namedtuple("Pair", ("inner", "scale"))


@structref.register
class ReferenceType(types.StructRef):
    pass


class Reference(structref.StructRefProxy):
    pass


structref.define_proxy(Reference, ReferenceType, FIELDS)


@njit
def hold(arrays):
    return Reference(*arrays)


@njit
def added(inner, k, out):
    for m in range(len(out)):
        if inner.a0[k] < 0.0:
            raise ValueError("negative")
        out[m] += inner.a0[k] * inner.a1[m] + np.sqrt(inner.a2[k])


@njit
def one(pair, k):
    out = np.zeros(3)
    added(pair.inner, k, out)
    if out[0] > 100.0:
        added(pair.inner, k, out)
    return pair.scale * out.sum()


@njit
def many(pair, count):
    total = 0.0
    for k in range(count):
        total += one(pair, k % 8)
    return total


def nanoseconds(pair):
    count = 200_000
    many(pair, count)
    best = 1e9
    for _ in range(5):
        begun = perf_counter()
        many(pair, count)
        best = min(best, perf_counter() - begun)
    return 1e9 * best / count


arrays = Tuple(*np.ones((40, 8)))
by_value, by_reference = nanoseconds(Pair(arrays, 2.0)), nanoseconds(Pair(hold(arrays), 2.0))
print(f"numba {numba.__version__}: {by_value:.0f} ns by value, {by_reference:.0f} ns by reference")
assert by_value > 4.0 * by_reference, "tuples of arrays cost no more than references now"
PYTHON
echo "as described"
