"""Interface of a multibody engine: an adapter describes its model once, then predicts and commits steps.

Frames: every pose is a 4x4 transform from the body's frame to the world; meshes, centres of mass and inertias are given
in the body's frame. SI units, angles in radians.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.dynamics.model.shapes import Shape
from ipc_articulation.recording.scenery import Camera

__all__ = [
    "Adapter",
    "ClosedMesh",
    "ContactRule",
    "CoupledBody",
    "CoupledJoint",
    "CoupledRobot",
    "FeelsForces",
    "FollowsTimeStep",
    "HalfPlane",
    "KeepsState",
    "Motors",
    "MovesState",
    "Prediction",
    "Restraints",
    "SetsState",
    "StepForces",
    "SurfacePart",
    "TiedMotion",
    "Touches",
]


@dataclass(frozen=True)
class ClosedMesh:
    """A closed, outward oriented triangle surface."""

    vertices: Array  # (V, 3) [m] in the body's frame
    faces: NDArray[np.int32]  # (F, 3) counter-clockwise from outside


@dataclass(frozen=True)
class SurfacePart:
    """A part of a body's surface that has a friction of its own."""

    name: str  # no other part, body or half-plane has it
    vertices: Ints  # (k,) of the body's mesh
    friction: float  # Coulomb coefficient


@dataclass(frozen=True)
class CoupledBody:
    """One affine body of the coupled scene."""

    name: str
    pose: Array  # (4, 4) at the moment of coupling
    mesh: ClosedMesh | None = None  # None: no geometry, nothing touches it
    mass: float = 0.0  # [kg]
    center: Array = field(default_factory=lambda: np.zeros(3))  # (3,) [m]
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))  # (3, 3) about the centre [kg·m²]
    friction: float = 0.0  # Coulomb coefficient of its surface
    velocity: Array = field(default_factory=lambda: np.zeros((4, 4)))  # (4, 4) rate of the pose, free bodies only
    kappa: float | None = None  # stiffness against deformation [Pa]; None: chosen by the coupling
    resistance: float | None = None  # of the barrier at its surface [Pa]; None: that of the scene
    environment: str = ""  # bodies of different environments do not touch; empty: in all of them
    driven: bool = False  # free bodies only: follows `Prediction.aims`, without inertia and gravity
    visual: tuple[Shape, ...] = ()  # shapes for display, in the body's frame; none: `mesh` is displayed
    surface_parts: tuple[SurfacePart, ...] = ()  # in place of `friction`; together they have each vertex of `mesh` once


@dataclass(frozen=True)
class CoupledJoint:
    """A joint between two bodies, at the moment of coupling."""

    name: str
    kind: str  # a name in `articulation.kinds.KINDS`: revolute, prismatic, …
    parent: int  # index into CoupledRobot.links, or -1 for the world
    child: int  # index into CoupledRobot.links
    anchor: Array  # (3,) [m] world
    # (3,) unit, world, for kinds that have one; δθ > 0 turns (moves) the child about (along) it by the right-hand rule
    axis: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    # (3,) unit, world: the axis that the child of a universal joint carries, or x in the plane of a planar joint
    second_axis: Array = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))
    pitch: float = 0.0  # slide per angle of a helical joint [m/rad]


@dataclass(frozen=True)
class HalfPlane:
    """A static half-space: everything on the side of its normal is free."""

    name: str
    point: Array  # (3,) [m]
    normal: Array  # (3,) unit
    friction: float = 0.0
    resistance: float | None = None  # as of a body
    environment: str = ""  # as of a body


@dataclass(frozen=True)
class ContactRule:
    """Contact parameters of two groups of bodies and half-planes; None: those of their surfaces.

    Parts of a body's surface may be named, too: the friction of a rule is for them alone then.
    """

    first: frozenset[str]  # names
    second: frozenset[str]  # names
    friction: float | None = None  # Coulomb coefficient
    resistance: float | None = None  # [Pa]
    enabled: bool | None = None  # whether they may touch


