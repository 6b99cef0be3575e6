"""A robot's articulation in libuipc's joints: M̂ and δθ̃ carried to the chains' coordinates, and δθ back.

With e = δθ - δθ̃ and the chains' coordinates ψ, which are zero at the prediction, e = E ψ to the second order, where E
is `twists.log_slopes` for rotations and 1 elsewhere: so the mass is Eᵀ M̂ E. Pins and holds are springs in series with
it, of the stiffness S. The child's own motion is the sum of both, hence with the rows P on which they act

    M_ψ = ((Eᵀ M̂ E)⁻¹ - P S⁻¹ Pᵀ)⁻¹,

and the child resists contact with M̂. δθ is measured between the links themselves. So lowered and direct steps differ by
what is left out of e = E ψ: by O(|e|²) of e.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ipc_articulation import affine
from ipc_articulation.arrays import Array
from ipc_articulation.articulation import kinds
from ipc_articulation.articulation.bounded_springs import SPRINGS
from ipc_articulation.articulation.frames import Placement
from ipc_articulation.coupling.adapter import CoupledJoint, CoupledRobot
from ipc_articulation.coupling.kinds import kind_of
from ipc_articulation.coupling.lowering import twists
from ipc_articulation.coupling.lowering.chain import Chain, chains_of, require_lowerable
from ipc_articulation.errors import EngineError, UnsupportedError
from ipc_articulation.spatial import pose

LARGEST_TURN = 150.0  # [°] of a ball joint between two links, from the moment of coupling


class LoweredStep(NamedTuple):
    """The articulation's input for a step, and where its ghosts are."""

    mass: Array  # (f, f)
    delta_theta_tilde: Array  # (f,) [rad or m]
    springs: Array | None  # (f, 4, 4)
    ghost_poses: Array  # (g, 4, 4) predicted


class Lowering:
    """The chains of one robot, and their coordinates in each step."""

    def __init__(self, robot: CoupledRobot, hold: float, pin: float) -> None:
        """Make the chains.

        Args:
            robot: Its description.
            hold: S of the holds [kg·m²].
            pin: S of the ghosts' pins [kg].

        Raises:
            UnsupportedError: A joint cannot be lowered; names it.
        """
        require_lowerable(robot)
        self.chains, self._hold, self._pin = chains_of(robot), hold, pin
        by_joint = {id(chain.joint): chain for chain in self.chains}
        self._freedoms = sum(kind_of(joint).freedoms for joint in robot.joints)
        singles = [joint for own in robot.joints for joint in _singles(own, by_joint)]
        self.holds = tuple(joint for chain in self.chains for joint in chain.holds)
        self.articulated = (*singles, *robot.tied_joints, *self.holds)
        self.pins = tuple(joint for chain in self.chains for joint in chain.pins)
        self.joints = (*self.articulated, *self.pins, *robot.passive_joints)  # of the scene
        self.ghosts = tuple(ghost for chain in self.chains for ghost in chain.ghosts)
        self._measures = [_Measure.of(chain, robot) for chain in self.chains]

    def lower(self, mass: Array, tilde: Array, springs: Array | None, link_poses: Array) -> LoweredStep:
        """Carry a prediction to the chains' coordinates.

        Args:
            mass: M̂ of joints and tied joints, (m + t, m + t).
            tilde: Their δθ̃, (m + t,).
            springs: Their bounded springs, (m + t, 4, 4), or None.
            link_poses: Reference poses of the links, (n, 4, 4).

        Raises:
            EngineError: A ball joint between two links is near half a turn from where it was coupled; names it.
            UnsupportedError: Springs act on a joint that is lowered.
        """
        self._refuse_springs(springs)
        size, extra = len(tilde), len(self.holds)
        E, compliance = np.eye(size), np.zeros(size)
        lowered, poses, masses = tilde.copy(), list[Array](), list[Array]()
        for chain in self.chains:
            turning, sliding, phi = chain.turning, chain.sliding, tilde[chain.turning]
            child = link_poses[chain.joint.child]
            R = child[:3, :3] @ twists.rotation(phi)
            E[turning, turning] = twists.log_slopes(phi)
            lowered[turning] = -twists.twists(R.T @ child[:3, :3])
            poses.extend(chain.ghost_poses(pose(R, child[:3, 3])))
            compliance[sliding] = 1.0 / self._pin
            if chain.holds:
                masses.append(self._held(chain, link_poses[chain.joint.parent], R))
                compliance[turning] = 1.0 / self._hold
        stiffer = _stiffened(E.T @ mass @ E, compliance)
        whole = np.zeros((size + extra, size + extra))
        whole[:size, :size] = stiffer
        for k, block in enumerate(masses):
            rows = slice(size + 3 * k, size + 3 * k + 3)
            whole[rows, rows] = block
        more = None if springs is None else np.concatenate([springs, np.zeros((extra, SPRINGS, 4))])
        ghost_poses = np.reshape(poses, (-1, 4, 4))
        return LoweredStep(whole, np.concatenate([lowered, np.zeros(extra)]), more, ghost_poses)

    def raised(self, delta: Array, q: Array, q_ref: Array) -> Array:
        """δθ of the robot's own freedoms.

        Args:
            delta: δ of the articulation's freedoms at the end of the step, (f,).
            q: Coordinates of the links then, (n, 12).
            q_ref: Their reference coordinates, (n, 12).

        Returns:
            (m,) [rad or m].
        """
        result = delta[: self._freedoms].copy()
        for chain, measure in zip(self.chains, self._measures, strict=True):
            result[chain.first : chain.turning.stop] = measure.delta_theta(q, q_ref)
        return result

    def _held(self, chain: Chain, parent: Array, R: Array) -> Array:
        """Mass of the twists between parent and ghost: S for each angle of the ghost, (3, 3)."""
        turned = chain.child_in_parent.T @ parent[:3, :3].T @ R
        angle = math.degrees(twists.turn(turned))
        if angle > LARGEST_TURN:
            raise EngineError(
                f"ball joint '{chain.joint.name}' has turned by {angle:.0f}° since it was coupled; the chain of joints "
                f"that stands for it can turn by {LARGEST_TURN:.0f}°, as it is singular at 180°: couple the robot near "
                "the middle of the joint's range, or use Engine('cpu') and couple(..., joints='own')"
            )
        inverse = np.linalg.inv(twists.twist_slopes(turned))
        return self._hold * inverse.T @ inverse

    def _refuse_springs(self, springs: Array | None) -> None:
        if springs is None:
            return
        for chain in self.chains:
            if springs[chain.first : chain.turning.stop].any():
                raise UnsupportedError(
                    f"joint '{chain.joint.name}': dry friction and limits of {chain.joint.kind} joints do not act in "
                    "the step of lowered joints; use couple(..., restraints='engine')"
                )


