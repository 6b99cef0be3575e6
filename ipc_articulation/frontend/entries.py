"""Attributes of one collection of a geometry (its vertices, edges, …) whose types are checked: users create them too.

libuipc keeps numbers, vectors, matrices and text in attributes of any name, so a reader must look at the type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.attributes import read

_PLURAL = {"vertex": "vertices", "tetrahedron": "tetrahedra", "stitch": "stitches"}


@dataclass(frozen=True)
class Entries:
    """The n entries of a collection.

    The methods raise a SceneError that names owner, attribute and what would be valid: the attribute is missing and has
    no default, or its type is another.
    """

    collection: Any  # `geometry.vertices()` and the like
    owner: str  # what messages call the geometry
    entry: str = ""  # what they call an entry: "vertex"; "" for `geometry.meta()`, which has one

    def has(self, name: str) -> bool:
        """Whether the attribute exists."""
        return self.collection.find(name) is not None

    def numbers(self, name: str, default: ArrayLike | None = None, shape: tuple[int, ...] = ()) -> Array:
        """Numbers, vectors or matrices of one shape, (n, *shape)."""
        values = self._values(name, default, shape, "iufb", _said(shape))
        return np.array(values, dtype=np.float64)

    def ids(self, name: str, default: int | None = None, shape: tuple[int, ...] = ()) -> Ints:
        """Whole numbers, (n, *shape)."""
        values = self._values(name, default, shape, "iu", _said(shape, "whole number"))
        return values.astype(np.int64)

    def flags(self, name: str, default: bool | None = None) -> Bools:
        """What is 0 or 1, (n,)."""
        values = self._values(name, default, (), "iufb", "0 or 1")
        wrong = (values != 0) & (values != 1)
        if wrong.any():
            k = int(np.argmax(wrong))
            at = f" of {self.entry} {k}" if self.entry else ""
            raise SceneError(f"{self.owner}: '{name}'{at} is {values[k]}; it must be 0 or 1")
        return values != 0

    def _values(
        self, name: str, default: ArrayLike | None, shape: tuple[int, ...], kinds: str, wanted: str
    ) -> NDArray[Any]:
        values = read(self.collection, name)
        if values is None:
            if default is None:
                on = f" on its {self._plural}" if self.entry else ""
                raise SceneError(f"{self.owner} has no attribute '{name}'{on}")
            return np.broadcast_to(default, (self.collection.size() if self.entry else 1, *shape))
        if values.dtype.kind not in kinds or values.shape[1:] != shape:
            of, each = (f" of its {self._plural}", " each") if self.entry else ("", "")
            raise SceneError(f"{self.owner}: '{name}'{of} is {_found(values, kinds)}{each}; it must be {wanted}{each}")
        return values

    @property
    def _plural(self) -> str:
        return _PLURAL.get(self.entry, f"{self.entry}s")


def _found(values: NDArray[Any], kinds: str) -> str:
    if values.dtype.kind not in "iufb":
        return "text"
    return _said(values.shape[1:], "number" if values.dtype.kind in kinds else "floating-point number")


def _said(shape: tuple[int, ...], number: str = "number") -> str:
    if not shape:
        return f"a {number}"
    if len(shape) == 1:
        return f"a vector of {shape[0]} {number}s"
    return f"a {' x '.join(map(str, shape))} matrix"
