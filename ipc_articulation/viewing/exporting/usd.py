"""One USD file: a transform with time samples and a mesh for each body; metres, 24 time codes a second, fractions too.

Soft bodies have time samples of their points instead, and of their vertices' colours where these differ.

USD's matrices act on rows: they are the transposes of poses. A pose need not be rigid.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ipc_articulation.errors import ViewingError
from ipc_articulation.extras import need
from ipc_articulation.spatial import pose, rotation_to
from ipc_articulation.viewing.exporting.film import Actor, Film, distinct, linear
from ipc_articulation.viewing.writing import require_writable

_CODES = 24.0  # time codes a second: Blender takes them for frames of a film
_SUFFIXES = (".usdc", ".usda", ".usd")


def write_usd(film: Film, file: Path, show: Callable[[int], None]) -> str:
    """Write the file.

    Returns:
        A sentence that describes the file.

    Raises:
        MissingPackageError: usd-core is not installed.
        OSError: The file cannot be opened for writing.
        ViewingError: The file's ending is not one of USD's.
    """
    need("pxr")
    from pxr import Sdf, Tf, Usd, UsdGeom

    if file.suffix not in _SUFFIXES:
        raise ViewingError(f"{file.name}: a USD file ends in {', '.join(_SUFFIXES)}")
    require_writable(file)
    stage = Usd.Stage.CreateNew(str(file))
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    stage.SetTimeCodesPerSecond(_CODES)
    stage.SetFramesPerSecond(_CODES)
    codes = [float(code) for code in np.round(_CODES * (film.time - film.time[0]), 6)]
    stage.SetStartTimeCode(codes[0])
    stage.SetEndTimeCode(codes[-1])
    root = UsdGeom.Xform.Define(stage, Sdf.Path("/scene"))
    stage.SetDefaultPrim(root.GetPrim())
    root.AddTransformOp().Set(_matrix(pose(rotation_to(film.up).T)))  # the scene's up becomes z
    names = distinct(Tf.MakeValidIdentifier(actor.surface.name) for actor in film.actors)
    for done, (actor, name) in enumerate(zip(film.actors, names, strict=True), start=1):
        _add_body(stage, Sdf.Path(f"/scene/{name}"), actor, codes)
        show(done * len(codes) // len(film.actors))
    stage.Save()
    return f"{file}: {film.time[-1] - film.time[0]:g} s, {len(codes)} samples"


def _add_body(stage: Any, path: Any, actor: Actor, codes: list[float]) -> None:
    from pxr import UsdGeom, Vt

    body = UsdGeom.Xform.Define(stage, path)
    body.GetPrim().SetDisplayName(actor.surface.name)
    placed = body.AddTransformOp()
    if actor.poses is None:
        placed.Set(_matrix(actor.surface.pose))
    else:
        for code, there in zip(codes, actor.poses, strict=True):
            placed.Set(_matrix(there), code)
    mesh = UsdGeom.Mesh.Define(stage, path.AppendChild(path.name))
    points = mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(actor.surface.vertices.astype(np.float32)))
    for code, there in zip(codes, () if actor.points is None else actor.points, strict=actor.points is not None):
        points.Set(Vt.Vec3fArray.FromNumpy(there.astype(np.float32)), code)
    if actor.points is not None:
        mesh.CreateDoubleSidedAttr(True)
    else:
        corners = actor.surface.vertices[actor.surface.faces]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), np.finfo(float).tiny)
        mesh.CreateNormalsAttr(Vt.Vec3fArray.FromNumpy(normals.astype(np.float32)))
        mesh.SetNormalsInterpolation(UsdGeom.Tokens.uniform)
    mesh.CreateFaceVertexCountsAttr(Vt.IntArray.FromNumpy(np.full(len(actor.surface.faces), 3, dtype=np.int32)))
    mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(actor.surface.faces.astype(np.int32).ravel()))
    mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    _colour(mesh, actor, codes)


def _colour(mesh: Any, actor: Actor, codes: list[float]) -> None:
    """One linear colour, or one of each vertex with time samples."""
    from pxr import UsdGeom, Vt

    mesh.CreateDisplayOpacityAttr([actor.opacity])
    if actor.shades is None:
        mesh.CreateDisplayColorAttr([tuple(linear(actor.colour).tolist())])
        return
    colour = mesh.CreateDisplayColorPrimvar(UsdGeom.Tokens.vertex)
    for code, shades in zip(codes, actor.shades, strict=True):
        colour.Set(Vt.Vec3fArray.FromNumpy(linear(shades).astype(np.float32)), code)


def _matrix(there: Any) -> Any:
    from pxr import Gf

    return Gf.Matrix4d(there.T.tolist())
