"""Displacements and velocities of the model's joints as the scene measures them, and back.

In the model a rotation moves by φ in the axes of the frame before it: R⁺ = exp(φ~) R (`dynamics/joints/elements.py`).
The scene's joints measure the rotation vector in the axes of the child's link, and a free joint the displacement of
that link's origin in the axes of the parent's link (`articulation/free.py`). With the constant frames B, of the joint
in the parent's link, and C, of the child's link in the moving frame, the child is in its parent at

    H = B [R p; 0 1] C,   B = [B_R b; 0 1],   C = [C_R c; 0 1],

and with r = R c, S = R C_R a displacement (δp, φ) of the model is in the scene, for steps of any size,

    δφ_s = Sᵀ φ,     because (B_R R C_R)ᵀ (B_R exp(φ~) R C_R) = exp((Sᵀ φ)~),
    δx_s = B_R (δp + exp(φ~) r - r).

The velocities that belong to it are v = V v_s,   V = [B_Rᵀ, r~ S; 0, S], so that M̂ becomes Vᵀ M̂ V. Coordinates of loops
are those of one of their joints: v_s = v · scale. All other velocities are the same in both.

Only where c ≠ 0 is the map of displacements not linear. Then a quadratic potential in the scene's coordinates differs
from that in the model's by terms of third order; its minimum is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from ipc_articulation.adapters.native.chain import LinkChain
from ipc_articulation.adapters.native.coordinate_kernels import (
    displacements_to_model,
    displacements_to_scene,
    masses_to_scene,
    velocities_to_model,
)

from ipc_articulation import spatial
from ipc_articulation.arrays import Array, Ints
from ipc_articulation.dynamics.model import Model


@dataclass(frozen=True)
class SceneCoordinates:
    """The coordinates of a robot with k rotations, of which f belong to free joints."""

    scale: Array  # (nv,) of each independent velocity
    at_q: Ints  # (k, 4) quaternions in q
    at_v: Ints  # (k, 3) rotations in v
    child: Array  # (k, 3, 3) C_R
    free: Ints  # (f,) the rotations that belong to free joints
    at_x: Ints  # (f, 3) translations in v
    before: Array  # (f, 4, 4) B
    origin: Array  # (f, 3) c

    @staticmethod
    def of(robot: Model, chain: LinkChain, scale: Array) -> SceneCoordinates:
        """Those of a robot.

        Args:
            robot: The robot.
            chain: The links of its spanning tree.
            scale: The scene's velocity a unit of each independent one, (nv,); 1 for rotations.
        """
        links = [link for link, kind in enumerate(chain.kinds) if kind in ("spherical", "free")]
        at_q = np.array([np.arange(q.start, q.stop) for q, _ in robot.rotations], dtype=np.int64).reshape(-1, 4)
        at_v = np.array([np.arange(v.start, v.stop) for _, v in robot.rotations], dtype=np.int64).reshape(-1, 3)
        free = np.array([k for k, link in enumerate(links) if chain.kinds[link] == "free"], dtype=np.int64)
        moving = [links[k] for k in free]
        before = np.array([_frame_before(chain, link) for link in moving]).reshape(-1, 4, 4)
        return SceneCoordinates(
            scale=scale,
            at_q=at_q,
            at_v=at_v,
            child=chain.from_link[links, :3, :3],
            free=free,
            at_x=at_v[free] - 3,
            before=before,
            origin=chain.from_link[moving, :3, 3],
        )

    def to_scene(self, q: Array, change: Array) -> Array:
        """δθ of a displacement of the model from a position: (..., nq), (..., nv) -> (..., nv)."""
        return self._mapped(displacements_to_scene, q, self.scale * change)

    def to_model(self, q: Array, delta: Array) -> Array:
        """The displacement from a position whose δθ is given: (..., nq), (..., nv) -> (..., nv)."""
        return self._mapped(displacements_to_model, q, delta / self.scale)

    def velocities(self, q: Array) -> Array | None:
        """V at a position (nq,), (nv, nv); None without rotations, where it is diagonal: 1/scale."""
        if not len(self.at_q):
            return None
        R, V = self._rotations(q), np.diag(1.0 / self.scale)
        S = R @ self.child
        V[_block(self.at_v, self.at_v)] = S
        V[_block(self.at_x, self.at_x)] = self._axes.mT
        V[_block(self.at_x, self.at_v[self.free])] = spatial.skew(self._lever(R)) @ S[self.free]
        return V

    def velocity_to_scene(self, q: Array, v: Array) -> Array:
        """θ̇ of a velocity: (nq,), (nv,) -> (nv,)."""
        V = self.velocities(q)
        return self.scale * v if V is None else np.asarray(np.linalg.solve(V, v))

    def velocity_to_model(self, q: Array, rate: Array) -> Array:
        """The velocity whose θ̇ is given, V θ̇: (..., nq), (..., nv) -> (..., nv)."""
        return self._mapped(velocities_to_model, q, rate / self.scale)

    def mass_to_scene(self, q: Array, mass: Array) -> Array:
        """Vᵀ M̂ V: (..., nq), (..., nv, nv) -> (..., nv, nv)."""
        if self.is_the_models:
            return mass
        return self._mapped(masses_to_scene, q, mass / self.scale / self.scale[:, None], 2)

    def force_to_model(self, q: Array, force: Array) -> Array:
        """Generalised forces V⁻ᵀ f of the model that do the work of forces f on θ: (nq,), (nv,) -> (nv,)."""
        V = self.velocities(q)
        return self.scale * force if V is None else np.asarray(np.linalg.solve(V.T, force))

    def theta(self, q: Array, plain: Array) -> Array:
        """Positions θ: of a free joint the child's pose in its parent, of a ball joint C_Rᵀ log R.

        Args:
            q: Position, (nq,).
            plain: Positions of the joints that turn or slide, (nv,); others are not used.

        Returns:
            (nv,) [rad or m].
        """
        result = np.array(plain)
        if len(self.at_q):
            R = self._rotations(q)
            result[self.at_v] = _times(self.child.mT, spatial.quaternion_log(q[self.at_q]))
            H = self.before @ spatial.pose(R[self.free], q[self._at_p]) @ self._moving
            result[self.at_v[self.free]] = spatial.quaternion_log(spatial.quaternion_from_rotation(H[:, :3, :3]))
            result[self.at_x] = H[:, :3, 3]
        return result

    def with_rotations(self, q: Array, theta: Array) -> Array:
        """A position (nq,) whose rotations and free joints are at θ, (nv,): the inverse of `theta`."""
        result, turn = np.array(q), theta[self.at_v]
        result[self.at_q] = spatial.quaternion_exp(_times(self.child, turn))
        poses = spatial.pose(
            spatial.rotation_from_quaternion(spatial.quaternion_exp(turn[self.free])), theta[self.at_x]
        )
        H = spatial.inverse(self.before) @ poses @ spatial.inverse(self._moving)
        result[self._at_p] = H[:, :3, 3]
        result[self.at_q[self.free]] = spatial.quaternion_from_rotation(H[:, :3, :3])
        return result

    @cached_property
    def is_the_models(self) -> bool:
        """Whether the coordinates are those of the model."""
        return not len(self.at_q) and bool((self.scale == 1.0).all())

    @cached_property
    def rotations(self) -> Ints:
        """All freedoms of ball joints and free joints."""
        return np.concatenate([self.at_v.ravel(), self.at_x.ravel()])

    @property
    def _moving(self) -> Array:
        """C of the free joints, (f, 4, 4)."""
        return spatial.pose(self.child[self.free], self.origin)

    @property
    def _at_p(self) -> Ints:
        """Positions of the free joints in q, (f, 3)."""
        return self.at_q[self.free, :1] + np.arange(-3, 0)

    @property
    def _axes(self) -> Array:
        """B_R, (f, 3, 3)."""
        return self.before[:, :3, :3]

    def _mapped(self, kernel: Callable[..., None], q: Array, values: Array, axes: int = 1) -> Array:
        """Values with some last axes at positions (..., nq), which a kernel of `coordinate_kernels` changes."""
        if len(self.at_q):
            kernel(self._tables, q.reshape(-1, q.shape[-1]), values.reshape(-1, *values.shape[-axes:]))
        return values

    @cached_property
    def _tables(self) -> tuple[Array | Ints, ...]:
        place = np.full(len(self.at_q), -1)
        place[self.free] = np.arange(len(self.free))
        given = self.at_q, self.at_v, self.child, place, self.at_x, self._axes, self.origin
        return tuple(np.array(table) for table in given)

    def _rotations(self, q: Array) -> Array:
        """R of all rotations, (k, 3, 3)."""
        return spatial.rotation_from_quaternion(q[self.at_q])

    def _lever(self, R: Array) -> Array:
        """r of the free joints, (f, 3)."""
        return _times(R[self.free], self.origin)


def _frame_before(chain: LinkChain, link: int) -> Array:
    """B of a joint, (4, 4)."""
    node, parent = chain.model.tree[chain.motions[link].first], chain.parents[link]
    frame = spatial.pose(node["R"], node["p"])
    return frame if parent < 0 else spatial.inverse(chain.from_link[parent]) @ frame


def _times(A: Array, x: Array) -> Array:
    return np.asarray((A @ x[..., None])[..., 0])


def _block(rows: Ints, columns: Ints) -> tuple[Any, Any]:
    """Index of 3x3 blocks: (n, 3), (n, 3) -> (n, 3, 3)."""
    return rows[:, :, None], columns[:, None, :]
