"""A scene file for somebody's own robot: joints inside their limits, fitting gains, nothing in the ground."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.checking.nearness import Nearness
from ipc_articulation.checking.start import Start, touching
from ipc_articulation.coupling.kinds import freedom_names, kind_of
from ipc_articulation.dynamics.reading.facts import FileFacts
from ipc_articulation.errors import IpcArticulationError, MeshError, ModelError, SceneFileError
from ipc_articulation.packages import PACKAGE, find_file
from ipc_articulation.progress import progress
from ipc_articulation.repairs import repair, summed
from ipc_articulation.scenefile.schema import Scene
from ipc_articulation.simulation.bodies import GROUND
from ipc_articulation.starting.draft import FLOOR, Draft
from ipc_articulation.starting.facts import read_facts, start_of
from ipc_articulation.starting.floor import Floor, missing_height, own_floor, rises, up_of
from ipc_articulation.starting.gains import choose_gains
from ipc_articulation.starting.ignoring import body_to_ignore
from ipc_articulation.starting.options import REPLACED, USUAL

ADAPTERS = ("mujoco", "native")  # the first that can read the robot is taken
THIN = 0.25  # d̂ in the thinnest surface
LEAST_D_HAT = 1e-4  # [m]
_STAGES = ("reading the robot", "choosing gains", "placing the robot", "looking for overlaps", "checking the scene")
_GROUNDS = {GROUND, f"world/{GROUND}"}  # names of the ground that a scene adds


class Starter(NamedTuple):
    """A scene file's text, and notes: why other adapters cannot simulate the robot, and what its file leaves open."""

    text: str
    notes: list[str]


@summed()
def robot_starter(robot: str, scene_file: Path, adapter: str | None = None) -> Starter:
    """The text of a scene file.

    Args:
        robot: URDF, MJCF or OpenSim file, relative to the working directory, or `package://...`.
        scene_file: Where the text will be written.
        adapter: `mujoco`, `native`, `pinocchio` or `dart`; None for the first that can simulate the robot.

    Raises:
        ModelError: The robot's file cannot be read, or no adapter can simulate it, and why.
    """
    try:
        file = find_file(robot, Path())
        facts = read_facts(file)
    except (FileNotFoundError, IpcArticulationError) as error:
        raise error if isinstance(error, ModelError) else ModelError(str(error)) from error
    model = robot if robot.startswith(PACKAGE) else _from(file, scene_file.absolute().parent)
    refusals: list[str] = []
    for name in [adapter] if adapter else ADAPTERS:
        base = facts.base if facts.keyframe else None
        draft = Draft(model, file, name, facts, _initial(facts), refusals=refusals, base=base)
        try:
            with (
                summed(file, given_up=SceneFileError),
                progress(scene_file.name, len(_STAGES), False, note=_stage) as show,
            ):
                text = _finished(draft, show)
        except SceneFileError as error:
            refusals.append(f"with adapter {name}: {_line(error)}")
        else:
            return Starter(text, [*refusals, *_report(draft)])
    raise ModelError(f"{file} cannot be simulated\n" + "\n".join(refusals))


def _initial(facts: FileFacts) -> dict[str, float]:
    return {joint.name: start_of(joint) for joint in facts.joints}


def _report(draft: Draft) -> Iterator[str]:
    """Report what the scene file replaces: repairs, and notes about what the robot's file leaves open.

    Raises:
        ModelError: In strict mode.
    """
    facts, file = draft.facts, draft.file
    for body, reason in draft.ignored:
        repair(f"body '{body}'", reason, "left out, by 'ignore' under 'robot'", at=file)
    if facts.integrator in REPLACED and draft.adapter == "mujoco":
        why = REPLACED[facts.integrator]
        repair(f"integrator {facts.integrator}", f"it cannot be coupled: {why}", f"replaced by {USUAL}", at=file)
    for base in () if facts.says_base else facts.floating:
        yield f"{file}: nothing carries base '{base}'; it floats, by 'base: free' under 'robot'"


def _stage(done: int, _: float) -> str:
    """What follows some stages, for the bar's note."""
    return (*_STAGES, "")[done]


def _finished(draft: Draft, show: Callable[[int], None]) -> str:
    """The text of a draft, stage by stage; `show` is called with the number of those done."""
    start, scene = _first_start(draft)
    show(1)
    draft.d_hat = _fitting_d_hat(start, draft.d_hat)
    _put_on_floor(draft, start, scene)
    _add_gains(draft, start)
    show(2)
    start, scene = draft.start()
    show(3)
    _part_what_touches(draft, start, scene)
    show(4)
    draft.start()
    show(5)
    return draft.text()


