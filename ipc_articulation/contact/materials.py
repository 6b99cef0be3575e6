"""The contact model of every pair of bodies, and of every body with every half-plane.

Pairs with equal parameters have the same material, whatever their friction is; most scenes have few materials.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ipc_articulation.arguments import FINITE, Wanted
from ipc_articulation.arrays import Array, Bools, Ints

NO_CONTACT = -1
MOST_FRICTION = 1e6  # beyond it friction is so stiff that rounding holds what is pulled off
FRICTION = Wanted(f"a number from 0 to {MOST_FRICTION:g}", lambda mu: FINITE.accepts(mu) and 0.0 <= mu <= MOST_FRICTION)
BY_LOAD = -2.0  # in a contact table: the pair chooses its resistance itself, see `resistance`


@dataclass(frozen=True)
class Rules:
    """The contact table of a scene: parameters for two contact elements, and for two subscenes; symmetric."""

    resistance: Array  # (e, e) κ_c [Pa], not positive for adaptive, BY_LOAD for that of `resistance`
    friction: Array  # (e, e) μ
    enabled: Bools  # (e, e)
    subscenes: Bools  # (s, s) whether two subscenes touch
    anchored: bool = False  # whether friction holds, see `friction_law`
    friction_iterations: int = 1  # minimisations that a step may have, see `engine.newton.lagging`


@dataclass(frozen=True)
class Traits:
    """Contact properties of n bodies, a soft body being one."""

    element: Ints  # (n,) contact element
    subscene: Ints  # (n,)
    d_hat: Array  # (n,) distance at which the barrier begins [m]
    thickness: Array  # (n,) radius about the surface [m]
    is_fixed: Bools  # (n,)
    self_collision: Bools  # (n,)


@dataclass(frozen=True)
class Materials:
    """The distinct contact models of a scene, and the model of each pair; NO_CONTACT for pairs that never touch."""

    resistance: Array  # (k,) κ_c [Pa], NaN for adaptive or by load
    by_load: Bools  # (k,) see `resistance`
    d_hat: Array  # (k,) d̂ [m], the mean of two bodies
    thickness: Array  # (k,) ξ [m], the sum of two bodies
    body_pairs: Ints  # (m, m) symmetric, index of a material
    plane_pairs: Ints  # (m, P) index of a material
    friction: Array  # (m, m + P) μ of every body with every body and every half-plane; may change between steps
    group: Ints  # (n,) which of the m bodies each row of coordinates belongs to; affine bodies have one row each

    @property
    def touching(self) -> Bools:
        """Whether two bodies may touch, (m, m)."""
        return self.body_pairs != NO_CONTACT

    @property
    def is_adaptive(self) -> bool:
        """Whether a pair has libuipc's adaptive resistance."""
        used = np.union1d(self.body_pairs, self.plane_pairs)
        used = used[used != NO_CONTACT]
        return bool((np.isnan(self.resistance[used]) & ~self.by_load[used]).any())

    @property
    def reach(self) -> float:
        """Largest distance at which a pair has contact forces [m]."""
        return float((self.d_hat + self.thickness).max(initial=0.0))


def make_materials(
    rules: Rules, bodies: Traits, plane_element: Ints, plane_subscene: Ints, group: Ints | None = None
) -> Materials:
    """Materials of a scene.

    A body touches itself only if its `self_collision` is set, and two fixed bodies do not touch. A half-plane has no d̂
    and no thickness; those of the body are used.

    Args:
        rules: The contact table.
        bodies: Traits of the n bodies.
        plane_element: Contact element of every half-plane, (P,).
        plane_subscene: Subscene of every half-plane, (P,).
        group: The body of each row of coordinates, (n,); None: each has one.
    """
    columns = np.stack([bodies.element, bodies.d_hat, bodies.thickness], axis=1)
    kinds, kind = np.unique(columns, axis=0, return_inverse=True)
    kind, count = kind.reshape(-1), len(kinds)
    models = _models(rules, kinds, plane_element)
    distinct, index = np.unique(models.reshape(-1, 4), axis=0, return_inverse=True)
    resistance, d_hat, thickness, enabled = distinct.T.copy()
    pairs = np.where(enabled > 0.0, np.arange(len(distinct)), NO_CONTACT)[index.reshape(models.shape[:2])][kind]
    body_pairs, plane_pairs = map(np.ascontiguousarray, (pairs[:, kind], pairs[:, count:]))
    body_pairs[~rules.subscenes[np.ix_(bodies.subscene, bodies.subscene)]] = NO_CONTACT
    plane_pairs[~rules.subscenes[np.ix_(bodies.subscene, plane_subscene)]] = NO_CONTACT
    body_pairs[np.diag_indices(len(kind))] = np.where(bodies.self_collision, np.diag(body_pairs), NO_CONTACT)
    body_pairs[np.ix_(bodies.is_fixed, bodies.is_fixed)] = NO_CONTACT
    plane_pairs[bodies.is_fixed] = NO_CONTACT
    given, by_load = np.where(resistance > 0.0, resistance, np.nan), resistance == BY_LOAD
    group = np.arange(len(kind)) if group is None else group
    friction = rules.friction[np.ix_(bodies.element, np.concatenate([bodies.element, plane_element]))]
    return Materials(given, by_load, d_hat, thickness, body_pairs, plane_pairs, friction, group)


def _models(rules: Rules, kinds: Array, plane_element: Ints) -> Array:
    """The contact models (resistance, d̂, ξ, enabled) of K kinds of bodies, in one subscene.

    Args:
        rules: The contact table.
        kinds: Contact element, d̂ and thickness of each kind, (K, 3).
        plane_element: Contact element of every half-plane, (P,).

    Returns:
        Models of every kind with every kind and every half-plane, (K, K + P, 4); adaptive resistance is -1.
    """
    element = kinds[:, 0].astype(int)
    d_hat, thickness = kinds[:, 1, None], kinds[:, 2, None]
    elements = np.ix_(element, np.concatenate([element, plane_element]))
    resistance = np.where(rules.resistance[elements] > 0.0, rules.resistance[elements], -1.0)
    resistance[rules.resistance[elements] == BY_LOAD] = BY_LOAD
    of_planes = np.ones((1, len(plane_element)))
    d_hats = np.hstack([0.5 * (d_hat + d_hat.T), d_hat * of_planes])
    thicknesses = np.hstack([thickness + thickness.T, thickness * of_planes])
    return np.stack([resistance, d_hats, thicknesses, rules.enabled[elements]], axis=-1)
