"""Soft bodies that the engine would refuse to read: too fast or too far away, flat elements, numbers that are none."""

from __future__ import annotations

from collections.abc import Iterator

from ipc_articulation.checking.start import Start
from ipc_articulation.errors import SceneError, UnsupportedError
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
