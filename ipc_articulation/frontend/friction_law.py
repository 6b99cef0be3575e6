"""Which friction a scene asks for, in columns of its contact table that libuipc's own engines do not read.

They have lagged friction only; the CPU engine knows anchored friction too, see `contact.anchors`, and it can renew the
normal forces of both within a step, see `engine.newton.lagging`.
"""

from __future__ import annotations

import uipc

_COLUMN = "anchored"  # 1 or 0, the same in all entries; lagged where it is missing
_ITERATIONS = "friction iterations"  # the same in all entries; 1 where it is missing


def choose_friction(scene: uipc.Scene, is_anchored: bool, unless_chosen: bool = False) -> None:
    """Write into a scene which friction it has; `unless_chosen`: an earlier choice remains."""
    models = scene.contact_tabular().contact_models()
    slot = models.find(_COLUMN)
    if slot is None:
        models.create(_COLUMN, int(is_anchored))
    elif not unless_chosen:
        uipc.view(slot)[:] = int(is_anchored)


def has_anchors(scene: uipc.Scene) -> bool:
    """Whether a scene asks for anchored friction."""
    slot = scene.contact_tabular().contact_models().find(_COLUMN)
    return slot is not None and bool(slot.view()[0])


def choose_friction_iterations(scene: uipc.Scene, most: int) -> None:
    """Write into a scene how many minimisations a step may have, each with the normal forces of the one before."""
    models = scene.contact_tabular().contact_models()
    slot = models.find(_ITERATIONS)
    if slot is None:
        models.create(_ITERATIONS, most)
    else:
        uipc.view(slot)[:] = most


def friction_iterations(scene: uipc.Scene) -> int:
    """How many minimisations a step of a scene may have."""
    slot = scene.contact_tabular().contact_models().find(_ITERATIONS)
    return 1 if slot is None else int(slot.view()[0])
