"""Shapes of links as closed, outward oriented triangle surfaces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ipc_articulation.coupling import solids
from ipc_articulation.coupling.adapter import ClosedMesh
from ipc_articulation.coupling.solids import MeshShape
from ipc_articulation.dynamics.model.shapes import Shape


def surface(shapes: Sequence[Shape], link: str, mesh_shape: MeshShape = "mesh") -> ClosedMesh | None:
    """The joined surfaces of some shapes, in the frame of the link; None without shapes.

    Args:
        shapes: Shapes of a link.
        link: Its name, for messages.
        mesh_shape: «mesh» takes the triangles of meshes, «hull» their convex hull.

    Raises:
        MeshError: A mesh cannot be read, or is not closed.
    """
    if not shapes:
        return None
    owner = f"link '{link}'"
    return solids.join(
        (solids.surface(shape.geometry, owner, mesh_shape, "NativeAdapter"), np.asarray(shape.pose)) for shape in shapes
    )