@dataclass(frozen=True)
class CoupledRobot:
    """The coupling's description of a robot and its surroundings."""

    links: tuple[CoupledBody, ...]  # moved by the joints; the articulation owns their inertia
    joints: tuple[CoupledJoint, ...]  # in the order of M and δθ̃
    free: tuple[CoupledBody, ...] = ()  # moved by IPC alone, or driven
    static: tuple[CoupledBody, ...] = ()  # never move; those without a mesh are only drawn
    planes: tuple[HalfPlane, ...] = ()
    untouchable: frozenset[frozenset[str]] = frozenset()  # pairs of names of bodies and planes that never touch
    contact_rules: tuple[ContactRule, ...] = ()  # of several rules for the same two bodies the last one counts
    # (a, b): the friction of both is that of a; the rules have it as it is. Of bodies with parts these are named
    leaders: tuple[tuple[str, str], ...] = ()
    passive_joints: tuple[CoupledJoint, ...] = ()  # joints in the scene that are not in M and δθ̃
    tied_joints: tuple[CoupledJoint, ...] = ()  # follow the joints at rates that each prediction gives, see `ties`
    cameras: tuple[Camera, ...] = ()  # for pictures
    rows: tuple[str, ...] = ()  # names of the rows of `Restraints`, for messages: tendons, angles of ball joints

    @property
    def articulated_joints(self) -> tuple[CoupledJoint, ...]:
        """Joints, tied joints."""
        return (*self.joints, *self.tied_joints)

    @property
    def all_joints(self) -> tuple[CoupledJoint, ...]:
        """Joints, tied joints, passive joints."""
        return (*self.joints, *self.tied_joints, *self.passive_joints)

    @property
    def placed(self) -> tuple[CoupledBody, ...]:
        """The bodies that the scene has."""
        return (*self.links, *self.free, *(body for body in self.static if body.mesh is not None))

    @property
    def parts(self) -> tuple[CoupledBody | HalfPlane, ...]:
        """All bodies and half-planes."""
        return (*self.links, *self.free, *self.static, *self.planes)

    @property
    def names(self) -> list[str]:
        """Names of all bodies, parts of their surfaces, and half-planes."""
        bodies = (*self.links, *self.free, *self.static)
        return [entry.name for entry in self.parts] + [part.name for body in bodies for part in body.surface_parts]


@dataclass(frozen=True)
class TiedMotion:
    """The motion of tied joints in a step."""

    delta_theta_tilde: Array  # (t,) displacement if the joints move by δθ̃ [rad or m]
    rates: Array  # (t, m) per unit of δθ, about this displacement


@dataclass(frozen=True)
class Motors:
    """Control of m freedoms by motors of limited force, whose gains M̂ contains."""

    stiffness: Array  # (m,) share of the gains in the diagonal of M̂: dt² kp + dt kd
    force: Array  # (m,) that the control gives at δθ̃ [N·m or N]
    effort: Array  # (m,) largest force [N·m or N], may be inf


@dataclass(frozen=True)
class Restraints:
    """What holds m freedoms in the engine's own step besides M̂, so that contact cannot push them past it.

    Limits and dry friction are those of the m freedoms, then those of r rows R: lengths of tendons, R = ∂L/∂θ, or
    angles of ball joints. A row moves by R δθ, and its force f acts on the freedoms as Rᵀ f. The forces are those
    of the engine's own step, which ended at δθ̃; an engine without such forces gives zeros.
    """

    lower: Array  # (m + r,) displacement at which a freedom or row meets its lower limit [rad or m]; -inf: none
    upper: Array  # (m + r,) and its upper limit; inf: none
    limit_force: Array  # (m + r,) of the limits [N·m or N]; positive at the lower one
    friction: Array  # (m + r,) largest dry friction [N·m or N]
    friction_force: Array  # (m + r,) dry friction [N·m or N]
    ties: Array = field(
        default_factory=lambda: np.empty((0, 0))
    )  # (e, m) rows of exact equalities: each keeps row · (δθ - δθ̃); soft ones are in M̂
    tie_units: tuple[str, ...] = ()  # (e,) of each row's product: rad or m
    motors: Motors | None = None  # None: no control of limited force
    predicted: bool = True  # False: δθ̃ is without limits and dry friction; only the step of the scene has them
    rows: Array = field(default_factory=lambda: np.empty((0, 0)))  # (r, m) R, as many as `CoupledRobot.rows`


@dataclass(frozen=True)
class Prediction:
    """A predicted step of the multibody engine, for m freedoms: those of its joints, joint after joint.

    ½(δθ-δθ̃)ᵀ M̂ (δθ-δθ̃) is the engine's own incremental potential, with soft equalities and without its restraints.
    """

    mass: Array  # (m, m) M̂, symmetric positive definite
    delta_theta_tilde: Array  # (m,) δθ̃ [rad or m]
    link_poses: Array  # (n, 4, 4) forward kinematics of the links at θᵗ
    tied: TiedMotion | None = None  # of the tied joints; None without them
    aims: Array = field(default_factory=lambda: np.empty((0, 4, 4)))  # (k, 4, 4) poses of the driven bodies at the end
    restraints: Restraints | None = None  # None: only M̂ resists contact


