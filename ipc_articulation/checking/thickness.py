"""Bodies that are too thin or too light for the scene's d̂ and time step."""

from __future__ import annotations

from collections.abc import Iterator

from ipc_articulation.checking.ranges import MASS
from ipc_articulation.checking.start import Start, place_of
from ipc_articulation.scenefile.document import SceneProblem
from ipc_articulation.scenefile.schema import Scene


def thickness_problems(start: Start, scene: Scene) -> Iterator[SceneProblem]:
    """Surfaces thinner than 2 d̂, whose two sides repel what touches either; and masses that their shapes give."""
    d_hat = scene.contact.d_hat
    stated = {body.name for body in scene.bodies if body.mass is not None}
    for thing in start.things:
        place, thinnest = place_of(thing.name, scene), float(thing.extents.min())
        if thing.closed and 0.0 < thinnest < 2.0 * d_hat and scene.contact.enabled:
            message = f"'{thing.name}' is {thinnest:.2g} m thin, less than twice d_hat {d_hat:g} m; make d_hat smaller"
            yield SceneProblem(place, message)
        if thing.mass is not None and thing.name not in stated:
            remark = MASS.remark(f"the mass of '{thing.name}'", thing.mass)
            if remark is not None:
                yield SceneProblem(place, remark)
