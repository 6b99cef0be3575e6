"""Compiled kernels of an algorithm's formula, for one state and for a batch of states.

A formula is `good = formula(at, *states, out)`: `at` is the tree, or a tuple of the tree and parameters. It relies on
states of the right length and returns whether it accepts them: whether all quaternions have length one, and maybe more.
Its kernels are `bad = kernel(at, *states, out)`; in that of a batch, states and out have a leading axis. They refuse
states of a wrong length, numbers that are not finite, and numbers so large that products of them overflow.
"""

from __future__ import annotations

from typing import Any

from ipc_articulation.dynamics.kernels.kernel import batch_kernel, inlined, kernel
from ipc_articulation.dynamics.kernels.sweep import finite, sizes


def kernels_of(formula: Any, states: int, with_parameters: bool) -> tuple[Any, Any]:
    """Kernels for one state and for a batch.

    Args:
        formula: A compiled formula that is inlined.
        states: The number of arrays that it takes: q; q and v; q, v and a or τ; these three and wrenches.
        with_parameters: Whether it takes parameters besides the tree.
    """
    return _KERNELS[states](formula, _first if with_parameters else _same)


@inlined
def _same(at):
    return at


@inlined
def _first(at):
    return at[0]


def _of_q(formula: Any, tree: Any) -> tuple[Any, Any]:
    @kernel
    def one(at, q, out):
        if sizes(tree(at))[0] != len(q):
            return True
        return not (formula(at, q, out) and finite(q))

    @batch_kernel
    def many(at, q, out):
        bad = False
        for s in range(len(q)):
            bad |= one(at, q[s], out[s])
        return bad

    return one, many


def _of_q_v(formula: Any, tree: Any) -> tuple[Any, Any]:
    @kernel
    def one(at, q, v, out):
        if sizes(tree(at)) != (len(q), len(v)):
            return True
        return not (formula(at, q, v, out) and finite(q) and finite(v))

    @batch_kernel
    def many(at, q, v, out):
        bad = False
        for s in range(len(q)):
            bad |= one(at, q[s], v[s], out[s])
        return bad

    return one, many


def _of_q_v_x(formula: Any, tree: Any) -> tuple[Any, Any]:
    @kernel
    def one(at, q, v, x, out):
        if sizes(tree(at)) != (len(q), len(v)) or len(x) != len(v):
            return True
        return not (formula(at, q, v, x, out) and finite(q) and finite(v) and finite(x))

    @batch_kernel
    def many(at, q, v, x, out):
        bad = False
        for s in range(len(q)):
            bad |= one(at, q[s], v[s], x[s], out[s])
        return bad

    return one, many


def _of_q_v_x_wrenches(formula: Any, tree: Any) -> tuple[Any, Any]:
    @kernel
    def one(at, q, v, x, wrenches, out):
        if sizes(tree(at)) != (len(q), len(v)) or len(x) != len(v):
            return True
        good = formula(at, q, v, x, wrenches, out)
        return not (good and finite(q) and finite(v) and finite(x) and finite(wrenches.ravel()))

    @batch_kernel
    def many(at, q, v, x, wrenches, out):
        bad = False
        for s in range(len(q)):
            bad |= one(at, q[s], v[s], x[s], wrenches[s], out[s])
        return bad

    return one, many


_KERNELS = {1: _of_q, 2: _of_q_v, 3: _of_q_v_x, 4: _of_q_v_x_wrenches}