def _first_start(draft: Draft) -> tuple[Start, Scene]:
    """As the robot's file is, or without bodies that cannot be coupled, or with convex hulls for open meshes."""
    while True:
        try:
            return draft.start()
        except SceneFileError as error:
            if isinstance(error.__cause__, MeshError) and not draft.hull:
                draft.hull = True
            elif (body := body_to_ignore(_line(error), draft.facts, [name for name, _ in draft.ignored])) is not None:
                draft.ignored.append((body, _line(error)))
            else:
                raise


def _line(error: SceneFileError) -> str:
    return " ".join(error.faults[0].message.split())


def _fitting_d_hat(start: Start, usual: float) -> float:
    thinnest = min((float(thing.extents.min()) for thing in start.things), default=math.inf)
    if thinnest * THIN >= usual:
        return usual
    return max(float(f"{THIN * thinnest:.1g}"), LEAST_D_HAT)


def _put_on_floor(draft: Draft, start: Start, scene: Scene) -> None:
    """Raise slides above the floor of the robot's file, or everything above a ground of the scene."""
    up = up_of(scene.gravity)
    floor = own_floor(start, up)
    if floor is not None:
        draft.floor = floor.thing.name
        limits = {joint.name: (joint.lower, joint.upper) for joint in draft.facts.joints}
        for joint, change in rises(start, floor, up, draft.d_hat):
            if joint in limits:
                raised = round(draft.initial[joint] + change, 4)
                draft.initial[joint] = float(np.clip(raised, *limits[joint]))
        base = draft.facts.base if draft.base is None else draft.base
        if base is not None and (height := _missing_under_base(draft, start, floor, up)):
            draft.base = base + np.append(height * up, np.zeros(4))
    elif not _GROUNDS & _names_of_static(start) and np.any(scene.gravity):
        draft.ground = GROUND not in {part.name for part in start.robot.parts}
        draft.floor_wall = () if draft.ground else tuple(up.tolist())
        draft.lift = missing_height(start.things, 0.0, up, draft.d_hat) * up


def _missing_under_base(draft: Draft, start: Start, floor: Floor, up: Array) -> float:
    """How far a base that floats in the file must rise so that nothing on it is in the file's own floor [m]."""
    trees = draft.facts.trees
    tree = trees[draft.facts.floating[0]]
    own = [thing for thing in start.things if trees.get(thing.name.partition("/")[0]) == tree]
    touched = [thing for thing in own if touching(start, thing, floor.thing)]
    return missing_height(touched, floor.height, up, draft.d_hat)


def _names_of_static(start: Start) -> set[str]:
    return {thing.name for thing in start.things if thing.static} | {plane.name for plane in start.robot.planes}


def _part_what_touches(draft: Draft, start: Start, scene: Scene) -> None:
    """Make untouchable what is in each other, except for the scene's ground."""
    still = {body.name for body in start.robot.static} | {plane.name for plane in start.robot.planes}
    for pair in Nearness(start, scene).narrow_pairs():
        if _grounds(draft) & set(pair):
            continue
        known = tuple(GROUND if name == f"world/{GROUND}" else name for name in pair)
        (draft.stuck if set(pair) & still else draft.untouchable).append((known[0], known[1]))


def _grounds(draft: Draft) -> set[str]:
    """Names of the ground, or of the floor in its place, that the scene adds."""
    return _GROUNDS if draft.ground else {FLOOR} if draft.floor_wall else set()


def _add_gains(draft: Draft, start: Start) -> None:
    """Gains for joints that nothing holds: all joints, or those with motors if the file has actuators."""
    facts = draft.facts
    if start.effective_mass is None:
        return
    names = freedom_names(start.robot.joints)
    following = {joint.name for joint in facts.joints if joint.follows}
    single = {joint.name for joint in start.robot.joints if kind_of(joint).freedoms == 1}
    held = facts.motors if facts.has_actuators else (set(start.joints) & single) - following
    driven = np.array([name in start.joints and name in held for name in names])
    kp, kv = choose_gains(start.effective_mass, driven, draft.dt)
    draft.gains = {names[j]: (float(kp[j]), float(kv[j])) for j in np.flatnonzero(driven)}


def _from(file: Path, folder: Path) -> str:
    """The robot's file as a scene file in a folder names it: relative where that is short, else absolute."""
    try:
        relative = Path(os.path.relpath(file, folder))
    except ValueError:  # another drive
        return file.as_posix()
    return file.as_posix() if relative.parts[:2] == ("..", "..") else relative.as_posix()
