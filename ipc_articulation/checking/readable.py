"""What the engine would refuse of bodies: too fast or too far away, flat elements, forces beyond every number."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ipc_articulation.checking.start import Start, place_of
from ipc_articulation.errors import SceneError, UnsupportedError
from ipc_articulation.frontend.force_checks import refuse_strong
from ipc_articulation.frontend.soft.bodies import read_soft_bodies
from ipc_articulation.frontend.soft.body_checks import refuse_extremes
from ipc_articulation.scenefile.document import Location, SceneProblem
from ipc_articulation.scenefile.schema import Scene
from ipc_articulation.simulation.soft.bodies import entries


def soft_body_problems(start: Start, scene: Scene) -> Iterator[SceneProblem]:
    """What `world.init` would say of each soft body."""
    for (place, body), (slot, rest) in zip(entries(scene), start.soft_slots, strict=True):
        try:
            read_soft_bodies([slot], [rest], {slot.id(): body.name})
        except (SceneError, UnsupportedError) as error:
            yield SceneProblem(place, str(error))


def affine_body_problems(start: Start, scene: Scene) -> Iterator[SceneProblem]:
    """What `world.init` would say of where each affine body is, and of how fast."""
    for body in (*start.robot.links, *start.robot.free, *start.robot.static):
        if body.mesh is None:
            continue
        for what, T in (("position", body.pose), ("velocity", body.velocity)):
            try:
                refuse_extremes(body.mesh.vertices @ T[:3, :3].T + T[:3, 3], what, f"body '{body.name}'")
            except SceneError as error:
                yield SceneProblem(_place(body.name, what, scene), str(error))


def _place(name: str, what: str, scene: Scene) -> Location:
    """Location of a body's pose, or of its velocity."""
    place = place_of(name, scene)
    return (*place[:2], "velocity") if place[:1] == ("bodies",) and what == "velocity" else place


def push_problems(start: Start, scene: Scene) -> Iterator[SceneProblem]:
    """What a step would say of the force of each push."""
    masses = {thing.name: thing.mass for thing in start.things}
    for index, body in enumerate(scene.bodies):
        mass = masses.get(body.name)
        if body.push is None or mass is None:
            continue
        said = f"the push on '{body.name}'"
        try:
            refuse_strong(np.array([body.push.force]), np.array([mass]), scene.dt, [said].__getitem__)
        except SceneError as error:
            yield SceneProblem(("bodies", index, "push", "force"), str(error))