@runtime_checkable
class Adapter(Protocol):
    """The interface between the coupling and one multibody engine, for stepping."""

    @property
    def dt(self) -> float:
        """Time step [s]."""
        ...

    @property
    def gravity(self) -> Array:
        """Gravity, (3,) [m/s²]."""
        ...

    def describe(self) -> CoupledRobot:
        """The model at its present state."""
        ...

    def predict(self) -> Prediction:
        """M̂, δθ̃ and link poses of the step that begins at the present state; no visible state changes."""
        ...

    def commit(self, delta_theta: Array, free_poses: Array, free_velocities: Array) -> None:
        """Take the step: θ += δθ, with velocities accordingly, and set the free bodies' poses and velocities.

        Args:
            delta_theta: δθ of the joints' freedoms, (m,) [rad or m].
            free_poses: Poses of the free bodies after the step, (f, 4, 4), rigid.
            free_velocities: Rates of those poses, (f, 4, 4).
        """
        ...

    def link_poses(self) -> Array:
        """Forward kinematics of the links at the present state, (n, 4, 4)."""
        ...

    def theta(self) -> Array:
        """Joint positions at the present state, (m,) [rad or m]."""
        ...

    def theta_dot(self) -> Array:
        """Joint velocities at the present state, (m,) [rad/s or m/s]."""
        ...


@runtime_checkable
class KeepsState(Protocol):
    """Further methods of an adapter whose runs can be resumed: `world.dump` stores the scene's state, this its own."""

    def state(self) -> dict[str, Array]:
        """Arrays by name on which later steps depend, except those that the user sets before each step."""
        ...

    def restore(self, state: Mapping[str, Array]) -> None:
        """Restore a state of `state`, of the same model, in this process or another."""
        ...


@runtime_checkable
class SetsState(Protocol):
    """Further methods of an adapter whose state may be set between steps: `coupling.reset`, `coupling.set_state`."""

    def limits(self) -> Array:
        """Lowest and highest position of each freedom, (m, 2) [rad or m]; -inf and inf without limits."""
        ...

    def link_motion(self, theta: Array, theta_dot: Array) -> tuple[Array, Array]:
        """Poses of the links at another state and the rates of these poses, (n, 4, 4) each; no visible state changes.

        Args:
            theta: Joint positions, (m,) [rad or m], as `Adapter.theta` gives them.
            theta_dot: Joint velocities, (m,) [rad/s or m/s].

        Raises:
            StateError: The joints cannot have these positions together.
        """
        ...

    def set_state(self, motion: tuple[Array, Array] | None, free_poses: Array, free_velocities: Array) -> None:
        """Set the state: positions and velocities of the joints, and the free bodies; warm starts are discarded.

        Args:
            motion: θ and θ̇, (m,) each; None: the joints stay as they are.
            free_poses: Poses of the free bodies, (f, 4, 4), rigid.
            free_velocities: Rates of those poses, (f, 4, 4).
        """
        ...


@runtime_checkable
class FollowsTimeStep(Protocol):
    """A further method of an adapter whose engine may take several steps of its own in one step of the scene."""

    def follow_time_step(self, dt: float) -> None:
        """Take steps of dt [s] from now on, so that `Adapter.dt` is dt.

        Called by `couple`, and with the scene's present dt before each step.

        Raises:
            AdapterError: dt does not fit the engine's own step; the message has values that would.
        """
        ...


@runtime_checkable
class MovesState(Protocol):
    """A further member of an adapter whose state is an object that several adapters could have."""

    @property
    def moved_state(self) -> object:
        """The object that `commit` changes; two couplings of a scene must not have the same."""
        ...


@dataclass(frozen=True)
class Touches:
    """What the bodies of a robot feel in k places, at the end of a step; world frame.

    Each side of a contact whose body is the robot's is one: a link, a free body, or a static body with a mesh.
    """

    bodies: tuple[str, ...]  # (k,) names, as in the description
    points: Array  # (k, 3) [m], midway between the two surfaces
    normals: Array  # (k, 3) unit, out of the body
    normal_forces: Array  # (k,) size of the barrier's force [N]; zero for friction alone
    wrenches: Array  # (k, 6) of barrier and friction on the body, [moment about the world's origin; force] [N·m; N]


@dataclass(frozen=True)
class StepForces:
    """The forces in a committed step of a robot with m freedoms and r rows of restraints."""

    touches: Touches | None  # None: the engine of the scene's world does not tell its contact forces
    attached: Mapping[str, Array]  # by body, (6,) as above, of attached parts and joints that are not the robot's own
    contact_force: Array  # (m,) generalised, of all these [N·m or N]
    limit_force: Array  # (m + r,) of the limits, as in `Restraints` [N·m or N]
    friction_force: Array  # (m + r,) dry friction


@runtime_checkable
class FeelsForces(Protocol):
    """Further members of an adapter whose engine has sensors of forces, or of what follows from them."""

    @property
    def feels(self) -> bool:
        """Whether `feel` is to be called after each commit; to find the forces takes time."""
        ...

    def feel(self, forces: StepForces) -> None:
        """Take note of the forces of the step that was just committed."""
        ...
