"""`ref_dof_prev`: the reference pose of δθ in an articulation, which a user may give for any bodies.

The attribute belongs to the instances of a geometry, so all bodies of a geometry have it or none. Like libuipc, the
engine searches for it once, at `world.init`; its values are read in each step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.articulation.step_input import first_collapsed, refuse_collapsed, refuse_not_finite
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.bodies import BodyTable

REF_DOF_PREV = "ref_dof_prev"


@dataclass(frozen=True)
class ReferenceDofs:
    """The attribute slots that were found, and their bodies."""

    slots: tuple[Any, ...]
    rows: tuple[slice, ...]  # rows of the bodies of each slot, in the order of instances
    names: tuple[str, ...]  # of all bodies

    def read(self, q_prev: Array) -> Array:
        """q_ref (n, 12): `ref_dof_prev` for bodies that have it, else the row of q_prev (n, 12).

        Raises:
            ArticulationError: The A of a reference is no rotation; names the body.
        """
        q_ref = q_prev.copy()
        for slot, rows in zip(self.slots, self.rows, strict=True):
            q_ref[rows] = slot.view()[..., 0]
            self.refuse_collapsed(range(rows.start, rows.stop), q_ref[rows])
        return q_ref

    def refuse_collapsed(self, rows: Sequence[int] | Ints, q_ref: Array) -> None:
        """Raise an ArticulationError that names the first of some bodies whose q_ref (k, 12) is no rotation."""
        if (k := first_collapsed(q_ref)) >= 0:
            refuse_collapsed(f"body '{self.names[rows[k]]}'", q_ref[k])

    def refuse_not_finite(self, q_ref: Array) -> None:
        """Raise an ArticulationError that names the first body whose q_ref is not finite."""
        for name, q in zip(self.names, q_ref, strict=True):
            refuse_not_finite(f"body '{name}'", REF_DOF_PREV, q)


def find_reference_dofs(bodies: BodyTable) -> ReferenceDofs:
    """Find `ref_dof_prev` on the geometries of the bodies.

    Raises:
        SceneError: The attribute is not a Vector12; the message names the body and the shape.
    """
    slots, rows = [], []
    geometry = bodies.geometry[: bodies.affine_count]  # soft bodies come after them
    for g, slot in enumerate(bodies.slots):
        attribute = slot.geometry().instances().find(REF_DOF_PREV)
        if attribute is None:
            continue
        first, end = np.searchsorted(geometry, [g, g + 1])
        require_vector12(attribute, f"body '{bodies.names[first]}' (geometry {slot.id()})")
        slots.append(attribute)
        rows.append(slice(first, end))
    return ReferenceDofs(tuple(slots), tuple(rows), bodies.names)


def require_vector12(attribute: Any, owner: str) -> None:
    """Refuse an attribute slot `ref_dof_prev` of another type than Vector12."""
    if attribute.type_name() != "Vector12":
        shape = attribute.view().shape[1:]
        found = "a number" if shape == () else f"shape {shape}"
        raise SceneError(
            f"{owner}: ref_dof_prev holds {found} an instance, must be a Vector12: translation, then the rows of A"
        )
