"""Compilation of MuJoCo models; what MuJoCo's compiler refuses and what has a remedy is repaired."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.inertia_repairs import give_inertia
from ipc_articulation.adapters.mujoco.magnitudes import refuse_unbounded
from ipc_articulation.adapters.mujoco.mesh_repairs import convert, geoms_of, leave_out, refuse_bare
from ipc_articulation.adapters.mujoco.pictures import leave_out_texture

from ipc_articulation.errors import AdapterError, MeshError
from ipc_articulation.repairs import repair, summed

_MESH_FIELDS = ("name", "file", "content_type", "scale", "refpos", "refquat", "inertia", "uservert", "userface")
_ELEMENT = re.compile(r"Element name '([^']*)', id (\d+)")


@summed()
def compiled(spec: mujoco.MjSpec, path: Path) -> mujoco.MjModel:
    """A model from a specification, which is repaired where MuJoCo refuses it.

    Args:
        spec: The specification.
        path: Its file, for messages.

    Raises:
        AdapterError: MuJoCo refuses it for another reason.
        MeshError, ModelError: Repairs are refused.
    """
    for _ in range(len(spec.bodies) + 4 * len(spec.meshes) + len(spec.textures) + len(spec.hfields) + 1):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # of attributes that will be removed one day
                model = spec.compile()
        except (ValueError, RuntimeError) as error:  # RuntimeError: of MuJoCo, where memory is too small
            message = str(error)
        else:
            refuse_unbounded(model, spec, path)
            return model
        if not _repaired(spec, path, message):
            break
    raise AdapterError(f"{path}: MuJoCo cannot compile the model: {message}")


def _repaired(spec: mujoco.MjSpec, path: Path, message: str) -> bool:
    """Repair what a message of the compiler is about; whether there was a remedy."""
    named = _ELEMENT.search(message)
    for fault, remedy in _REMEDIES.items():
        if named and fault in message:
            return remedy(spec, path, *named.groups())
    return False


def _give_inertia(spec: mujoco.MjSpec, path: Path, name: str, index: str) -> bool:
    body = spec.body(name) if name else spec.bodies[int(index)]
    if body is None:
        return False
    give_inertia(spec, body, lambda _: str(path))
    return True


def _shell(spec: mujoco.MjSpec, path: Path, name: str, index: str) -> bool:
    mesh = _mesh(spec, name, index)
    shell = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
    if mesh is None or mesh.inertia == shell:
        return False
    if any(not geom.parent.explicitinertial for geom in geoms_of(spec, mesh)):  # else it has no effect
        repair(f"mesh '{mesh.name}'", "encloses no volume", "its mass is that of a shell", MeshError, at=path)
    mesh.inertia = shell
    return True


def _outside(spec: mujoco.MjSpec, path: Path, name: str, index: str) -> bool:
    mesh = _mesh(spec, name, index)
    convex = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
    if mesh is None or mesh.inertia == convex:
        return False
    fault = "its triangles are not oriented outwards"
    repair(f"mesh '{mesh.name}'", fault, "its mass is its hull's", MeshError, at=path)
    mesh.inertia = convex
    return True


def _drawn_only(spec: mujoco.MjSpec, path: Path, name: str, index: str) -> bool:
    mesh = _mesh(spec, name, index)
    geoms = [] if mesh is None else [geom for geom in geoms_of(spec, mesh) if geom.contype or geom.conaffinity]
    if mesh is None:
        return False
    if not geoms:  # it is not in contact, and has no shape even for MuJoCo's drawings
        leave_out(spec, str(path), "mesh", mesh, "is flat", MeshError)
        return True
    owners = ", ".join(sorted({f"body '{geom.parent.name}'" for geom in geoms}))
    repair(f"mesh '{mesh.name}' of {owners}", "it is flat", "left out of contact", MeshError, at=path)
    for geom in geoms:
        geom.contype = geom.conaffinity = 0
        refuse_bare(geom.parent)
    _renew(spec, mesh)
    return True


def _renew(spec: mujoco.MjSpec, mesh: Any) -> None:
    """A fresh copy of a mesh: a failed compilation has marked it as one that needs a hull."""
    fields = {name: getattr(mesh, name) for name in _MESH_FIELDS}
    spec.delete(mesh)
    spec.add_mesh(
        **{name: np.copy(value) if isinstance(value, np.ndarray) else value for name, value in fields.items()}
    )


def _read(spec: mujoco.MjSpec, path: Path, name: str, index: str) -> bool:
    """Read a mesh without MuJoCo's decoder, which also leaves out triangles whose corners are not finite."""
    mesh = _mesh(spec, name, index)
    if mesh is None or not mesh.file:
        return False
    try:
        convert(mesh, Path(mesh.file))
    except MeshError as error:
        leave_out(spec, str(path), "mesh", mesh, f"cannot be read: {error}", MeshError)
    return True


def _read_or_leave_out(spec: mujoco.MjSpec, path: Path, name: str, index: str) -> bool:
    mesh = _mesh(spec, name, index)
    if mesh is None:
        return False
    if not _read(spec, path, name, index):
        leave_out(spec, str(path), "mesh", mesh, "has no volume, or vertices that are not finite", MeshError)
    return True


def _leave_out_picture(spec: mujoco.MjSpec, path: Path, name: str, index: str) -> bool:
    """Leave out a texture or a height field whose file is no picture that MuJoCo reads."""
    for kind, found in (("texture", spec.textures), ("height field", spec.hfields)):
        element = next((one for i, one in enumerate(found) if (one.name == name if name else i == int(index))), None)
        if element is None or not (element.file or any(getattr(element, "cubefiles", ()))):
            continue
        if kind == "texture":
            leave_out_texture(spec, element, str(path), f"file '{element.file}' is no picture that MuJoCo reads")
        else:
            leave_out(spec, str(path), kind, element, "is no picture that MuJoCo reads")
        return True
    return False


def _mesh(spec: mujoco.MjSpec, name: str, index: str) -> Any:
    return spec.mesh(name) if name else spec.meshes[int(index)]


_REMEDIES: dict[str, Callable[[mujoco.MjSpec, Path, str, str], bool]] = {
    "decoding PNG": _leave_out_picture,
    "content type": _leave_out_picture,
    "texture": _leave_out_picture,
    "not finite": _read_or_leave_out,
    "colocated vertices": _read_or_leave_out,
    "collinear vertices": _read_or_leave_out,
    "surface area is too small": _read_or_leave_out,
    "mass and inertia of moving bodies": _give_inertia,
    "mesh volume is too small": _shell,
    "misoriented triangles": _outside,
    "inconsistent orientation": _outside,
    "coplanar vertices": _drawn_only,
    "at least 4 vertices": _drawn_only,
    "obj": _read,
    "stl": _read,
}
