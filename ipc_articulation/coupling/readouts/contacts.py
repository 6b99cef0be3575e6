"""The contacts of a step as the robot sees them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ipc_articulation import affine
from ipc_articulation.arrays import Array, Ints
from ipc_articulation.coupling.readouts.engine_results import StepResults


@dataclass(frozen=True)
class Contacts:
    """k contacts of all bodies of the scene at the end of a step; world frame.

    Barrier and friction between two bodies are separate rows, because lagged friction acts at the points that were
    closest at the beginning of the step; of those rows one of the two forces is zero. With a half-plane they are one.
    """

    points: Array  # (k, 2, 3) [m], on the surfaces of the first and of the second body
    normals: Array  # (k, 3) unit, from the second body to the first
    gaps: Array  # (k,) distance of the two points along the normal, less the thickness of the surfaces [m]
    normal_forces: Array  # (k, 3) [N] on the first body; the second feels the opposite
    friction_forces: Array  # (k, 3) [N] likewise
    couples: Array  # (k, 3) [N·m] likewise; only almost parallel edges have one
    bodies: tuple[tuple[str, str], ...]  # names of the first and the second body (or half-plane) of each
    links: Ints  # (k, 2) places of these in `coupling.link_names`; -1 for what is no link of this robot
    displacements: Array  # (k, 2, 3) [m] of the material points at `points` in the step; zero for half-planes
    turns: Array  # (k, 2, 3) [rad] rotation vectors of the bodies in the step; zero for half-planes

    def __len__(self) -> int:
        return len(self.points)

    @property
    def forces(self) -> Array:
        """Barrier and friction together, (k, 3) [N] on the first body."""
        return self.normal_forces + self.friction_forces

    @property
    def normal_work(self) -> Array:
        """Work of the barrier in the step on the first and the second body, f·Δx + c·Δφ, (k, 2) [J]."""
        return _SIGNS * (_dot(self.normal_forces, self.displacements) + _dot(self.couples, self.turns))

    @property
    def friction_work(self) -> Array:
        """Work of friction in the step on the first and the second body, f·Δx, (k, 2) [J].

        The sum of a row is never positive: it is what friction dissipates.
        """
        return _SIGNS * _dot(self.friction_forces, self.displacements)

    def wrenches(self, count: int) -> Array:
        """Sums on each of `count` links, [moment about the world's origin; force], (count, 6) [N·m; N]."""
        W = np.zeros((count + 1, 6))  # the last row takes what is no link
        for side in range(2):
            moments = np.cross(self.points[:, side], self.forces) + self.couples
            np.add.at(W, self.links[:, side], _SIGNS[side] * np.concatenate([moments, self.forces], axis=1))
        return W[:-1]

    def touching(self, link: int) -> tuple[str, ...]:
        """Names of the bodies and half-planes that a link touches, in the order of the contacts."""
        found = [pair[1 - side] for pair, at in zip(self.bodies, self.links, strict=True) for side in _sides(at, link)]
        return tuple(dict.fromkeys(found))


_SIGNS = np.array([1.0, -1.0])  # of a row's force on its first and on its second body


def contacts_of(results: StepResults, link_ids: list[int]) -> Contacts:
    """The contacts in the results of a step.

    Args:
        results: The engine's.
        link_ids: Ids of the geometries of the robot's links.
    """
    found, bodies = results.contacts, results.contacts.bodies
    place = {(number, 0): link for link, number in enumerate(link_ids)}
    links = np.array([place.get(body, -1) for body in results.ids] + [-1] * (len(results.names) - len(results.ids)))
    points = np.stack([found.points, found.opposite_points], axis=1)
    displacements, turns = _motions(results, bodies, points)
    return Contacts(
        points=points,
        normals=found.normals,
        gaps=found.gaps,
        normal_forces=found.normal_forces,
        friction_forces=found.friction_forces,
        couples=found.couples,
        bodies=tuple((str(results.names[i]), str(results.names[j])) for i, j in bodies.tolist()),
        links=links[bodies],
        displacements=displacements,
        turns=turns,
    )


def _motions(results: StepResults, bodies: Ints, points: Array) -> tuple[Array, Array]:
    """Displacements of material points, and rotation vectors of their bodies, in the step: (k, 2, 3) each.

    A point of a soft body is displaced like the first vertex of its row (see `tetrads`), and does not turn.
    """
    from scipy.spatial.transform import Rotation

    still = np.concatenate([np.zeros(3), np.eye(3).ravel()])
    planes = np.tile(still, (len(results.names) - len(results.q), 1))
    start, end = (np.concatenate([q, planes]) for q in (results.q_start, results.q))
    for q in (start, end):
        q[len(results.ids) : len(results.q), 3:] = still[3:]
    start, end = start[bodies], end[bodies]
    local = np.linalg.solve(affine.linear_part(end), (points - end[..., :3])[..., None])
    before = (affine.linear_part(start) @ local)[..., 0] + start[..., :3]
    R_start, R_end = (affine.linear_part(affine.nearest_rigid(q)) for q in (start, end))
    turn = R_end @ R_start.swapaxes(-1, -2)
    vectors = Rotation.from_matrix(turn.reshape(-1, 3, 3)).as_rotvec() if len(turn) else np.zeros((0, 3))
    return points - before, vectors.reshape(points.shape)


def _dot(forces: Array, displacements: Array) -> Array:
    """(k, 3), (k, 2, 3) -> (k, 2)."""
    return np.einsum("ki,ksi->ks", forces, displacements)


def _sides(links: Ints, link: int) -> list[int]:
    return [side for side in range(2) if links[side] == link]
