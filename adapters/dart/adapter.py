"""A DART world as one side of the coupling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Unpack

import dartpy
import numpy as np
from ipc_articulation.adapters.around import (
    AROUND,
    Around,
    facets_of,
    predicted,
    refuse_change,
    refuse_equal_names,
    refuse_other_lengths,
)
from ipc_articulation.adapters.dart import coordinates
from ipc_articulation.adapters.dart.description import Description
from ipc_articulation.adapters.dart.edits import Edits
from ipc_articulation.adapters.dart.restraints import restraints
from ipc_articulation.adapters.dart.step import Step, mobile, own_step, velocities
from ipc_articulation.adapters.dart.tree import make_tree
from ipc_articulation.adapters.surroundings import Surroundings

from ipc_articulation.arguments import checked, instance
from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import CoupledBody, CoupledRobot, Prediction
from ipc_articulation.errors import AdapterError, UnsupportedError


class DartAdapter:
    """Couples a DART world to an IPC scene.

    All skeletons take part. A body whose joint is revolute, prismatic, a screw, universal, a ball, planar or free is a
    link, with the bodies that are welded to it. Bodies welded to the world, and those of immobile skeletons, are
    static, and their planes half-planes. The caller may give further free bodies, static bodies and planes; IPC moves
    these free bodies.

    IPC computes the contact, and DART's own is off in the steps of the adapter. The rest of a step is DART's (see
    `step`): springs, damping, external forces, and in its prediction limits, dry friction and servos of
    joints; limits and dry friction hold against contact too (see `restraints`). Set forces and commands before each
    step, as for `World.step`; they are cleared after it. Positions, velocities, masses, gains and limits may be edited
    between steps; an edit of placements or shapes is refused at the next step.

    Attributes:
        world: The world; after each step it has the corrected state.

    Args:
        world: The world; its gravity and time step must be the scene's.
        around: The surroundings, and the options for surfaces; the default friction is that of DART's shapes.

    Raises:
        AdapterError: An argument is unknown or of another type, or two bodies have the same name.
        MeshError: Repairs are refused, and a mesh is open or cannot be read, or has no volume.
        UnsupportedError: A joint, an actuator or a shape is of a kind that has no counterpart, a body is soft, or the
            world's solver has constraints of its own; the message names it.
    """

    @checked(AdapterError, tuple(AROUND), world=instance(dartpy.simulation.World), **AROUND)
    def __init__(self, world: dartpy.simulation.World, **around: Unpack[Around]) -> None:
        _refuse_unsupported(world)
        self.world, self._surroundings = world, Surroundings(around)
        self._tree = make_tree(world)
        self._description = Description(self._tree, around.get("friction"), facets_of(around))
        self._predicted: Step | None = None
        self._edits: Edits | None = None  # since the world was described
        refuse_equal_names(self.describe())

    def __setattr__(self, name: str, value: object) -> None:
        refuse_change(self, name, ("world",))
        super().__setattr__(name, value)

    @property
    def dt(self) -> float:
        """Time step [s]."""
        return float(self.world.getTimeStep())

    @property
    def gravity(self) -> Array:
        """Gravity, (3,) [m/s²]."""
        return np.array(self.world.getGravity())

    @property
    def moved_state(self) -> object:
        """The world, which `commit` changes."""
        return self.world

    @property
    def free(self) -> tuple[CoupledBody, ...]:
        """The caller's free bodies, with the poses and velocities that IPC gave them last."""
        return self._surroundings.free

    def describe(self) -> CoupledRobot:
        """The world at its present state.

        Raises:
            MeshError: Repairs are refused, and a mesh is open or cannot be read, or has no volume.
            UnsupportedError: A shape has no closed surface.
        """
        self._edits = Edits(self.world, self._tree)
        return self._surroundings.around(self._description.now())

    def predict(self) -> Prediction:
        """M̂, δθ̃ and link poses of DART's own step from the present state; the world does not change.

        Raises:
            AdapterError: The step is not finite, or the world was edited beyond what the scene follows.
            UnsupportedError: The world's solver has constraints of its own.
        """
        if self._edits is not None:
            self._edits.refuse()
        _refuse_unsupported(self.world)
        step = own_step(self.world)
        if not np.isfinite(step.v).all():
            raise AdapterError(
                f"DART's own step from t = {self.world.getTime():g} s is not finite; use a smaller time step or weaker "
                "forces"
            )
        self._predicted = step
        P = coordinates.rates(self._tree)
        inverse = np.linalg.inv(P)
        change = self.dt * P @ step.v
        return Prediction(
            inverse.T @ step.mass @ inverse,
            change,
            self._tree.poses(),
            aims=self._surroundings.aims,
            restraints=restraints(self._tree, step, self.dt),
        )

    def commit(self, delta_theta: Array, free_poses: Array, free_velocities: Array) -> None:
        """Take DART's predicted step with IPC's correction, and clear forces and commands as `World.step` does.

        DART itself moves the joints by dt v, with v = ṽ + P⁻¹ (δθ - δθ̃)/dt.

        Args:
            delta_theta: δθ of the joints' freedoms, (m,) [rad or m].
            free_poses: Poses of the caller's free bodies after the step, (f, 4, 4), rigid.
            free_velocities: Rates of those poses, (f, 4, 4).

        Raises:
            AdapterError: Nothing was predicted since the last commit.
        """
        step, self._predicted = predicted(self._predicted), None
        dt, P = self.dt, coordinates.rates(self._tree)
        v, first = step.v + np.linalg.solve(P, delta_theta - dt * P @ step.v) / dt, 0
        for skeleton in mobile(self.world):
            skeleton.setVelocities(v[first : first + skeleton.getNumDofs()])
            skeleton.integratePositions(dt)
            first += skeleton.getNumDofs()
            skeleton.clearInternalForces()
            skeleton.clearExternalForces()
            skeleton.resetCommands()
        self.world.setTime(self.world.getTime() + dt)
        self._surroundings.move_free(free_poses, free_velocities)

    def link_poses(self) -> Array:
        """Forward kinematics of the links at the present state, (n, 4, 4)."""
        return self._tree.poses()

    def theta(self) -> Array:
        """Joint positions, (m,) [rad or m]: position and rotation vector of a free joint, that of a ball joint."""
        return coordinates.positions(self._tree)

    def theta_dot(self) -> Array:
        """Joint velocities, (m,) [rad/s or m/s]; a free body's origin moves along the parent's axes."""
        return coordinates.rates(self._tree) @ velocities(self.world)

    def motor_forces(self, forces: Array) -> Array:
        """DART's forces that do the work of forces on the freedoms of the articulation at the present position.

        Args:
            forces: By freedom, (m,) [N·m or N].

        Returns:
            Pᵀ f, (m,), in DART's order: those of the first mobile skeleton first.
        """
        return coordinates.rates(self._tree).T @ forces

    def limits(self) -> Array:
        """Lowest and highest position of each freedom, (m, 2) [rad or m]; -inf and inf without limits."""
        return coordinates.limits(self._tree)

    def link_motion(self, theta: Array, theta_dot: Array) -> tuple[Array, Array]:
        """Poses of the links with other positions and velocities of the freedoms, (m,), and the rates of these poses.

        Returns:
            (n, 4, 4) each; the world does not change.
        """
        clone = self.world.clone()
        tree = make_tree(clone)
        coordinates.put(tree, theta, theta_dot)
        return tree.poses(), coordinates.pose_rates(tree)

    def set_state(self, motion: tuple[Array, Array] | None, free_poses: Array, free_velocities: Array) -> None:
        """Set the state of joints and free bodies; forces, commands and the time stay as they are.

        Args:
            motion: Positions and velocities of the freedoms, (m,) each; None: as they are.
            free_poses: Poses of the caller's free bodies, (f, 4, 4), rigid.
            free_velocities: Rates of those poses, (f, 4, 4).
        """
        if motion is not None:
            coordinates.put(self._tree, *motion)
        self._predicted = None
        self._surroundings.move_free(free_poses, free_velocities)

    def state(self) -> dict[str, Array]:
        """Positions, velocities, time, and the state of the caller's free bodies; the user sets forces and commands."""
        q = np.concatenate([np.zeros(0), *(skeleton.getPositions() for skeleton in mobile(self.world))])
        time = np.array([self.world.getTime()])
        return {"q": q, "v": velocities(self.world), "time": time, **self._surroundings.state()}

    def restore(self, state: Mapping[str, Array]) -> None:
        """Restore a state of `state`.

        Raises:
            AdapterError: The state is that of another world.
        """
        present = self.state()
        refuse_other_lengths(state, q=present["q"], v=present["v"], time=present["time"])
        first = 0
        for skeleton in mobile(self.world):
            own = slice(first, first + skeleton.getNumDofs())
            skeleton.setPositions(state["q"][own])
            skeleton.setVelocities(state["v"][own])
            first = own.stop
        self.world.setTime(float(state["time"][0]))
        self._predicted = None
        self._surroundings.restore(state)


def _refuse_unsupported(world: dartpy.simulation.World) -> None:
    if count := world.getConstraintSolver().getNumConstraints():
        raise UnsupportedError(
            f"the world's solver has {count} constraints of its own, which a clone of the world does not have; remove "
            "them, or make joints of them"
        )
    for number in range(world.getNumSkeletons()):
        skeleton = world.getSkeleton(number)
        if skeleton.getNumSoftBodyNodes():
            raise UnsupportedError(f"skeleton '{skeleton.getName()}' has a soft body; only rigid bodies can be coupled")
