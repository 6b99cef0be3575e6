"""Forward dynamics of robots with loops (`cluster_aba.py`), one compiled call that includes the constraints."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numba
import numpy as np
from numba import types
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.bad_states import checked, complain, leading_axes
from ipc_articulation.dynamics.algorithms.cluster_aba import cluster_aba
from ipc_articulation.dynamics.algorithms.over_states import TREE, fitting
from ipc_articulation.dynamics.algorithms.solve import refuse_singular
from ipc_articulation.dynamics.arguments import FLOAT
from ipc_articulation.dynamics.kernels.kernel import kernel
from ipc_articulation.dynamics.kernels.sweep import finite
from ipc_articulation.dynamics.kernels.tree import ROTATION
from ipc_articulation.dynamics.loops.kinds import AFFINE, BAD, OPEN, SINGULAR
from ipc_articulation.dynamics.loops.motion import explain, with_given
from ipc_articulation.dynamics.loops.program import CLUSTER, STEP
from ipc_articulation.dynamics.loops.unroll import INDICES, LOOPS, MATRIX, PAIRS, STATE, VECTOR, unroll
from ipc_articulation.dynamics.model.model import Model

NO_WRENCHES = np.zeros((0, 6))


def forward_dynamics_with_loops(
    model: Model, x: ArrayLike, y_dot: ArrayLike, tau: ArrayLike, wrenches: ArrayLike | None, out: Array | None
) -> Array:
    """As `forward_dynamics`, in time linear in the number of clusters. Batches are computed state by state.

    Raises:
        ModelError: A joint moves no inertia.
        StateError: A wrong shape, a number that is not finite, a zero quaternion, an open or singular loop.
    """
    try:
        plain = type(x) is type(y_dot) is type(tau) is np.ndarray and x.dtype is y_dot.dtype is tau.dtype is FLOAT
        if plain and wrenches is out is None and x.ndim == y_dot.ndim == tau.ndim == 1:  # type: ignore[union-attr]
            result = np.empty(model.shapes["a"])
            if not model.closure.direct(x, y_dot, tau, NO_WRENCHES, result):  # type: ignore[misc]
                return result
    except (AttributeError, TypeError):  # no arrays, several states, or not compiled yet
        pass
    if not model.closure.program.given:
        model.closure.direct = partial(compiled_forward_dynamics(), *model.closure.records)
    names = "q", "v", "tau"
    given = [checked(model, name, state) for name, state in zip(names, (x, y_dot, tau), strict=True)]
    w = NO_WRENCHES if wrenches is None else checked(model, "wrenches", wrenches)
    leading = leading_axes((*names, "wrenches"), [*(state.shape[:-1] for state in given), w.shape[:-2]])
    result = np.empty((*leading, model.nv)) if out is None else fitting(out, (*leading, model.nv))
    x, y_dot, tau = (np.broadcast_to(s, (*leading, s.shape[-1])) for s in given)
    w = np.broadcast_to(w, (*leading, *w.shape[-2:]))
    for at in np.ndindex(leading):
        _one(model, x[at], y_dot[at], tau[at], np.ascontiguousarray(w[at]), result[at])
    return result


def _one(model: Model, x: Array, y_dot: Array, tau: Array, wrenches: Array, result: Array) -> None:
    records = model.closure.records
    if model.closure.program.given:
        records = records._replace(parameters=with_given(model.closure, x, y_dot, OPEN | SINGULAR))
    status = compiled_forward_dynamics()(*records, x, y_dot, tau, wrenches, result)
    if status & (OPEN | SINGULAR):
        explain(model.closure, x, OPEN | SINGULAR)
    if status & BAD:
        complain(model, ["q"], [x[None]])
        refuse_singular(model, [x[None]])


@kernel
def _forward_dynamics(
    tree, loops, members, parameters, clusters, steps, ys, column, constant, x, y_dot, tau, wrenches, y_ddot
):
    """Compute ÿ from x, ẏ and τ into y_ddot. The arguments before x are `Records`. Returns: a status as in `unroll`."""
    last, n = tree[len(tree) - 1], len(constant)
    q, v, g, G = np.empty(last.q + (4 if last.kind == ROTATION else last.nv)), np.empty(n), np.empty(n), constant
    for i in range(len(loops)):
        if loops[i].kind > AFFINE:
            G = constant.copy()
            break
    status = unroll(loops, members, parameters, column, x, y_dot, q, v, G, g)
    if status == 0:
        if len(tau) != len(y_ddot) or not finite(tau) or not finite(wrenches.ravel()):
            return BAD
        if not cluster_aba(tree, clusters, steps, ys, G, g, q, v, tau, wrenches, y_ddot):
            return BAD
    return status


@lru_cache
def compiled_forward_dynamics() -> Callable[..., int]:
    """Machine code, called without numba's check of argument types."""
    clusters, steps = (types.Array(numba.from_dtype(dtype), 1, "C") for dtype in (CLUSTER, STEP))
    records: tuple[Any, ...] = (TREE, LOOPS, PAIRS, VECTOR, clusters, steps, INDICES, INDICES, MATRIX)
    return _forward_dynamics.compile((*records, STATE, STATE, STATE, MATRIX, VECTOR))
