"""Soft bodies whose elements do not fit the scene: to d̂, to their material, to the time that a step may take."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ipc_articulation.checking.ranges import DENSITY, Range
from ipc_articulation.checking.start import Start
from ipc_articulation.meshing.boundary import edge_lengths
from ipc_articulation.recording.scenery import SoftShape
from ipc_articulation.scenefile.document import SceneProblem
from ipc_articulation.scenefile.published_materials import elastic_values
from ipc_articulation.scenefile.schema import Scene
from ipc_articulation.simulation.soft.bodies import entries

MANY = 20_000  # vertices of all soft bodies together
LOCKING = 0.495  # Poisson's ratio
YOUNGS_MODULUS = Range(1e3, 1e10, "Pa", "it collapses under its own weight", "a rigid body is faster and as good")


def softness_problems(start: Start, scene: Scene) -> Iterator[SceneProblem]:
    """A warning for each risk."""
    shapes = {shape.name: shape for shape in start.soft}
    for place, body in entries(scene):
        values = elastic_values(body, scene.materials)
        remarks = (
            YOUNGS_MODULUS.remark(f"Young's modulus of '{body.name}'", values.youngs_modulus or YOUNGS_MODULUS.low),
            DENSITY.remark(f"the density of '{body.name}'", values.density),
            _locking(body.name, values.poissons_ratio),
            _small_elements(shapes[body.name], scene.contact.d_hat) if body.self_collision else None,
        )
        yield from (SceneProblem((*place, "name"), remark) for remark in remarks if remark)
    total = sum(len(shape.vertices) for shape in start.soft)
    if total > MANY:
        message = f"soft bodies have {total:,} vertices, so a step may take seconds; give coarser elements"
        yield SceneProblem((next(entries(scene))[0][0],), message, at_key=True)


def _locking(name: str, ratio: float | None) -> str | None:
    if ratio is None or ratio <= LOCKING:
        return None
    return (
        f"Poisson's ratio {ratio:g} of '{name}' is above {LOCKING:g}: linear elements are then far too stiff; 0.49 is "
        "nearly incompressible"
    )


def _small_elements(shape: SoftShape, d_hat: float) -> str | None:
    """Parts of a body that an element separates must not repel each other at rest."""
    shortest, reach = (
        float(edge_lengths(shape.vertices, shape.cells.astype(np.int64)).min()),
        d_hat + 2.0 * shape.radius,
    )
    if shortest >= reach:
        return None
    thick = f" and the thickness {2.0 * shape.radius:g} m" if shape.radius else ""
    return (
        f"'{shape.name}' has edges of {shortest:.2g} m, shorter than d_hat {d_hat:g} m{thick}: its own parts push each "
        "other away at rest; make d_hat smaller or the elements larger"
    )
