"""Which friction a scene asks for, in a column of its contact table that libuipc's own engines do not read.

They have lagged friction only; the CPU engine knows anchored friction too, see `contact.anchors`.
"""

from __future__ import annotations

import uipc

_COLUMN = "anchored"  # 1 or 0, the same in all entries; lagged where it is missing


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
