"""How pyvista draws strain: the colour map, and its bar above the scene."""

from __future__ import annotations

from typing import Any

from ipc_articulation.viewing.soft_strain import StrainScale
from ipc_articulation.viewing.strain_colours import MAP

STRAIN = "strain"  # name of the array at a mesh's points
_TEXT = "#20242a"


def strain_look(scale: StrainScale) -> dict[str, Any]:
    """Keywords of `add_mesh` for a mesh that has the array; meshes of one scale share the bar."""
    place = {"position_x": 0.3, "position_y": 0.86, "width": 0.4, "height": 0.12}  # of the picture
    title = f"{scale.legend}\n"  # the empty line keeps it off the numbers
    bar = {"title": title, "n_labels": 5, "fmt": "%.3g", "color": _TEXT, "font_family": "arial", **place}
    return {"scalars": STRAIN, "cmap": MAP, "clim": (0.0, scale.largest), "scalar_bar_args": bar}
