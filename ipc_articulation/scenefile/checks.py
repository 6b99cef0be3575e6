"""Checks of a whole scene: complaints of its blocks, and names, sizes and order that no single block can check."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from ipc_articulation.naming import suggest
from ipc_articulation.scenefile.document import Location, SceneProblem
from ipc_articulation.scenefile.keys import Block
from ipc_articulation.scenefile.published_materials import PUBLISHED, missing_values
from ipc_articulation.scenefile.schema import ArticulationScene, AxisEntry, RobotScene, Scene


def check(scene: Scene, faulty: Collection[str] = ()) -> Iterator[SceneProblem]:
    """Every problem of a scene whose values are valid one by one.

    Args:
        scene: To be checked.
        faulty: Keys of the scene whose blocks have invalid values; checks that look at them are left out.
    """
    yield from _complaints((), scene)
    for kind, keys, checked in _CHECKS:
        if isinstance(scene, kind) and not set(keys) & set(faulty):
            yield from checked(scene)


def _complaints(location: Location, value: Any) -> Iterator[SceneProblem]:
    """Complaints of a block and of all blocks below it."""
    children: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, Block):
        yield from (SceneProblem((*location, *place), message) for place, message in value.complaints())
        children = vars(value).items()
    elif isinstance(value, tuple):
        children = enumerate(value)
    for key, child in children:
        yield from _complaints((*location, key), child)


def _repeated(names: Iterable[str], taken: Iterable[str] = ()) -> Iterator[tuple[int, str]]:
    """Index and name of all entries whose name is taken or occurs a second time."""
    known = set(taken)
    for index, name in enumerate(names):
        if name in known:
            yield index, name
        known.add(name)


def _unique(location: Location, names: Iterable[str], taken: Iterable[str] = ()) -> Iterator[SceneProblem]:
    for index, name in _repeated(names, taken):
        yield SceneProblem((*location, index, "name"), f"the name '{name}' is already used")


def _known(location: Location, name: str, known: Collection[str], what: str) -> Iterator[SceneProblem]:
    if name not in known:
        yield SceneProblem(location, f"unknown {what} '{name}'{suggest(name, known, 'known')}")


def _body_names(scene: Scene) -> Iterator[SceneProblem]:
    yield from _unique(("bodies",), (body.name for body in scene.bodies))


def _surface_names(scene: Scene) -> Iterator[SceneProblem]:
    names = [body.name for body in scene.bodies]
    if scene.ground and "ground" in names:
        place = ("bodies", names.index("ground"), "name")
        yield SceneProblem(place, "the name 'ground' is already used, by the ground")
    yield from _unique(("walls",), (wall.name for wall in scene.walls), {*names, "ground"})
    taken = {*names, "ground", *(wall.name for wall in scene.walls)}
    for kind in SOFT:
        own = [body.name for body in getattr(scene, kind)]
        yield from _unique((kind,), own, taken)
        taken.update(own)


def _soft_materials(scene: Scene) -> Iterator[SceneProblem]:
    """Materials of soft bodies may be published ones; all values that a body needs are known."""
    known = [*scene.materials, *(name for name in PUBLISHED if name not in scene.materials)]
    for kind in SOFT:
        for index, body in enumerate(getattr(scene, kind)):
            if body.material is not None and body.material not in known:
                message = f"unknown material '{body.material}'{suggest(body.material, known, 'materials')}"
                yield SceneProblem((kind, index, "material"), message)
            elif missing := missing_values(body, scene.materials):
                where = f"material '{body.material}' has none" if body.material else "or a material that has them"
                yield SceneProblem((kind, index), f"'{body.name}' needs {' and '.join(missing)}; {where}")


def _attached(scene: Scene) -> Iterator[SceneProblem]:
    """Bodies that soft ones are attached to, as far as the file knows: not soft ones, the ground or walls."""
    soft = {body.name for body in scene.soft_bodies}
    planes = {wall.name for wall in scene.walls} | {"ground"}
    for kind in SOFT:
        for index, body in enumerate(getattr(scene, kind)):
            for number, entry in enumerate(body.attach):
                what = "soft" if entry.to in soft else "a half-space" if entry.to in planes else ""
                if what:
                    message = (
                        f"'{entry.to}' is {what}; attach '{body.name}' to a link, to one of `bodies` or to `world`"
                    )
                    yield SceneProblem((kind, index, "attach", number, "to"), message)


def _materials(scene: Scene) -> Iterator[SceneProblem]:
    users: list[tuple[Location, Any]] = [(("bodies", index), body) for index, body in enumerate(scene.bodies)]
    users += [(("walls", index), wall) for index, wall in enumerate(scene.walls)]
    users += [(("ground",), scene.ground), (("robot",), getattr(scene, "robot", None))]
    for place, user in users:
        if user is not None and user.material is not None:
            name, known = user.material, scene.materials
            if name not in known:
                message = f"unknown material '{name}'{suggest(name, known, 'materials')}"
                yield SceneProblem((*place, "material"), message)


def _velocities(scene: Scene) -> Iterator[SceneProblem]:
    """Only what moves freely has an initial velocity, or is pushed."""
    articulated = _articulated(scene)
    for index, body in enumerate(scene.bodies):
        if not (body.fixed or body.name in articulated):
            continue
        why = "is fixed" if body.fixed else "is moved by an articulation"
        for key, what in (("velocity", "it has no initial velocity"), ("push", "nothing pushes it")):
            if getattr(body, key) is not None:
                yield SceneProblem(("bodies", index, key), f"body '{body.name}' {why}, so {what}")


def _articulated(scene: Scene) -> set[str]:
    """Names of bodies that an articulation moves."""
    if not isinstance(scene, ArticulationScene):
        return set()
    moved = {name for articulation in scene.articulations for name in articulation.joints}
    return {name for joint in scene.joints if joint.name in moved for name in (joint.parent, joint.child)}


def _variations(scene: Scene) -> Iterator[SceneProblem]:
    for index, path in _repeated(variation.path for variation in scene.randomise):
        yield SceneProblem(("randomise", index, "path"), f"'{path}' is drawn already")


def _camera_names(scene: Scene) -> Iterator[SceneProblem]:
    yield from _unique(("cameras",), (camera.name for camera in scene.cameras))


def _mark_names(scene: RobotScene) -> Iterator[SceneProblem]:
    yield from _unique(("marks",), (mark.name for mark in scene.marks), [body.name for body in scene.bodies])


def _joint_names(scene: ArticulationScene) -> Iterator[SceneProblem]:
    yield from _unique(("joints",), (joint.name for joint in scene.joints))


def _joined_bodies(scene: ArticulationScene) -> Iterator[SceneProblem]:
    bodies = {body.name for body in scene.bodies}
    for index, joint in enumerate(scene.joints):
        yield from _known(("joints", index, "parent"), joint.parent, bodies, "body")
        yield from _known(("joints", index, "child"), joint.child, bodies, "body")
        if joint.parent == joint.child:
            yield SceneProblem(("joints", index, "child"), f"joint '{joint.name}' joins '{joint.child}' to itself")


def _articulated_joints(scene: ArticulationScene) -> Iterator[SceneProblem]:
    joints = {joint.name for joint in scene.joints if isinstance(joint, AxisEntry)}
    for index, articulation in enumerate(scene.articulations):
        for position, name in enumerate(articulation.joints):
            yield from _known(("articulations", index, "joints", position), name, joints, "hinge or slider")


def _owned_once(scene: ArticulationScene) -> Iterator[SceneProblem]:
    owned: set[str] = set()
    for index, articulation in enumerate(scene.articulations):
        for position, name in enumerate(articulation.joints):
            if name in owned:
                message = f"joint '{name}' is in an articulation already"
                yield SceneProblem(("articulations", index, "joints", position), message)
            owned.add(name)
    for index, joint in enumerate(scene.joints):
        if isinstance(joint, AxisEntry) and joint.drive is not None and joint.name in owned:
            yield SceneProblem(("joints", index, "drive"), f"joint '{joint.name}' is moved by an articulation already")


def _drives(scene: ArticulationScene) -> Iterator[SceneProblem]:
    """The angle of a hinge would be ambiguous if it turned by π in a step."""
    for index, joint in enumerate(scene.joints):
        if not isinstance(joint, AxisEntry) or joint.type != "revolute" or joint.drive is None:
            continue
        turn = abs(joint.drive.target) * min(1.0, scene.dt / joint.drive.duration)
        if turn >= math.pi:
            message = (
                f"joint '{joint.name}' is driven by {turn:.4g} rad in a step of {scene.dt:g} s; no joint may turn by π "
                "or more in one step: give a longer duration or a smaller dt"
            )
            yield SceneProblem(("joints", index, "drive"), message)


SOFT = ("soft", "cloth", "rods")  # keys of soft bodies

_Check = tuple[type[Scene], tuple[str, ...], Callable[[Any], Iterator[SceneProblem]]]

# The kind of scenes, the keys that a check looks at, and the check.
_CHECKS: tuple[_Check, ...] = (
    (Scene, ("bodies",), _body_names),
    (Scene, ("materials", "bodies", "walls", "ground", "robot"), _materials),
    (Scene, ("bodies", "walls", "ground", *SOFT), _surface_names),
    (Scene, ("materials", *SOFT), _soft_materials),
    (Scene, ("walls", *SOFT), _attached),
    (Scene, ("bodies", "joints", "articulations"), _velocities),
    (Scene, ("randomise",), _variations),
    (Scene, ("cameras",), _camera_names),
    (RobotScene, ("marks", "bodies"), _mark_names),
    (ArticulationScene, ("joints",), _joint_names),
    (ArticulationScene, ("joints", "bodies"), _joined_bodies),
    (ArticulationScene, ("joints", "articulations"), _articulated_joints),
    (ArticulationScene, ("articulations", "joints"), _owned_once),
    (ArticulationScene, ("dt", "joints"), _drives),
)
