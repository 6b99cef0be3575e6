"""Who touches whom, and how: resistance and friction of every pair of bodies and of every body with every half-plane.

Pairs with the same resistance and friction form one material; few materials describe any scene.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NO_CONTACT = -1


@dataclass(frozen=True)
class Materials:
    """The distinct contact models of a scene and which pair has which; NO_CONTACT where a pair never touches."""

    resistance: NDArray[np.float64]  # (k,) κ_c [Pa]
    friction: NDArray[np.float64]  # (k,) μ
    body_pairs: NDArray[np.int64]  # (n, n) symmetric, index of a material
    plane_pairs: NDArray[np.int64]  # (n, P) index of a material


def make_materials(
    resistance: NDArray[np.float64],
    friction: NDArray[np.float64],
    enabled: NDArray[np.bool_],
    element: NDArray[np.int64],
    plane_element: NDArray[np.int64],
    is_fixed: NDArray[np.bool_],
) -> Materials:
    """Materials of a scene from its contact table.

    A body does not touch itself, and two fixed bodies do not touch.

    Args:
        resistance: κ_c of two contact elements, (e, e), symmetric [Pa].
        friction: μ of two contact elements, (e, e), symmetric.
        enabled: Whether two contact elements touch, (e, e), symmetric.
        element: Contact element of every body, (n,).
        plane_element: Contact element of every half-plane, (P,).
        is_fixed: (n,).
    """
    models = np.stack([resistance.ravel(), friction.ravel()], axis=1)
    distinct, index = np.unique(models, axis=0, return_inverse=True)
    table = np.where(enabled, index.reshape(enabled.shape), NO_CONTACT)
    body_pairs = table[np.ix_(element, element)]
    np.fill_diagonal(body_pairs, NO_CONTACT)
    body_pairs[np.ix_(is_fixed, is_fixed)] = NO_CONTACT
    plane_pairs = table[np.ix_(element, plane_element)]
    plane_pairs[is_fixed] = NO_CONTACT
    return Materials(distinct[:, 0].copy(), distinct[:, 1].copy(), body_pairs, plane_pairs)
