"""The result of an integrator's step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ipc_articulation.arrays import Array


@dataclass(frozen=True)
class Step:
    """The state at the end of a step. It can be unpacked: `q, v = step`."""

    q: Array  # (..., nq)
    v: Array  # (..., nv)

    def __iter__(self) -> Iterator[Array]:
        return iter((self.q, self.v))


@dataclass(frozen=True)
class ImplicitStep(Step):
    """The state at the end of an implicit step, and the Hessian of the incremental potential that it minimises."""

    mass: Array  # M̂ (nv, nv)