class _Measure(NamedTuple):
    """δθ of a joint that is lowered, measured between its links."""

    kind: int
    local: Array  # (2, v, 4)
    parent: int
    child: int

    @classmethod
    def of(cls, chain: Chain, robot: CoupledRobot) -> _Measure:
        joint = chain.joint
        number = kinds.kind_named(joint.kind, f"joint '{joint.name}'")
        parent = np.eye(4) if joint.parent < 0 else robot.links[joint.parent].pose
        transforms = np.array([[parent, robot.links[joint.child].pose]])
        placement = Placement(np.zeros((1, 2, 1, 3)), np.zeros((1, 2, 3)), transforms)
        return cls(number, np.ascontiguousarray(kinds.KINDS[number].measured(placement)[0]), joint.parent, joint.child)

    def delta_theta(self, q: Array, q_ref: Array) -> Array:
        reference, delta = np.zeros(kinds.REFERENCE), np.zeros(kinds.MOST_FREEDOMS)
        kinds.set_reference(self.kind, self.local, *self._ends(q_ref), reference)
        kinds.delta_theta(self.kind, self.local, *self._ends(q), reference, delta)
        return delta[: kinds.KINDS[self.kind].freedoms]

    def _ends(self, q: Array) -> tuple[Array, Array]:
        return (_WORLD if self.parent < 0 else q[self.parent]), q[self.child]


_WORLD = affine.q_from_transform(np.eye(4))


def _singles(joint: CoupledJoint, chains: dict[int, Chain]) -> Sequence[CoupledJoint]:
    return chains[id(joint)].measures if id(joint) in chains else (joint,)


def _stiffened(mass: Array, compliance: Array) -> Array:
    """(M⁻¹ - diag(c))⁻¹ = M (1 - diag(c) M)⁻¹, symmetric; M where c = 0."""
    if not compliance.any():
        return mass
    result = np.linalg.solve((np.eye(len(mass)) - compliance[:, None] * mass).T, mass.T).T
    return 0.5 * (result + result.T)
