"""A model of our own dynamics as one side of the coupling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Unpack

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
from ipc_articulation.adapters.native import setting
from ipc_articulation.adapters.native.batch import NativeBatch
from ipc_articulation.adapters.native.chain import make_chain
from ipc_articulation.adapters.native.coordinates import SceneCoordinates
from ipc_articulation.adapters.native.kept_momentum import contact_momentum
from ipc_articulation.adapters.native.loop_scene import loop_scene, scene_mechanism
from ipc_articulation.adapters.native.mechanism import LinkSurfaces, describe
from ipc_articulation.adapters.native.pins import placed_pin, require_closing
from ipc_articulation.adapters.native.predicted import Kept, Predicted
from ipc_articulation.adapters.native.restraints import motors_of, restraints
from ipc_articulation.adapters.native.tree_predictions import TreeRobot, after, predict_trees, predictions_of
from ipc_articulation.adapters.surroundings import Surroundings
from numpy.typing import ArrayLike

from ipc_articulation import affine
from ipc_articulation.arguments import POSITIVE, Wanted, checked, instance, refuse_unwanted, several
from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import CoupledBody, CoupledJoint, CoupledRobot, Prediction, TiedMotion
from ipc_articulation.coupling.kinds import kind_of
from ipc_articulation.coupling.robots import FRICTION, Pin
from ipc_articulation.dynamics.algorithms.bad_states import one_state
from ipc_articulation.dynamics.arguments import numbers
from ipc_articulation.dynamics.forces.actuation import within_effort
from ipc_articulation.dynamics.integrators import Drive, Scheme, Step, implicit
from ipc_articulation.dynamics.integrators.constrained import require_one_column
from ipc_articulation.dynamics.integrators.momentum import floating_base, momentum, with_momentum
from ipc_articulation.dynamics.integrators.tree_step import refuse_unsolved
from ipc_articulation.dynamics.model import Model
from ipc_articulation.errors import AdapterError

_SCENE = frozenset({"model", "pins", "static", "planes"})  # attributes from which the scene is built
# attributes that may be set between steps
_SETTINGS: dict[str, Wanted] = {"drive": instance(Drive), "scheme": instance(Scheme)}


class NativeAdapter:
    """Couples a model of `ipc_articulation.dynamics`, with or without loops, and its state to an IPC scene.

    Every turn, slide, screw, rotation and free motion of a tree is a joint with its own link. Links fixed to the world
    are one static body, which does not touch its children. The caller gives free bodies, further static bodies and
    planes; IPC moves the free bodies. δθ of a ball joint is a rotation vector in the child's axes; that of a floating
    base is the displacement of its origin in the world's axes, and a rotation vector in its own. `q`, `v` and `drive`
    are in the model's coordinates, see `SceneCoordinates`.

    The engine's own step is `dynamics.implicit`, whose M̂ is the Hessian of its incremental potential. Friction, limits
    and mimic joints hold against contact too, see `couple`.

    For a robot with loops, M̂ and δθ̃ are those of the independent joints. Joints that are known functions of them
    (gears, knees), and those of loops without a pin (differentials), are tied to them in the scene (see
    `coupling.ties`). The other joints of the tree, and the pins that close the loops, connect their links in the scene
    and are not in M̂. So a contact force on any bar acts on the joint that drives it. Dependent end links without
    geometry, such as rotors, are part of M̂, but not of the scene.

    Attributes:
        q: Position, (nq,) [rad or m], loops closed; may be set between steps.
        v: Velocity, (nv,) [rad/s or m/s]; may be set between steps.
        scheme: The forces that are implicit in the next step.
        noted: The predicted step, until it is committed.
        drive: Motor forces of the next step. PD control above the effort limit becomes a constant force.

    Args:
        model: The model; its gravity must be the scene's.
        dt: Time step [s].
        q: Position at the start, (nq,), loops closed; None: neutral.
        v: Velocity at the start, (nv,); None: at rest.
        pins: Hinges between links that the spanning tree does not connect.
        scheme: The forces that are implicit in the engine's step.
        around: The robot's surroundings, and the options for surfaces.

    Raises:
        AdapterError: An argument is unknown or of another type, the time step is not positive, two bodies have the same
            name, the ends of a pin do not meet, or the pins do not close exactly the loops of the robot.
        MeshError: Repairs are refused, and a mesh is open or cannot be read, or a shape has no volume.
        StateError: q has a wrong length, is not finite or leaves a loop open.
        UnsupportedError: A joint is not made of turns, slides, screws, rotations and free motions, or has friction or
            limits and moves with several independent coordinates of a loop; or momentum is to be kept of a model in
            which other joints than one floating joint are on the world.
    """

    @checked(AdapterError, tuple(AROUND), model=instance(Model), dt=POSITIVE, pins=several(Pin), **_SETTINGS, **AROUND)
    def __init__(
        self,
        model: Model,
        dt: float,
        *,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        pins: Sequence[Pin] = (),
        scheme: Scheme = Scheme.FULL,
        **around: Unpack[Around],
    ) -> None:
        require_one_column(model)
        self.model, self.scheme, self.drive, self.pins = model, scheme, Drive(), tuple(pins)
        self._dt, self._surroundings = float(dt), Surroundings(around)
        self.static, self.planes = self._surroundings.static, self._surroundings.planes
        self._chain = make_chain(model.spanning_tree)
        self._surfaces = LinkSurfaces.of(model, around.get("friction", FRICTION), facets_of(around))
        pinned = {name for pin in pins for name in (pin.first, pin.second)}
        self._scene = loop_scene(model, self._chain, self._surfaces, pinned)
        self._coordinates = SceneCoordinates.of(model, self._chain, self._scene.scale)
        self.q: Array = model.start if q is None else numbers("q", q).copy()
        self.v: Array = np.zeros(model.nv) if v is None else numbers("v", v).copy()
        self.noted: Predicted | None = None
        described = self.describe()
        refuse_equal_names(described)
        self._units = tuple(unit for joint in described.joints for unit in kind_of(joint).units)
        self._tree = None if model.loops else TreeRobot.of(model, self._chain, self._coordinates, self._units)
        if scheme is Scheme.MOMENTUM:
            floating_base(model)  # refuses what it cannot keep
        if model.loops or pins:
            require_closing(model, self.q, self._chain, self._scene, self._placed_pins())

    def __setattr__(self, name: str, value: object) -> None:
        refuse_change(self, name, _SCENE)
        if name in _SETTINGS:
            refuse_unwanted(f"NativeAdapter: {name}", value, _SETTINGS[name], AdapterError)
        super().__setattr__(name, value)

    @property
    def dt(self) -> float:
        """Time step [s]."""
        return self._dt

    @property
    def gravity(self) -> Array:
        """Gravity, (3,) [m/s²]."""
        return self.model.gravity.copy()

    @property
    def free(self) -> tuple[CoupledBody, ...]:
        """The free bodies, with the poses and velocities that IPC gave them last. Read-only: IPC moves them."""
        return self._surroundings.free

    @property
    def aims(self) -> Array:
        """Poses of the driven bodies among the free ones, which stand still, (k, 4, 4)."""
        return self._surroundings.aims

    @staticmethod
    def batch_of(adapters: Sequence[NativeAdapter]) -> NativeBatch | None:
        """A batch of robots of one model object, without loops and with one time step; None for others."""
        first = adapters[0]
        is_one = all(adapter.model is first.model and adapter.dt == first.dt for adapter in adapters)
        return NativeBatch(first._tree, adapters) if first._tree is not None and is_one else None

    def describe(self) -> CoupledRobot:
        """The model at its present state.

        Raises:
            AdapterError: A pin does not meet.
            StateError: q has a wrong length, is not finite or leaves a loop open.
        """
        tree = self._surroundings.around(describe(self._chain, self._spanning(), self._surfaces))
        return scene_mechanism(tree, self._scene, self._placed_pins())

    def predict(self) -> Prediction:
        """M̂, δθ̃ and link poses of the engine's own step from the present state; no visible state changes.

        Raises:
            ModelError: A joint moves no inertia.
            SolverError: The minimisation with dry friction and limits did not converge.
            StateError: q or v has a wrong length, is not finite or leaves a loop open.
        """
        if self._tree is not None and self.scheme is not Scheme.MOMENTUM:
            return self._predict_tree(self._tree)
        drive = self._drive()
        step = implicit(self.model, self.q, self.v, self._dt, drive, self.scheme)
        tilde = self._coordinates.to_scene(self.q, self._dt * step.rate)
        mass = self._coordinates.mass_to_scene(self.q, step.mass)
        base = floating_base(self.model) if self.scheme is Scheme.MOMENTUM else None
        self.noted = Predicted(step.v, tilde, Kept(base, step, mass) if base else None)
        motors = motors_of(self.model, self.q, step, drive, self.scheme, self._dt)
        held = restraints(self.model, step, self._coordinates, self._units, self._dt, motors)
        return Prediction(mass, tilde, self.link_poses(), self._tied(step), self._surroundings.aims, held)

    def _predict_tree(self, tree: TreeRobot) -> Prediction:
        q, v = (one_state(self.model, name, getattr(self, name))[None] for name in ("q", "v"))
        given = predict_trees(tree, q, v, self._dt, [self.drive], self.scheme)
        refuse_unsolved(self.model, q, given.steps, 0, self._dt)
        self.noted = Predicted(given.steps.v[0], given.delta_theta_tilde[0])
        return predictions_of(tree, given, self._surroundings.aims[None]).of(0)

    def commit(self, delta_theta: Array, free_poses: Array, free_velocities: Array) -> None:
        """Take the predicted step with IPC's correction: q moves by δθ, and (δθ-δθ̃)/dt is added to the predicted v.

        With `Scheme.MOMENTUM` the base of a floating robot then gets the velocity with which the momentum has changed
        by that of the contacts.

        Args:
            delta_theta: δθ of the independent joints' freedoms, (nv,) [rad or m].
            free_poses: Poses of the free bodies after the step, (f, 4, 4), rigid.
            free_velocities: Rates of those poses, (f, 4, 4).

        Raises:
            AdapterError: Nothing was predicted since the last commit.
            StateError: A loop cannot be closed.
        """
        (v, tilde, kept), self.noted = predicted(self.noted), None
        end = after(self.model, self._coordinates, self.q, v, tilde, delta_theta, self._dt)
        self.end_step(*end, free_poses, free_velocities)
        if kept is not None:
            self._keep_momentum(kept, (delta_theta - tilde) / self._dt, delta_theta)

    def end_step(self, q: Array, v: Array, free_poses: Array, free_velocities: Array) -> None:
        """Set the state at the end of the predicted step, which counts as committed.

        Args:
            q: Position, (nq,).
            v: Velocity, (nv,).
            free_poses: Poses of the free bodies, (f, 4, 4), rigid.
            free_velocities: Rates of those poses, (f, 4, 4).
        """
        self.q, self.v, self.noted = q, v, None
        self._surroundings.move_free(free_poses, free_velocities)

    def _keep_momentum(self, kept: Kept, correction: Array, delta_theta: Array) -> None:
        """Give the base the velocity with which the momentum has changed by that of the contacts."""
        base, step, mass = kept
        pose = self._chain.link_poses(self._spanning())[self._chain.of_dof[base.dofs.start]]
        gained = contact_momentum((mass @ correction)[base.v], delta_theta[base.v][3:], pose)
        wanted = momentum(self.model, step.q, step.v) + gained
        self.v = with_momentum(self.model, base, self.q, self.v, wanted)

    def link_poses(self) -> Array:
        """Forward kinematics of the scene's links at the present state, (n, 4, 4)."""
        return self._chain.link_poses(self._spanning())[self._scene.links]

    def theta(self) -> Array:
        """Positions of the independent joints, (nv,) [rad or m]; rotation vectors of ball joints and floating bases."""
        plain = np.asarray(self._spanning())[self._chain.position[self._scene.owned]]
        return self._coordinates.theta(np.asarray(self.q), plain)

    def theta_dot(self) -> Array:
        """Velocities of the independent joints, (nv,) [rad/s or m/s]."""
        return self._coordinates.velocity_to_scene(np.asarray(self.q), np.asarray(self.v))

    def motor_forces(self, forces: Array) -> Array:
        """The `Drive.tau` that does the work of forces on the independent joints' freedoms at the present position.

        Args:
            forces: In the order of `theta`, (nv,) [N·m or N].

        Returns:
            (spanning nv,) [N·m or N].
        """
        tau = np.zeros(self.model.spanning_tree.nv)
        tau[self._scene.owned] = self._coordinates.force_to_model(np.asarray(self.q), forces) / self._scene.scale
        return tau

    def limits(self) -> Array:
        """Lowest and highest position of each independent joint, (nv, 2) [rad or m]; -inf and inf without limits."""
        return setting.limits(self.model, self._scene)

    def link_motion(self, theta: Array, theta_dot: Array) -> tuple[Array, Array]:
        """Poses of the links with other positions and velocities of the independent joints, and the poses' rates.

        Args:
            theta: Positions, (nv,) [rad or m]; loops are closed on the branch of the present position.
            theta_dot: Velocities, (nv,) [rad/s or m/s].

        Returns:
            (n, 4, 4) each.

        Raises:
            StateError: A loop cannot be closed, or a mimic joint is not where its leader puts it; names the joint.
        """
        q = setting.position_at(self.model, self._coordinates, np.asarray(self.q), self.theta(), theta)
        v = self._coordinates.velocity_to_model(q, theta_dot)
        at, rate = self.model.motion(q, v)[:2] if self.model.loops else (q, v)
        links = self._scene.links
        poses, velocities = self._chain.link_poses(at)[links], self._chain.link_velocities(at, rate)[links]
        qdot = affine.qdot_from_twist(affine.q_from_transform(poses), velocities[:, 3:], velocities[:, :3])
        return poses, affine.transform_rate_from_qdot(qdot)

    def set_state(self, motion: tuple[Array, Array] | None, free_poses: Array, free_velocities: Array) -> None:
        """Set the state of joints and free bodies; `drive` stays as it is.

        Args:
            motion: Positions and velocities of the independent joints, (nv,) each; None: as they are.
            free_poses: Poses of the free bodies, (f, 4, 4), rigid.
            free_velocities: Rates of those poses, (f, 4, 4).
        """
        if motion is not None:
            theta, theta_dot = motion
            self.q = setting.position_at(self.model, self._coordinates, np.asarray(self.q), self.theta(), theta)
            self.v = self._coordinates.velocity_to_model(self.q, theta_dot)
        self.noted = None
        self._surroundings.move_free(free_poses, free_velocities)

    def state(self) -> dict[str, Array]:
        """Position, velocity, and the state of the free bodies; the user sets `drive`."""
        return {"q": np.array(self.q), "v": np.array(self.v), **self._surroundings.state()}

    def restore(self, state: Mapping[str, Array]) -> None:
        """Restore a state of `state`.

        Raises:
            AdapterError: The state is that of another model.
        """
        refuse_other_lengths(state, q=self.q, v=self.v)
        self.q, self.v, self.noted = np.array(state["q"]), np.array(state["v"]), None
        self._surroundings.restore(state)

    def _spanning(self) -> Array:
        """Positions of all joints of the spanning tree, (m,)."""
        return self.model.spanning(self.q) if self.model.loops else self.q

    def _tied(self, step: Step) -> TiedMotion | None:
        """The motion of the tied joints to the end of a step."""
        tied = self._scene.tied
        if not len(tied):
            return None
        tied = self._chain.position[tied]
        change = self.model.spanning(step.q)[tied] - self._spanning()[tied]
        return TiedMotion(change, self._scene.tie_rates(self.model.G(step.q)))

    def _placed_pins(self) -> list[CoupledJoint]:
        if not self.pins:
            return []
        poses, names = self.link_poses(), [self._chain.names[link] for link in self._scene.links]
        return [placed_pin(pin, names, poses) for pin in self.pins]

    def _drive(self) -> Drive:
        """The drive with a constant force where PD control would exceed the effort limit: M̂ has no gains there."""
        if self.drive.pd is None:
            return self.drive
        q, v = self.model.motion(self.q, self.v)[:2] if self.model.loops else (self.q, self.v)
        pd, beyond = self.drive.pd.limited(self.model.spanning_tree, q, v)
        if pd is self.drive.pd:
            return self.drive
        return replace(self.drive, tau=within_effort(self.model, self.drive.tau) + beyond, pd=pd)
