"""The multibody engine's model of a scene file: the robot and what drives it."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ipc_articulation.coupling.robots import Actuator, DrivenRobot, MakesMore, Pin, RobotFile, RobotSetup
from ipc_articulation.coupling.solids import Facets
from ipc_articulation.dynamics.reading.base import loose_base
from ipc_articulation.dynamics.reading.format import robot_format
from ipc_articulation.errors import AdapterError, MissingPackageError, StartError
from ipc_articulation.naming import matching
from ipc_articulation.packages import package_folders
from ipc_articulation.repairs import caution
from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.document import Document, SceneProblem
from ipc_articulation.signals import interrupts_deferred
from ipc_articulation.simulation.bare_links import report_bare_links
from ipc_articulation.simulation.bodies import transform
from ipc_articulation.simulation.materials import own_friction

if TYPE_CHECKING:
    from ipc_articulation.dynamics.loops import LoopConstraint

_Loop = tuple[tuple[str, ...], "LoopConstraint"]

_KNOWN_BY = {"substeps": "mujoco"}  # keys of `robot` that `native` does not support
_ASKED = ("takes", "joint_names", "build")  # of every adapter's `SceneModel`


class RobotMaker:
    """Makes the robot of a scene, and more of them for scenes that differ from the first one.

    Args:
        scene: The first scene.
        document: The document of that scene.
        own_models: Whether each robot gets a model of its own, see `RobotSetup.has_own_model`.

    Raises:
        SceneFileError: With the place of what is refused.
    """

    def __init__(self, scene: schema.RobotScene, document: Document, own_models: bool = False) -> None:
        self._scene, self._made, self._own_models = scene, False, own_models
        with document.blame("robot", "model"):
            self._file = scene_model(scene, document)

    def make(self, scene: schema.RobotScene, document: Document) -> DrivenRobot:
        """A robot for a scene; of the first one's model if they differ in starts only, and the adapter can do that.

        Raises:
            SceneFileError: With the place of what is refused.
        """
        if self._made and not _same_model(scene, self._scene):
            return make_model(scene, document)
        setup = replace(robot_setup(scene, self._file.joint_names, document), has_own_model=self._own_models)
        given = [key for key in ("loops", "pins", "segment_radius") if getattr(setup, key)]
        given += ["substeps"] if setup.substeps > 1 else []
        _require(self._file.takes, given, scene, document)
        with document.blame("robot", "model"):
            try:
                made = self._again(setup) if self._made else self._file.build(setup)
            except StartError as error:
                raise document.error([SceneProblem(("robot", error.key, error.joint), str(error))]) from error
        if made is not None and not self._made:
            with document.blame("robot", "model"):
                report_bare_links(made.adapter.describe(), scene)
        self._made = True
        return make_model(scene, document) if made is None else made

    def _again(self, setup: RobotSetup) -> DrivenRobot | None:
        return self._file.again(setup) if isinstance(self._file, MakesMore) else None


def make_model(scene: schema.RobotScene, document: Document) -> DrivenRobot:
    """The multibody engine's model of a scene's robot.

    Raises:
        SceneFileError: With the place of what is refused.
    """
    return RobotMaker(scene, document).make(scene, document)


def _same_model(one: schema.RobotScene, other: schema.RobotScene) -> bool:
    """Whether two variations of a scene have the same robot and default friction, apart from where it starts."""
    starts: dict[str, dict[str, float]] = {"initial": {}, "initial_velocity": {}}
    robots = (scene.robot.model_copy(update=starts) for scene in (one, other))
    return next(robots) == next(robots) and one.materials == other.materials and one.contact == other.contact


def scene_model(scene: schema.RobotScene, document: Document) -> RobotFile:
    """The robot's file as the `SceneModel` of the adapter's package reads it."""
    entry = entry_points(group="ipc_articulation.adapters")[scene.adapter]
    try:
        with interrupts_deferred:
            module = importlib.import_module(f"{entry.module}.scene_model")
    except MissingPackageError as error:
        raise document.error([SceneProblem(("adapter",), f"adapter '{scene.adapter}': {error}")]) from error
    except ModuleNotFoundError as error:
        message = f"adapter '{scene.adapter}' needs '{error.name}', which is not installed"
        if error.name == f"{entry.module}.scene_model":
            message = f"adapter '{scene.adapter}' cannot read scene files: it has no module {error.name}"
        raise document.error([SceneProblem(("adapter",), message)]) from error
    if missing := [name for name in _ASKED if not hasattr(module.SceneModel, name)]:
        message = f"adapter '{scene.adapter}' cannot read scene files: its SceneModel has no {', '.join(missing)}"
        raise document.error([SceneProblem(("adapter",), message)])
    reading = {key: value for key in ("base", "ignore") if (value := getattr(scene.robot, key))}
    is_urdf = robot_format(scene.robot.model) == "urdf"
    if scene.robot.surfaces == "visual":
        reading["surfaces"] = "visual"
    if scene.robot.surfaces and not is_urdf:
        message = "only URDF files have drawings that can be surfaces; in MJCF a geom with a contype is one"
        raise document.error([SceneProblem(("robot", "surfaces"), message)])
    if scene.robot.base_pose is not None:
        reading["base_pose"] = transform(scene.robot.base_pose)
    _require(module.SceneModel.takes, reading, scene, document)
    file: RobotFile = module.SceneModel(scene.robot.model, [*package_folders(), *scene.robot.model.parents], **reading)
    if scene.robot.base is None and is_urdf:
        _report_loose_base(scene.robot.model)
    return file


def _require(takes: Collection[str], keys: Iterable[str], scene: schema.RobotScene, document: Document) -> None:
    """Refuse a key of `robot` that the adapter does not support."""
    for key in keys:
        if key not in takes:
            message = f"adapter '{scene.adapter}' knows no {key}; `{_KNOWN_BY.get(key, 'native')}` does"
            raise document.error([SceneProblem(("robot", key), message)])


def _report_loose_base(file: Path) -> None:
    """Report that the trunk of a URDF file is fixed to the world, which the file does not say."""
    if (base := loose_base(file)) is not None:
        caution(
            f"{file}: nothing connects its base '{base}' to the world; it is fixed where it is: write 'base: fixed' "
            "under 'robot' if that is meant",
            AdapterError,
        )


def robot_setup(scene: schema.RobotScene, joints: Sequence[str], document: Document) -> RobotSetup:
    """A scene's settings for its robot, whose file has some joints.

    Raises:
        SceneFileError: An expression matches none of them; with the place.
    """
    robot = scene.robot
    for key in ("initial", "initial_velocity"):
        with document.blame("robot", key):
            matching(tuple(getattr(robot, key)), joints, "joint", AdapterError)
    return RobotSetup(
        dt=scene.dt,
        gravity=np.array(scene.gravity),
        integrator=scene.integrator,
        pose=transform(robot.pose),
        friction=own_friction(scene, robot),
        default_friction=scene.contact.friction,
        facets=Facets(robot.collision, robot.sections),
        armature=_by_joint(robot, "armature", joints, document),
        damping=_by_joint(robot, "damping", joints, document),
        frictionloss=_by_joint(robot, "frictionloss", joints, document),
        actuators=tuple(_actuators(robot, joints, document)),
        start=robot.initial,
        start_velocity=robot.initial_velocity,
        loops=tuple(_loops(robot, joints, document)),
        pins=tuple(Pin(**pin.model_dump()) for pin in robot.pins),
        segment_radius=robot.segment_radius,
        substeps=robot.substeps,
    )


def _by_joint(robot: schema.RobotEntry, key: str, joints: Sequence[str], document: Document) -> dict[str, float]:
    """Numbers by joint; if several patterns match a joint, the last one is used."""
    value = getattr(robot, key)
    by_pattern = value if isinstance(value, dict) else {} if value is None else {".*": value}
    found: dict[str, float] = {}
    with document.blame("robot", key):
        for pattern, number in by_pattern.items():
            found |= dict.fromkeys(_named(pattern, joints), number)
    return found


def _actuators(robot: schema.RobotEntry, joints: Sequence[str], document: Document) -> list[Actuator]:
    found: dict[str, Actuator] = {}
    for index, entry in enumerate(robot.actuators):
        with document.blame("robot", "actuators", index, "joints"):
            for name in _named(entry.joints, joints):
                if name in found:
                    raise AdapterError(f"joint '{name}' has an actuator already; give one a joint")
                found[name] = Actuator(name, entry.kp, entry.kv, np.inf if entry.max_force is None else entry.max_force)
    return list(found.values())


def _loops(robot: schema.RobotEntry, joints: Sequence[str], document: Document) -> list[_Loop]:
    found = []
    for index, loop in enumerate(robot.loops):
        with document.blame("robot", "loops", index):
            found.append((tuple(_named(loop.joints, joints)), _constraint(loop)))
    return found


def _constraint(loop: schema.FourBarEntry | schema.GearEntry) -> LoopConstraint:
    from ipc_articulation.dynamics.loops import FourBar, gear

    if isinstance(loop, schema.GearEntry):
        return gear(loop.ratio)
    if loop.driver not in loop.joints:
        raise AdapterError(f"driver '{loop.driver}' is none of the loop's joints {list(loop.joints)}")
    return FourBar(loop.lengths, loop.offset, loop.joints.index(loop.driver))


def _named(pattern: str | Sequence[str], joints: Sequence[str]) -> list[str]:
    return [joints[index] for index in matching(pattern, joints, "joint", AdapterError)]
