"""Shapes of links as closed, outward oriented triangle surfaces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ipc_articulation.coupling import solids
from ipc_articulation.coupling.adapter import ClosedMesh
from ipc_articulation.coupling.solids import PLAIN, Facets
from ipc_articulation.dynamics.model.shapes import Shape


def surface(shapes: Sequence[Shape], link: str, facets: Facets = PLAIN) -> ClosedMesh | None:
    """The joined surfaces of some shapes, in the frame of the link; None if it has none.

    Args:
        shapes: Shapes of a link.
        link: Its name, for messages.
        facets: How surfaces become triangles.

    Raises:
        MeshError: None of them has a surface; or repairs are refused, and a mesh is open or cannot be read, or a shape
            has no volume.
    """
    joined = solids.join(
        (solids.touching(shape.geometry, f"link '{link}'", facets), np.asarray(shape.pose)) for shape in shapes
    )
    if shapes and joined is None:
        raise solids.bare(f"link '{link}': none of its shapes for contact has a volume")
    return joined
