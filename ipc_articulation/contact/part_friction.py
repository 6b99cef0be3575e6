"""Friction of affine bodies whose vertices have different contact elements: by parts, the vertices with one element.

As in libuipc, μ of two primitives is a mean over their vertices, see `soft.vertex_elements`; that of a vertex and a
half-plane is the table's entry.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints

ALL = -1  # in place of a contact element: all parts of a body, or a half-plane


class PartFriction:
    """Coefficients of the N parts of m bodies with each other and with P half-planes; they may change between steps."""

    def __init__(self, body: Ints, element: Ints, planes: Ints, friction: Array) -> None:
        """Find the parts.

        Args:
            body: The body of each vertex, (V,).
            element: Its contact element, (V,).
            planes: The element of every half-plane, (P,).
            friction: The contact table, (e, e).
        """
        parts, self.of_vertex = np.unique(np.stack([body, element], axis=1), axis=0, return_inverse=True)
        self.of_vertex = self.of_vertex.reshape(-1)  # (V,)
        self._body, self._element = parts.T
        self.friction = friction[np.ix_(self._element, np.concatenate([self._element, planes]))]  # (N, N + P) μ

    def set(self, first: tuple[int, int], second: tuple[int, int], mu: float, count: int) -> None:
        """Give two sides another μ.

        Args:
            first: Number of a body, or `count` and that of a half-plane; and a contact element of the body, or ALL.
            second: Likewise; not two half-planes.
            mu: The coefficient.
            count: Number m of all bodies.
        """
        for one, other in ((first, second), (second, first)):
            if one[0] < count:
                self.friction[np.ix_(self._columns(one, count), self._columns(other, count))] = mu

    def _columns(self, side: tuple[int, int], count: int) -> Ints:
        number, element = side
        if number >= count:
            return np.array([len(self.friction) + number - count])
        return np.flatnonzero((self._body == number) & ((element == ALL) | (self._element == element)))
