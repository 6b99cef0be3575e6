"""Contact resistance by load for engines that know only numbers: libuipc's own.

An entry of the table stands for many pairs of bodies, and does not change. So it gets the start value of the rule of
`contact.resistance`, for the weight of all that may come to lie on each other there:

    κ_c = m a / |B'(d̂/2)|,   m the smaller of the two elements' masses.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import uipc

from ipc_articulation.contact.materials import BY_LOAD
from ipc_articulation.contact.resistance import start_value
from ipc_articulation.frontend.attributes import read, read_meta, require
from ipc_articulation.frontend.bodies import is_affine_body
from ipc_articulation.frontend.contact_table import is_unset


def fill_resistances(scene: uipc.Scene, unset: bool) -> None:
    """Replace `BY_LOAD` in a scene's contact table by values; with `unset`, also what nobody has set."""
    models = scene.contact_tabular().contact_models()
    slot = models.find("resistance")
    held = uipc.view(slot)
    is_open = np.array([r == BY_LOAD or (unset and is_unset(r)) for r in held], dtype=bool)
    if not is_open.any():
        return
    masses, elements = _masses(scene), uipc.view(models.find("topo")).reshape(-1, 2)
    config = scene.config()
    d_hat, dt = (float(uipc.view(config.find(name))[0]) for name in ("contact/d_hat", "dt"))
    gravity = float(np.linalg.norm(uipc.view(config.find("gravity"))[0]))
    for row in np.flatnonzero(is_open):
        sides = [masses[element] for element in elements[row].tolist() if masses[element] > 0.0]
        held[row] = start_value(min(sides, default=1.0), gravity, dt, d_hat)


def _masses(scene: uipc.Scene) -> dict[int, float]:
    """Mass of all bodies that are not fixed [kg], by their contact element."""
    masses: dict[int, float] = defaultdict(float)
    for slot in uipc.backend.SceneVisitor(scene).geometries():
        shape = slot.geometry()
        if is_affine_body(shape):
            moving = np.count_nonzero(require(shape.instances(), "is_fixed", "body") == 0)
            mass = moving * float(require(shape.meta(), "abd_mass", "body")[0])
            of_vertices = read(shape.vertices(), "contact_element_id")
            own = [read_meta(shape, "contact_element_id", 0)] if of_vertices is None else np.unique(of_vertices)
            for element in own:
                masses[int(element)] += mass
    return masses
