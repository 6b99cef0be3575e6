"""A sequence of Wavefront OBJ files, one a moment, with one material file beside them.

Each body is an object `o NAME` with the same vertices in the same order in every file; world frame, metres. Vertices
with colours of their own are `v x y z r g b`, as MeshLab and Blender read them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.viewing.exporting.film import Actor, Film, distinct

_MATERIALS = "materials.mtl"


def write_obj(film: Film, folder: Path, show: Callable[[int], None]) -> str:
    """Write `NAME_0000.obj`, `NAME_0001.obj`, ... into a folder; returns what was done, in words."""
    folder.mkdir(parents=True, exist_ok=True)
    names = distinct("_".join(actor.surface.name.split()) for actor in film.actors)  # blanks end a name
    (folder / _MATERIALS).write_text("\n".join(map(_material, film.actors, names)), encoding="utf-8")
    firsts = np.cumsum([1] + [len(actor.surface.vertices) for actor in film.actors])
    faces = [
        _lines("f {} {} {}", actor.surface.faces + first) for actor, first in zip(film.actors, firsts, strict=False)
    ]
    digits = max(4, len(str(len(film.time))))
    for k, time in enumerate(film.time):
        text = [f"# {film.name} at {time:.6g} s", f"mtllib {_MATERIALS}"]
        for actor, name, triangles in zip(film.actors, names, faces, strict=True):
            text += [f"o {name}", f"usemtl {name}", _vertices(actor, k), triangles]
        (folder / f"{film.name}_{k:0{digits}d}.obj").write_text("\n".join(text) + "\n", encoding="utf-8")
        show(k + 1)
    return f"{folder}: {len(film.time)} files {film.name}_*.obj, from {film.time[0]:g} s to {film.time[-1]:g} s"


def _vertices(actor: Actor, moment: int) -> str:
    """Lines of vertices, with red, green and blue from 0 to 1 behind them where each has its own colour."""
    points = actor.vertices(moment)
    if actor.shades is None:
        return _lines("v {:.9g} {:.9g} {:.9g}", points)
    coloured = np.column_stack([points, actor.shades[moment] / 255.0])
    return _lines("v {:.9g} {:.9g} {:.9g} {:.4f} {:.4f} {:.4f}", coloured)


def _lines(form: str, rows: Array | Ints) -> str:
    return "\n".join(form.format(*row) for row in rows.tolist())


def _material(actor: Actor, name: str) -> str:
    red, green, blue = (channel / 255.0 for channel in actor.colour)
    return f"newmtl {name}\nKd {red:.4f} {green:.4f} {blue:.4f}\nd {actor.opacity:.4f}\n"
