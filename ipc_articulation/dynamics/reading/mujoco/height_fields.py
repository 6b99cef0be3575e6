"""Height fields as closed surfaces: the terrain on top, a flat bottom, and walls between them."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from ipc_articulation.dynamics.model.shapes import Triangles


def height_field(model: mujoco.MjModel, index: int) -> Triangles:
    """The closed surface of a height field, in the frame of its geom.

    Its vertices are MuJoCo's, and each cell has MuJoCo's two triangles. The bottom is a fan about its middle.
    """
    rows, columns = int(model.hfield_nrow[index]), int(model.hfield_ncol[index])
    first = int(model.hfield_adr[index])
    half_x, half_y, top, depth = model.hfield_size[index].tolist()
    x, y = np.meshgrid(np.linspace(-half_x, half_x, columns), np.linspace(-half_y, half_y, rows))
    z = top * model.hfield_data[first : first + rows * columns].astype(float)
    terrain = np.column_stack([x.ravel(), y.ravel(), z])
    rim = _rim(rows, columns)
    below = terrain[rim] * [1.0, 1.0, 0.0] - [0.0, 0.0, depth]
    vertices = np.concatenate([terrain, below, [[0.0, 0.0, -depth]]])
    bottom = len(terrain) + np.arange(len(rim))
    upper, lower = (rim, np.roll(rim, -1)), (bottom, np.roll(bottom, -1))
    walls = [np.column_stack([upper[0], lower[0], upper[1]]), np.column_stack([upper[1], lower[0], lower[1]])]
    middle = np.full(len(rim), len(vertices) - 1)
    fan = np.column_stack([lower[1], lower[0], middle])
    return Triangles(vertices, np.concatenate([_cells(rows, columns), *walls, fan]).astype(np.int32))


def _cells(rows: int, columns: int) -> NDArray[np.int64]:
    """Triangles of the terrain, counter-clockwise from above; each cell is cut from its first corner to its last."""
    number = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = (part.ravel() for part in (number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1]))
    return np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])


def _rim(rows: int, columns: int) -> NDArray[np.int64]:
    """The vertices around the terrain, counter-clockwise from above, each once."""
    number = np.arange(rows * columns).reshape(rows, columns)
    return np.concatenate([number[0, :-1], number[:-1, -1], number[-1, :0:-1], number[:0:-1, 0]])
