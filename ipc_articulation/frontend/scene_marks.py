"""What this package notes in a scene for itself: whole numbers in columns of its contact table.

libuipc's own engines do not read them. All entries of a column are the same.
"""

from __future__ import annotations

import uipc


def mark(scene: uipc.Scene, name: str, value: int) -> None:
    """Note a value in a scene."""
    models = scene.contact_tabular().contact_models()
    slot = models.find(name)
    if slot is None:
        models.create(name, value)
    else:
        uipc.view(slot)[:] = value


def marked(scene: uipc.Scene, name: str) -> int | None:
    """The value that was noted; None if none was."""
    slot = scene.contact_tabular().contact_models().find(name)
    return None if slot is None else int(slot.view()[0])
