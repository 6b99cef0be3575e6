"""The initial state of a scene: bodies and joints as the coupling will get them, without an engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import (
    Adapter,
    CoupledBody,
    CoupledRobot,
    FollowsTimeStep,
    HalfPlane,
    Restraints,
    SetsState,
)
from ipc_articulation.coupling.kinds import freedom_names, freedom_units
from ipc_articulation.errors import AdapterError
from ipc_articulation.meshing.boundary import boundary_faces
from ipc_articulation.recording.scenery import SoftShape
from ipc_articulation.repairs import summed
from ipc_articulation.scenefile.document import Document, Location
from ipc_articulation.scenefile.reading import AnyScene
from ipc_articulation.scenefile.schema import ArticulationScene, RobotScene, Scene
from ipc_articulation.simulation.soft.bodies import SoftBodies, entries

NO_EDGES = np.zeros((0, 2), dtype=np.int32)
_SINGULAR = 1e-13  # eigenvalue of M̂ in units of its diagonal


@dataclass(frozen=True)
class Thing:
    """A surface, in the world."""

    name: str
    vertices: Array  # (V, 3) [m]
    faces: NDArray[np.int32]  # (F, 3)
    extents: Array  # (3,) lengths of the box around it, along the axes of its own frame [m]
    mass: float | None  # [kg]; None where it never moves
    static: bool
    environment: str
    closed: bool = True  # False: a sheet or rod, which nothing can be inside of
    edges: NDArray[np.int32] = field(default_factory=lambda: NO_EDGES)  # (E, 2) of rods, which have no faces
    radius: float = 0.0  # half the thickness of sheets and rods [m]
    touches_itself: bool = False  # whether its parts may not overlap each other either


@dataclass(frozen=True)
class Start:
    """A scene at time 0."""

    robot: CoupledRobot
    things: tuple[Thing, ...]
    actuated: tuple[str, ...] = ()  # joints that take a target
    joints: tuple[str, ...] = ()  # all joints of the robot that have a position
    efforts: tuple[float, ...] = ()  # largest forces of their actuators [N·m or N]; inf: unlimited
    limits: Mapping[str, tuple[float, float, str]] = field(default_factory=dict)  # lowest, highest position, rad or m
    speeds: frozenset[str] = frozenset()  # joints among `actuated` whose target is a velocity
    targets: tuple[float, ...] = ()  # of `actuated` at time 0 [rad or m; of velocities per s]
    effective_mass: Array | None = None  # (m, m) M̂ of the robot's joints in a step of its engine, where it has joints
    restraints: Restraints | None = None  # of the robot's joints in that step
    soft: tuple[SoftShape, ...] = ()
    soft_slots: tuple[tuple[Any, Any], ...] = ()  # of each soft body, its geometry slot and that at rest


def make_start(scene: AnyScene, document: Document) -> Start:
    """Build everything that the run builds before its engine starts.

    Raises:
        SceneFileError: With the place of what is refused.
    """
    from ipc_articulation.simulation.world import make_uipc_scene

    uipc_scene = make_uipc_scene(scene, document)
    if isinstance(scene, ArticulationScene):
        return _of_articulations(uipc_scene, scene, document)
    return _of_robot(uipc_scene, scene, document)


def place_of(name: str, scene: Scene) -> Location:
    """Location in the scene file of a body, link, wall or the ground."""
    names = [body.name for body in scene.bodies]
    if name in names:
        return "bodies", names.index(name), "pose"
    for place, body in entries(scene):
        if body.name == name:
            return *place, "pose"
    walls = [wall.name for wall in scene.walls]
    if name in walls:
        return "walls", walls.index(name), "point"
    if name.endswith("ground") and scene.ground:
        return ("ground",)
    return ("robot", "model") if isinstance(scene, RobotScene) else ()


def touching(start: Start, first: Thing | HalfPlane, second: Thing | HalfPlane) -> bool:
    """True where two surfaces may touch; the last rule that names both decides."""
    names = frozenset((first.name, second.name))
    touch = names not in start.robot.untouchable
    for pair in start.robot.contact_rules:
        sides = (first.name in pair.first and second.name in pair.second) or (
            second.name in pair.first and first.name in pair.second
        )
        if sides and pair.enabled is not None:
            touch = pair.enabled
    apart = first.environment and second.environment and first.environment != second.environment
    return touch and not apart


def _of_articulations(uipc_scene: object, scene: ArticulationScene, document: Document) -> Start:
    from ipc_articulation.simulation.articulation_scene import fill

    parts = fill(uipc_scene, scene, document)
    robot, soft = parts.mechanism, parts.soft
    return Start(robot, things_of(robot, scene, soft.shapes), soft=soft.shapes, soft_slots=soft.slots)


def _of_robot(uipc_scene: object, scene: RobotScene, document: Document) -> Start:
    from ipc_articulation.coupling import couple
    from ipc_articulation.simulation.robot_model import make_model
    from ipc_articulation.simulation.surroundings import complete

    with summed(scene.robot.model), document.blame("robot"):
        driven = make_model(scene, document)
        robot = couple(
            uipc_scene, driven.adapter, complete=lambda m: complete(m, scene, document), settings="scene"
        ).robot
        if isinstance(driven.adapter, FollowsTimeStep):
            driven.adapter.follow_time_step(scene.engine_dt)
        driven.command(driven.start)  # actuators that push as hard as they may would not be in M̂
        step = driven.adapter.predict() if robot.joints else None
        mass = None if step is None else _definite(step.mass, robot)
    soft = SoftBodies(uipc_scene, scene, document, robot)
    actuated, joints, efforts = tuple(driven.actuated), tuple(driven.joints), tuple(np.asarray(driven.efforts).tolist())
    things = things_of(robot, scene, soft.shapes)
    return Start(
        robot=robot,
        things=things,
        actuated=actuated,
        joints=joints,
        efforts=efforts,
        limits=_limits(driven.adapter, robot),
        speeds=driven.speeds,
        targets=tuple(driven.start.tolist()),
        effective_mass=mass,
        restraints=None if step is None else step.restraints,
        soft=soft.shapes,
        soft_slots=soft.slots,
    )


def _limits(adapter: Adapter, robot: CoupledRobot) -> dict[str, tuple[float, float, str]]:
    """See `Start`; none where the adapter does not know them."""
    if not isinstance(adapter, SetsState):
        return {}
    each = zip(freedom_units(robot.joints).items(), adapter.limits().tolist(), strict=True)
    return {name: (low, high, unit) for (name, unit), (low, high) in each}


def _definite(M: Array, robot: CoupledRobot) -> Array:
    """The effective mass (m, m) if every motion of the joints moves inertia.

    Raises:
        AdapterError: It is singular; names the joint.
    """
    scale = np.sqrt(np.maximum(np.diag(M), np.finfo(float).tiny))
    scaled = M / scale[:, None] / scale
    if np.linalg.eigvalsh(scaled)[0] <= _SINGULAR:
        still = np.linalg.eigh(scaled)[1][:, 0]
        name = freedom_names(robot.joints)[int(np.argmax(np.abs(still)))]
        raise AdapterError(
            f"joint '{name}' moves no inertia, or the same as other joints: the robot's mass matrix is singular; give "
            "its link an inertia, or the joint an armature"
        )
    return M


def things_of(robot: CoupledRobot, scene: Scene, shapes: tuple[SoftShape, ...]) -> tuple[Thing, ...]:
    """The surfaces of all bodies of a scene, rigid and soft."""
    return (*_things(robot), *_soft_things(scene, shapes))


def _things(robot: CoupledRobot) -> Iterator[Thing]:
    static = {body.name for body in robot.static}
    bodies: tuple[CoupledBody, ...] = (*robot.links, *robot.free, *robot.static)
    for body in bodies:
        if body.mesh is not None:
            vertices, extents = _own(body.mesh.vertices, body.pose)
            mass = None if body.name in static else body.mass
            yield Thing(body.name, vertices, body.mesh.faces, extents, mass, mass is None, body.environment)


def _soft_things(scene: Scene, shapes: tuple[SoftShape, ...]) -> Iterator[Thing]:
    """Surfaces of solids and sheets, and rods."""
    for (_, body), shape in zip(entries(scene), shapes, strict=True):
        corners, cells = shape.cells.shape[1], shape.cells.astype(np.int64)
        used, inverse = np.unique(boundary_faces(cells) if corners == 4 else cells, return_inverse=True)
        vertices, surface = shape.vertices[used], inverse.reshape(-1, min(corners, 3)).astype(np.int32)
        is_rod = corners == 2
        yield Thing(
            name=body.name,
            vertices=vertices,
            faces=np.zeros((0, 3), dtype=np.int32) if is_rod else surface,
            extents=np.ptp(vertices, axis=0),
            mass=None,
            static=False,
            environment=body.environment,
            closed=corners == 4,
            edges=surface if is_rod else NO_EDGES,
            radius=shape.radius,
            touches_itself=body.self_collision,
        )


def _own(vertices: Array, pose: Array) -> tuple[Array, Array]:
    """Vertices in the world, and the extents in their own frame."""
    return vertices @ pose[:3, :3].T + pose[:3, 3], np.ptp(vertices, axis=0)
