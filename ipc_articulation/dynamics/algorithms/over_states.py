"""Functions of a model and of one state or a batch of states, made from compiled kernels.

One state in plain float64 arrays is passed directly to the machine code, without numba's check of types; anything else
is converted, checked and broadcast first. Large batches are split among threads.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, TypeVar

import numba
import numpy as np
from numba import types
from numpy import empty, ndarray
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.cores import cores, share
from ipc_articulation.dynamics.algorithms.bad_states import complain, converted, leading_axes
from ipc_articulation.dynamics.algorithms.lift import lifted
from ipc_articulation.dynamics.arguments import FLOAT, require
from ipc_articulation.dynamics.kernels.of_formula import kernels_of
from ipc_articulation.dynamics.kernels.tree import NODE
from ipc_articulation.dynamics.model.model import Model
from ipc_articulation.dynamics.model.shapes_of_arrays import RANK
from ipc_articulation.errors import StateError

Function = TypeVar("Function", bound=Callable[..., Array])
WithLoops = Callable[..., Array]
Refuse = Callable[[Model, Sequence[Array]], None]

A_THREAD = 256  # smallest number of states for which a thread pays

TREE = types.Array(numba.from_dtype(NODE), 1, "C")
_PARAMETERS = {
    "index": types.int64,
    "point": types.float64[::1],
    "indices": types.int64[::1],
    "poses": types.float64[:, :, ::1],
}


class Algorithm:
    """One algorithm for a single state or a batch.

    Args:
        formula: See `kernels/of_formula.py`.
        takes: The kinds of the state arrays, keys of `Model.shapes`.
        gives: The kind of the result, a key of `Model.shapes`.
        parameters: Kinds of the arguments before the states, keys of `_PARAMETERS`.
        with_loops: The algorithm for a robot with loops, a function of (model, *states); None: the result for its
            spanning tree is projected.
        refuse: Raises the error for states, each with one leading axis, that the formula refuses though they are valid.
    """

    def __init__(
        self,
        formula: Any,
        takes: Sequence[str],
        gives: str,
        parameters: Sequence[str] = (),
        with_loops: WithLoops | None = None,
        refuse: Refuse | None = None,
    ) -> None:
        self.formula, self.takes, self.gives, self.with_loops = formula, tuple(takes), gives, with_loops
        self.refuse = refuse
        self.at = types.Tuple((TREE, *(_PARAMETERS[kind] for kind in parameters))) if parameters else TREE

    @cached_property
    def run_single(self) -> Callable[..., int]:
        """Machine code for one state. It checks neither types nor numbers of axes of its arguments."""
        return self._compile(leading=0)

    @cached_property
    def run_batch(self) -> Callable[..., int]:
        """Machine code for a batch."""
        return self._compile(leading=1)

    def _compile(self, leading: int) -> Callable[..., int]:
        kernel = kernels_of(self.formula, len(self.takes), self.at is not TREE)[leading]
        states = [types.Array(types.float64, RANK[name] + leading, "A") for name in self.takes]
        out = types.Array(types.float64, RANK[self.gives] + leading, "C")
        return kernel.compile((self.at, *states, out))

    def __call__(
        self,
        model: Model,
        *states: ArrayLike,
        parameters: tuple = (),
        out: Array | None = None,
        shape: tuple[int, ...] | None = None,
    ) -> Array:
        """Run on a state or a batch.

        Args:
            model: The model.
            states: The state arrays that the algorithm takes, each with any leading axes.
            parameters: The parameters of the algorithm.
            out: Array for the result; None: a new array.
            shape: Shape of the result for one state; None: the model's shape of `gives`.

        Raises:
            StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
        """
        require("model", model, Model)
        if model.loops:
            return self._lifted(model, states, parameters, out, shape)
        arrays = [converted(model, name, x) for name, x in zip(self.takes, states, strict=True)]
        axes = [x.shape[: x.ndim - RANK[name]] for x, name in zip(arrays, self.takes, strict=True)]
        leading = leading_axes(self.takes, axes)
        shape = model.shapes[self.gives] if shape is None else shape
        at = (model.tree, *parameters) if parameters else model.tree
        result = empty((*leading, *shape)) if out is None else fitting(out, (*leading, *shape))
        if leading == ():
            if self.run_single(at, *arrays, result):
                self._complain(model, [x[None] for x in arrays])
        else:
            cores = [model.shapes[name] for name in self.takes]
            flat = [_flat(x, leading, core) for x, core in zip(arrays, cores, strict=True)]
            self._split(model, at, flat, result.reshape(-1, *shape))
        return result

    def _lifted(
        self, model: Model, states: Sequence[ArrayLike], parameters: tuple, out: Array | None, shape: Any
    ) -> Array:
        if self.with_loops is not None:
            result = self.with_loops(model, *states)
        else:
            on_tree = functools.partial(self, parameters=parameters, shape=shape)
            result = lifted(on_tree, model, self.takes, self.gives, states)
        if out is None:
            return result
        fitting(out, result.shape)[...] = result
        return out

    def _split(self, model: Model, at: Any, states: list[Array], result: Array) -> None:
        """Run a batch, in equal parts on all cores."""
        if len(result) < 2 * A_THREAD:
            if self.run_batch(at, *states, result):
                self._complain(model, states)
            return
        parts = min(cores(), len(result) // A_THREAD)
        bounds = np.linspace(0, len(result), parts + 1).astype(int)

        def run(piece: slice) -> int:
            return self.run_batch(at, *(x[piece] for x in states), result[piece])

        if any(share(run, [slice(a, b) for a, b in itertools.pairwise(bounds)])):
            self._complain(model, states)

    def _complain(self, model: Model, states: Sequence[Array]) -> None:
        complain(model, self.takes, states)
        if self.refuse is not None:
            self.refuse(model, states)


def over_states(
    formula: Any,
    takes: Sequence[str],
    gives: str,
    with_loops: WithLoops | None = None,
    refuse: Refuse | None = None,
) -> Callable[[Function], Function]:
    """Make a function of (model, q, out=None), (model, q, v, out=None) or (model, q, v, x, out=None) run an algorithm.

    Only the name and the docstring of the function are used; the arguments are those of `Algorithm`.
    """
    algorithm = Algorithm(formula, takes, gives, with_loops=with_loops, refuse=refuse)
    call = (_of_q, _of_q_v, _of_q_v_x)[len(takes) - 1](algorithm)
    return lambda function: functools.wraps(function)(call)  # type: ignore[return-value]


def _of_q(algorithm: Algorithm) -> Callable[..., Array]:
    gives = algorithm.gives

    def call(model: Model, q: Any, out: Array | None = None) -> Array:
        try:
            if out is None and not model.loops and type(q) is ndarray and q.dtype is FLOAT and q.ndim == 1:
                result = empty(model.shapes[gives])
                if not algorithm.run_single(model.tree, q, result):
                    return result
        except (AttributeError, TypeError):  # no arrays, or a batch
            pass
        return algorithm(model, q, out=out)

    return call


def _of_q_v(algorithm: Algorithm) -> Callable[..., Array]:
    gives = algorithm.gives

    def call(model: Model, q: Any, v: Any, out: Array | None = None) -> Array:
        try:
            is_plain = type(q) is type(v) is ndarray and q.dtype is v.dtype is FLOAT and q.ndim == v.ndim == 1
            if out is None and not model.loops and is_plain:
                result = empty(model.shapes[gives])
                if not algorithm.run_single(model.tree, q, v, result):
                    return result
        except (AttributeError, TypeError):  # no arrays, or a batch
            pass
        return algorithm(model, q, v, out=out)

    return call


def _of_q_v_x(algorithm: Algorithm) -> Callable[..., Array]:
    gives = algorithm.gives

    def call(model: Model, q: Any, v: Any, x: Any, out: Array | None = None) -> Array:
        try:
            is_plain = q.dtype is v.dtype is x.dtype is FLOAT and q.ndim == v.ndim == x.ndim == 1
            is_plain = is_plain and type(q) is type(v) is type(x) is ndarray
            if out is None and not model.loops and is_plain:
                result = empty(model.shapes[gives])
                if not algorithm.run_single(model.tree, q, v, x, result):
                    return result
        except (AttributeError, TypeError):  # no arrays, or a batch
            pass
        return algorithm(model, q, v, x, out=out)

    return call


def _flat(x: Array, leading: tuple[int, ...], core: tuple[int, ...]) -> Array:
    if len(leading) == 1 and x.shape == (*leading, *core):  # the fast case
        return x
    return np.broadcast_to(x, (*leading, *core)).reshape(-1, *core)


def fitting(out: Array, shape: tuple[int, ...]) -> Array:
    """The array for a result, if its shape and type fit.

    Raises:
        StateError: It has another shape or type.
    """
    good = isinstance(out, np.ndarray) and out.shape == shape and out.dtype == FLOAT
    if not good or not out.flags.c_contiguous or not out.flags.writeable:
        given = f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else repr(out)
        raise StateError(f"out must be a C-ordered float64 array of shape {shape}; it is {given}")
    return out
