"""Jacobians of a robot's links by the freedoms of its joints, at the affine bodies' own pose in the scene.

The twist of a link is that of its parent plus S ρ of the joint that carries it (`joint_axes`):

    V = T ρ,   T (6n, F) from the root of the robot to its ends, ρ the rates of all joints in the scene.

S of a joint of the articulation is scaled so that ρ is the rate of its δθ: (∂δθ/∂q)(∂q/∂V) S = 1. With the world or
another link, the same S moves the child alone: δθ of joints behind it and all other penalties are functions of the pose
of two bodies relative to each other. The rates that the joints θ leave open are those of

    tied joints:      ρ = G θ̇, with the rates G of the prediction;
    passive joints:   ρ = P θ̇, so that the joints that close loops stay closed, R (T_child - T_parent) ρ = 0,
                      in the sense of least squares: a loop may be held more often than needed.

So V = J θ̇ with J = T [1; G; P].

**Virtual work.** The end q of a step minimises K + (penalties of joints) + dt² (shape + contact) of `engine.potential`;
links have no kinetic term, because their inertia is in K(δθ), see `articulation.energy`. Along the motion V = J δ the
joints' penalties do not change to first order, shape energies do not change because every body moves rigidly, and
dK = (∂K/∂δθ)·δ (tied joints: see `coupling.ties`). What remains is

    (∂K/∂δθ)·δ = dt² Σ f·δx = dt² (Jᵀ w)·δ,     so   Jᵀ w = (∂K/∂δθ) / dt²,

with the wrenches w of contact, friction and attached parts on the links. It holds to the tolerance of Newton's method,
at the pose at the end of the step and for these freedoms, however much links and joints yield.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ipc_articulation import affine
from ipc_articulation.arrays import Array
from ipc_articulation.articulation.energy import ArticulationEnergy
from ipc_articulation.articulation.joints import Joints
from ipc_articulation.articulation.kinds import KINDS, kind_named
from ipc_articulation.coupling.adapter import CoupledRobot
from ipc_articulation.coupling.readouts.joint_axes import freedoms, placement, residual
from ipc_articulation.errors import ArticulationError

WORLD = np.concatenate([np.zeros(3), np.eye(3).ravel()])  # coordinates of the fixed body that carries the roots


class RobotTree:
    """The joints of a robot as the scene has them.

    Attributes:
        robot: The robot.
        carriers: Number of the joint that carries each link among `robot.all_joints`, -1 where none does, (n,).
        closing: Numbers of the joints that close loops.
    """

    def __init__(self, robot: CoupledRobot) -> None:
        self.robot, joints, n = robot, robot.all_joints, len(robot.links)
        self.bodies = np.array([(joint.parent % (n + 1), joint.child) for joint in joints]).reshape(-1, 2)  # world: n
        self._kinds = [kind_named(joint.kind, f"joint '{joint.name}'") for joint in joints]
        self._ends = np.cumsum([0, *(KINDS[kind].freedoms for kind in self._kinds)]).tolist()
        placed = [placement(robot, *pair) for pair in zip(joints, self._kinds, strict=True)]
        self._held = [KINDS[kind].held(where)[0] for kind, where in zip(self._kinds, placed, strict=True)]
        self.carriers, self.closing = [-1] * n, []
        for number, joint in enumerate(joints):
            if self.carriers[joint.child] < 0:
                self.carriers[joint.child] = number
            else:
                self.closing.append(number)
        moved = [Joints.placed(kind, self.bodies[k, None], placed[k]) for k, kind in enumerate(self._kinds)]
        self._moved = Joints.concatenate(moved[: len(robot.articulated_joints)])
        self._owned = self._ends[len(self._moved)]  # freedoms of joints and tied joints

    @cached_property
    def order(self) -> list[int]:
        """The links, every one after the link that carries it."""
        parents = [-1 if k < 0 else self.robot.all_joints[k].parent for k in self.carriers]
        depths = [_depth(link, parents, self.robot) for link in range(len(parents))]
        return sorted(range(len(parents)), key=depths.__getitem__)

    def jacobian(self, q: Array, q_ref: Array, tied_rates: Array | None = None) -> Array:
        """J of the links, twists about the world's origin.

        Args:
            q: Coordinates of the links, (n, 12).
            q_ref: Those from which δθ is measured, (n, 12). With q itself J is that of the joints' velocities.
            tied_rates: G of the tied joints, (t, m); None without them.

        Returns:
            (n, 6, m).
        """
        q, q_ref = np.vstack([q, WORLD]), np.vstack([q_ref, WORLD])
        T = self._by_all_rates(q, self._axes(q, q_ref))
        m = self._owned - (0 if tied_rates is None else len(tied_rates))
        rates = np.eye(m) if tied_rates is None else np.concatenate([np.eye(m), tied_rates])
        return T[:-1, :, : self._owned] @ rates + T[:-1, :, self._owned :] @ self._passive_rates(q, T, rates)

    def _axes(self, q: Array, q_ref: Array) -> list[Array]:
        """S of each joint, (6, f)."""
        axes = [
            freedoms(kind, held, q[pair]) for kind, held, pair in zip(self._kinds, self._held, self.bodies, strict=True)
        ]
        J, turns = self._coordinate_jacobian(q, q_ref), rigid_motions(q)
        for number in range(len(self._moved)):
            rows = slice(self._ends[number], self._ends[number + 1])
            by_twist = J[rows, 12:] @ turns[self.bodies[number, 1]].T
            axes[number] = axes[number] @ np.linalg.inv(by_twist @ axes[number])
        return axes

    def _coordinate_jacobian(self, q: Array, q_ref: Array) -> Array:
        """∂δθ/∂q of joints and tied joints, (F, 24)."""
        if not len(self._moved):
            return np.zeros((0, 24))
        self._energy.set_flat([np.eye(self._owned).ravel()], [np.zeros(self._owned)], q_ref)
        return self._energy.linearize(q, project=False).jacobian

    @cached_property
    def _energy(self) -> ArticulationEnergy:
        """An articulation of the joints and tied joints, of which only the derivatives of δθ are used."""
        return ArticulationEnergy(self._moved, len(self.robot.links) + 1, (len(self._moved),))

    def _by_all_rates(self, q: Array, axes: list[Array]) -> Array:
        """T of the links and of the world, (n + 1, 6, F)."""
        T = np.zeros((len(q), 6, self._ends[-1]))
        for link in self.order:
            number = self.carriers[link]
            if number >= 0:
                T[link] = T[self.bodies[number, 0]]
                T[link, :, self._ends[number] : self._ends[number + 1]] += axes[number]
        return T

    def _passive_rates(self, q: Array, T: Array, rates: Array) -> Array:
        """P of the passive joints, (F_passive, m), for the rates [1; G] of the others."""
        rows = [np.zeros((0, T.shape[2]))]
        for number in self.closing:
            parent, child = self.bodies[number]
            rows.append(
                residual(self._kinds[number], self._held[number], q[[parent, child]])[1] @ (T[child] - T[parent])
            )
        closed = np.concatenate(rows)
        return -np.linalg.lstsq(closed[:, self._owned :], closed[:, : self._owned] @ rates)[0].astype(float)


def rigid_motions(q: Array) -> Array:
    """∂q/∂V for twists V about the world's origin: (n, 12) -> (n, 6, 12)."""
    turn, shift = np.concatenate([np.eye(3), np.zeros((3, 3))]), np.concatenate([np.zeros((3, 3)), np.eye(3)])
    origins = q[:, None, :3]
    return affine.qdot_from_twist(q[:, None], np.cross(turn, origins) + shift, turn)


def _depth(link: int, parents: list[int], robot: CoupledRobot) -> int:
    """Number of links that carry a link."""
    above = [link]
    while (parent := parents[above[-1]]) >= 0:
        if parent in above:
            raise ArticulationError(f"link '{robot.links[link].name}' is carried by joints that form a circle")
        above.append(parent)
    return len(above) - 1
