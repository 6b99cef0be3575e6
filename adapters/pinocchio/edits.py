"""Edits of a Pinocchio model between steps: the dynamics follows them, and those of what the scene was built from are
refused by name.
"""

from __future__ import annotations

import pinocchio as pin

from ipc_articulation.errors import AdapterError

_REMEDY = "the scene was built from it: couple a new adapter in a new scene"


class Edits:
    """A copy of the placements and the geometry from which a scene was built."""

    def __init__(self, model: pin.Model, collision: pin.GeometryModel | None) -> None:
        self._model, self._collision = model, collision
        self._built, self._shapes = model.copy(), None if collision is None else collision.clone()

    def refuse(self) -> None:
        """Refuse edits of joints, their placements, and the geometry that touches.

        Raises:
            AdapterError: There is one; the message names the joint or the geometry.
        """
        now, built = self._model, self._built
        if now.njoints != built.njoints:
            raise AdapterError(
                f"model '{now.name}' has {now.njoints - 1} joints, and had {built.njoints - 1}; {_REMEDY}"
            )
        if list(now.jointPlacements) != list(built.jointPlacements):
            moved = zip(now.names, now.jointPlacements, built.jointPlacements, strict=True)
            name = next(name for name, placement, before in moved if placement != before)
            raise AdapterError(f"the placement of joint '{name}' was edited; {_REMEDY}")
        if self._collision is not None and self._collision != self._shapes:
            raise AdapterError(f"{_changed(self._collision, self._shapes)} was edited; {_REMEDY}")


def _changed(now: pin.GeometryModel, built: pin.GeometryModel) -> str:
    """What differs of two geometry models."""
    if now.ngeoms != built.ngeoms:
        return f"the number of geometries ({built.ngeoms}, now {now.ngeoms})"
    pairs = zip(now.geometryObjects, built.geometryObjects, strict=True)
    name = next((before.name for entry, before in pairs if entry != before), None)
    return "the list of collision pairs" if name is None else f"geometry '{name}'"
