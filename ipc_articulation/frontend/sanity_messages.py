"""What libuipc's sanity check complains of, in one clause with the names of the bodies and the numbers of vertices.

It complains of surfaces that intersect, and of a distance that is not above the thickness: on or beyond a half-plane,
or within another surface's thickness. Its message has a line for each pair of geometries, and a mesh of those at fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import uipc

from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.attributes import read

_OBJECT = re.compile(r"(?:Geometry|HalfPlane)\((\d+)\) in Object\[(.*?)\(\d+\)\]")
_NUMBERS = re.compile(r"distance=([^,)]+), thickness=([^,)]+)")
_MOST = 4  # vertices of a body that are listed


def refuse_invalid(world: uipc.World) -> None:
    """Refuse a world that libuipc takes no steps with; it only logs why.

    Raises:
        SceneError: The world is not valid; names the bodies of which the sanity check complains, if that is the reason.
    """
    if world.is_valid():
        return
    try:
        complaints = [clause(message) for _, message in sorted(world.sanity_checker().errors().items())]
    except uipc.Exception:  # the check is switched off
        complaints = []
    reason = "; ".join(dict.fromkeys(complaints)) or "see libuipc's log"
    raise SceneError(f"the world is not valid: {reason}")


def clause(message: Any) -> str:
    """«'a' intersects with 'b' (vertices 3, 5 of 'a')» from a message of the sanity check (`SanityCheckMessage`)."""
    line = message.message().splitlines()[0]
    found = _OBJECT.findall(line)
    if len(found) != 2:
        return line
    names = {int(number): name for number, name in found}
    said = _said(line, found[0][1], "itself" if len(names) == 1 else f"'{found[1][1]}'")
    places = list(_places(message, names))
    return f"{said} ({' and '.join(places)})" if places else said


def _said(line: str, name: str, other: str) -> str:
    if "intersects" in line:
        return f"'{name}' intersects {other}" if other == "itself" else f"'{name}' intersects with {other}"
    numbers = _NUMBERS.search(line)
    distance, thickness = (float(number) for number in numbers.groups()) if numbers else (0.0, 0.0)
    if 0.0 < distance < thickness:
        apart = f"parts of '{name}'" if other == "itself" else f"'{name}' and {other}"
        return f"{apart} are {distance:.3g} m apart, less than their thickness {thickness:.3g} m: move them apart"
    return f"'{name}' touches or crosses {other}: leave a gap between them"


def _places(message: Any, names: dict[int, str]) -> Iterator[str]:
    """The vertices of each geometry that are at fault, where the check tells them."""
    for mesh in message.geometries().values():
        geometry, vertex = (read(mesh.vertices(), f"sanity_check/{key}") for key in ("geometry_id", "original_index"))
        if geometry is None or vertex is None:
            continue
        for number, name in names.items():
            own = np.unique(vertex[geometry == number])
            if len(own):
                more = f" and {len(own) - _MOST} more" if len(own) > _MOST else ""
                yield f"vertices {', '.join(map(str, own[:_MOST]))}{more} of '{name}'"
