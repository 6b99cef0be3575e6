"""What the engine would refuse of bodies: too fast or too far away, flat elements, forces beyond every number."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ipc_articulation.checking.start import Start
from ipc_articulation.errors import SceneError, UnsupportedError
from ipc_articulation.frontend.force_checks import refuse_strong
from ipc_articulation.frontend.soft.bodies import read_soft_bodies
from ipc_articulation.scenefile.document import SceneProblem
from ipc_articulation.scenefile.schema import Scene
from ipc_articulation.simulation.soft.bodies import entries


def soft_body_problems(start: Start, scene: Scene) -> Iterator[SceneProblem]:
    """What `world.init` would say of each soft body."""
    for (place, body), (slot, rest) in zip(entries(scene), start.soft_slots, strict=True):
        try:
            read_soft_bodies([slot], [rest], {slot.id(): body.name})
        except (SceneError, UnsupportedError) as error:
            yield SceneProblem(place, str(error))


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
