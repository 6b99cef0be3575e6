"""Who touches whom, and how: the contact model of every pair of bodies and of every body with every half-plane.

Pairs that agree in everything share one material; few materials describe any scene.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints

NO_CONTACT = -1


@dataclass(frozen=True)
class Rules:
    """The contact table of a scene: what holds between two contact elements, and between two subscenes; symmetric."""

    resistance: Array  # (e, e) κ_c [Pa], not positive for adaptive
    friction: Array  # (e, e) μ
    enabled: Bools  # (e, e)
    subscenes: Bools  # (s, s) whether two subscenes touch


@dataclass(frozen=True)
class Traits:
    """What contact needs to know of n bodies."""

    element: Ints  # (n,) contact element
    subscene: Ints  # (n,)
    d_hat: Array  # (n,) distance at which the barrier begins [m]
    thickness: Array  # (n,) radius about the surface [m]
    is_fixed: Bools  # (n,)
    self_collision: Bools  # (n,)


@dataclass(frozen=True)
class Materials:
    """The distinct contact models of a scene and which pair has which; NO_CONTACT where a pair never touches."""

    resistance: Array  # (k,) κ_c [Pa], NaN for adaptive
    friction: Array  # (k,) μ
    d_hat: Array  # (k,) d̂ [m], the mean of two bodies
    thickness: Array  # (k,) ξ [m], the sum of two bodies
    body_pairs: Ints  # (n, n) symmetric, index of a material
    plane_pairs: Ints  # (n, P) index of a material

    @property
    def touching(self) -> Bools:
        """Which bodies touch, (n, n)."""
        return self.body_pairs != NO_CONTACT

    @property
    def is_adaptive(self) -> bool:
        """Whether any pair leaves its resistance open."""
        used = np.union1d(self.body_pairs, self.plane_pairs)
        return bool(np.isnan(self.resistance[used[used != NO_CONTACT]]).any())

    @property
    def reach(self) -> float:
        """Largest distance at which any pair acts [m]."""
        return float((self.d_hat + self.thickness).max(initial=0.0))


def make_materials(rules: Rules, bodies: Traits, plane_element: Ints, plane_subscene: Ints) -> Materials:
    """Materials of a scene.

    A body touches itself only if its `self_collision` says so, and two fixed bodies do not touch. A half-plane has no
    d̂ and no thickness of its own: the body's count.

    Args:
        rules: The contact table.
        bodies: Traits of the n bodies.
        plane_element: Contact element of every half-plane, (P,).
        plane_subscene: Subscene of every half-plane, (P,).
    """
    columns = np.stack([bodies.element, bodies.subscene, bodies.d_hat, bodies.thickness], axis=1)
    kinds, kind = np.unique(columns, axis=0, return_inverse=True)
    kind = kind.reshape(-1)
    element, subscene = kinds[:, 0].astype(int), kinds[:, 1].astype(int)
    d_hat, thickness = kinds[:, 2], kinds[:, 3]
    between = _models(
        rules,
        *(element, element, subscene, subscene),
        d_hat=0.5 * (d_hat[:, None] + d_hat),
        thickness=thickness[:, None] + thickness,
    )
    planes = (len(kinds), len(plane_element))
    with_planes = _models(
        rules,
        *(element, plane_element, subscene, plane_subscene),
        d_hat=np.broadcast_to(d_hat[:, None], planes),
        thickness=np.broadcast_to(thickness[:, None], planes),
    )
    models = np.concatenate([between.reshape(-1, 5), with_planes.reshape(-1, 5)])
    distinct, index = np.unique(models, axis=0, return_inverse=True)
    index = np.where(distinct[:, 4] > 0.0, np.arange(len(distinct)), NO_CONTACT)[index.reshape(-1)]
    n_between = len(kinds) ** 2
    body_pairs = index[:n_between].reshape(len(kinds), len(kinds))[np.ix_(kind, kind)]
    plane_pairs = index[n_between:].reshape(planes)[kind]
    body_pairs[np.diag_indices(len(kind))] = np.where(bodies.self_collision, np.diag(body_pairs), NO_CONTACT)
    body_pairs[np.ix_(bodies.is_fixed, bodies.is_fixed)] = NO_CONTACT
    plane_pairs[bodies.is_fixed] = NO_CONTACT
    resistance = np.where(distinct[:, 0] > 0.0, distinct[:, 0], np.nan)
    friction, pair_d_hat, pair_thickness = distinct[:, 1:4].T.copy()
    return Materials(resistance, friction, pair_d_hat, pair_thickness, body_pairs, plane_pairs)


def _models(rules: Rules, e_i: Ints, e_j: Ints, s_i: Ints, s_j: Ints, d_hat: Array, thickness: Array) -> Array:
    """(resistance, friction, d̂, ξ, enabled) of every pair (i, j), (I, J, 5)."""
    pair = np.ix_(e_i, e_j)
    enabled = rules.enabled[pair] & rules.subscenes[np.ix_(s_i, s_j)]
    resistance = np.where(rules.resistance[pair] > 0.0, rules.resistance[pair], -1.0)
    return np.stack([resistance, rules.friction[pair], d_hat, thickness, enabled.astype(float)], axis=-1)
