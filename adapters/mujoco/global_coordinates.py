"""MJCF files with `coordinate="global"`, which MuJoCo dropped in 2.3.4: every position is one in the world.

If the frame of a body b has its origin at P_b in the world and axes parallel to the world's, what is at x in the world
is at x - P_b in the body, and the body at P_b - P_parent in its parent. A body without a position has its frame at
that of its parent; where a frame is has no effect on motion. (MuJoCo put it at the centre of mass.)
"""

from __future__ import annotations

import re
from pathlib import Path

import mujoco
import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.repairs import repair

_COMPILER = re.compile(r"(<compiler\b[^>]*?)\scoordinate\s*=\s*([\"'])global\2", re.DOTALL)
_TURNED = re.compile(r"<body\b[^>]*\s(quat|axisangle|euler|xyaxes|zaxis)\s*=", re.DOTALL)
_NOWHERE = np.zeros(3)


def without_global(text: str, path: Path) -> str | None:
    """The text of an MJCF file without `coordinate="global"`, its lines as they were, for `make_local`; a repair.

    Returns:
        The text; None if it does not have the attribute, or bodies with an orientation.

    Raises:
        ModelError: Repairs are refused.
    """
    compiler = _COMPILER.search(text)
    if compiler is None or _TURNED.search(text):
        return None
    fault = f'<compiler> has coordinate="global", which MuJoCo {mujoco.__version__} does not know'
    line = text.count("\n", 0, compiler.start()) + 1
    repair("", fault, "converted to local coordinates", at=f"{path}:{line}")
    end = compiler.end(1)
    return text[:end] + "\n" * text.count("\n", end, compiler.end()) + text[compiler.end() :]


def make_local(spec: mujoco.MjSpec) -> None:
    """Convert the positions of a model, which are all in the world, to positions in bodies and their parents."""
    carried = [(body, _NOWHERE) for body in spec.worldbody.bodies]
    for body, parent in carried:  # which grows
        origin = _make_local(body, parent)
        carried.extend((child, origin) for child in body.bodies)


def _make_local(body: mujoco.MjsBody, parent: Array) -> Array:
    """The same for one body; the origin of its parent's frame is at `parent` (3,) [m]. Returns: that of its own."""
    stated = np.array(body.pos)
    origin = stated if stated.any() else parent
    for part in (*body.joints, *body.cameras, *body.lights):
        part.pos = np.array(part.pos) - origin
    for part in (*body.geoms, *body.sites):
        if np.isfinite(part.fromto).all():
            part.fromto = np.array(part.fromto) - np.tile(origin, 2)
        else:
            part.pos = np.array(part.pos) - origin
    if np.isfinite(body.ipos).all():
        body.ipos = np.array(body.ipos) - origin
    body.pos = origin - parent
    return origin
