"""Bodies on joints that are too light for their stiffness: Newton's method may end before they have turned.

libuipc's semi-implicit termination ends a step after a few iterations. With stiffness κ and density ρ, a body that
falls on a hinge (dt = 0.01 s) turns as it should up to κ dt²/ρ = 50, 7 % too little at 100, and half as far at 1000.
Articulations are solved to convergence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ipc_articulation.checking.start import Start, Thing, place_of
from ipc_articulation.scenefile.document import SceneProblem
from ipc_articulation.scenefile.schema import ArticulationScene
from ipc_articulation.simulation.materials import stiffness_of

LARGEST = 60.0  # κ dt²/ρ


def lightness_problems(start: Start, scene: ArticulationScene) -> Iterator[SceneProblem]:
    """A warning for each such body that no articulation moves, if the semi-implicit termination is on."""
    if not _ends_early(scene.config):
        return
    moved = {name for articulation in scene.articulations for name in articulation.joints}
    free = [joint for joint in scene.joints if joint.name not in moved]
    jointed = {name for joint in free for name in (joint.parent, joint.child)}
    things = {thing.name: thing for thing in start.things}
    for body in scene.bodies:
        thing = things.get(body.name)
        if thing is None or not thing.mass or body.name not in jointed:
            continue
        kappa, volume = stiffness_of(scene, body) or scene.stiffness, _volume(thing)
        ratio = kappa * scene.dt**2 * volume / thing.mass
        if ratio > LARGEST:
            density = thing.mass / volume
            message = (
                f"'{body.name}' has {density:.3g} kg/m³, which is so light for a stiffness of {kappa:g} Pa that "
                f"Newton's method may end before its joints have turned (stiffness·dt²/density is {ratio:.2g}, more "
                f"than {LARGEST:g}); leave newton: {{semi_implicit: {{enable: …}}}} away, or give a stiffness of at "
                f"most {kappa * LARGEST / ratio:.2g} Pa"
            )
            yield SceneProblem(place_of(body.name, scene), message)


def _ends_early(config: Mapping[str, Any]) -> bool:
    return bool(config.get("newton", {}).get("semi_implicit", {}).get("enable", False))


def _volume(thing: Thing) -> float:
    corners = thing.vertices[thing.faces] - thing.vertices[0]
    return float(np.linalg.det(corners).sum()) / 6.0
