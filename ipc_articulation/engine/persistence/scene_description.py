"""Description of a scene, as far as the future of a state depends on it: a state is valid only in its own scene.

It omits everything that may change at any step: `dt`, values that callbacks and scripts write, and Newton's tolerances.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.articulation.kinds import KINDS
from ipc_articulation.contact.materials import BY_LOAD, NO_CONTACT, Materials
from ipc_articulation.engine.scene.model import EngineModel
from ipc_articulation.engine.terms.finite_elements import FiniteElements
from ipc_articulation.engine.workspace import Workspace
from ipc_articulation.frontend.config import physics_of
from ipc_articulation.frontend.joints import JointMesh

_JOINTS, _OF_JOINTS = "joints", "bodies, axes and strengths of joints"
_BODY_COLUMNS = ("kappa", "volume", "is_fixed", "is_dynamic", "external_kinetic", "self_collision")


def describe(model: EngineModel, workspace: Workspace) -> dict[str, Any]:
    """Bodies, surfaces, joints, contact and configuration, by the names that messages use; plain types."""
    bodies, surfaces, joints = model.context.bodies, model.surfaces, model.context.joints
    return {
        "bodies": list(bodies.names),
        "mass": bodies.mass[:, 0, 0].tolist(),
        **{name: getattr(bodies, name).tolist() for name in _BODY_COLUMNS},
        "own gravity": np.nan_to_num(bodies.own_gravity).tolist(),
        "inertia": [_digest(mass) for mass in bodies.mass],
        "surfaces": _digest(surfaces.points, surfaces.edges, surfaces.faces, surfaces.thickness, surfaces.first),
        "soft bodies": [
            _digest(body.rest, body.mass, body.edges, body.triangles, body.tetrahedra) for body in bodies.soft.bodies
        ],
        "elements of soft bodies": [
            _digest(*term.constants) for term in workspace.core.terms if isinstance(term, FiniteElements)
        ],
        "terms of the energy": list(dict.fromkeys(term.name for term in workspace.core.terms)),
        _JOINTS: [[mesh.geo_id, len(mesh.joints)] for mesh in joints],
        _OF_JOINTS: [_digest_of_joints(mesh) for mesh in joints],
        **physics_of(model.config),
        **_contact(workspace),
        "friction": "anchored" if model.rules.anchored else "lagged",
    }


def difference(there: dict[str, Any], here: dict[str, Any]) -> str | None:
    """The first difference of two descriptions, in words; None if they are equal."""
    for key, value in here.items():
        if _compared(key, there.get(key)) != _compared(key, value):
            return _difference(key, there.get(key), value, here)
    return None


def _compared(key: str, value: Any) -> Any:
    """A value without the ids of joint geometries: a part that was detached and attached again has another one."""
    return [count for _, count in value] if key == _JOINTS and value is not None else value


def _contact(workspace: Workspace) -> dict[str, Any]:
    if workspace.contact is None:
        return {}
    materials, planes = workspace.contact.materials, workspace.contact.planes
    of_parts = [] if workspace.contact.parts is None else [workspace.contact.parts.friction]
    return {
        "contact resistance": _resistances(materials),
        "largest friction": _frictions(materials).max(axis=1)[materials.group].tolist(),
        "friction of pairs": _digest(_frictions(materials), *of_parts),
        "contact d_hat and thickness": np.stack([materials.d_hat, materials.thickness], axis=1).tolist(),
        "contact pairs": _digest(materials.body_pairs, materials.plane_pairs),
        "half-planes": list(planes.names),
        "positions of half-planes": np.concatenate([planes.point, planes.normal], axis=1).tolist(),
    }


def _digest_of_joints(mesh: JointMesh) -> str:
    held = KINDS[mesh.kind.kind].held(mesh.placement)  # of fixed joints alone what tells the place
    return _digest(mesh.joints.kind, mesh.joints.bodies, mesh.joints.local, mesh.strength_ratio, held)


def _digest(*arrays: np.ndarray) -> str:
    """A short checksum of arrays."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(f"{array.dtype.str}{array.shape}".encode() + np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


def _difference(key: str, there: Any, here: Any, scene: dict[str, Any]) -> str:
    if not isinstance(here, list) or not isinstance(there, list):
        return f"its {key} is {there}, the present scene's {here}"
    if len(there) != len(here):
        return f"it has {len(there)} {key}, the present scene {len(here)}"
    k = next(k for k in range(len(here)) if here[k] != there[k])
    if key == _OF_JOINTS:
        return (
            f"joint geometry {scene[_JOINTS][k][0]} joins other bodies, at other places or with another strength; a "
            "part that was detached and attached again is held at the place where it is now, not where the dump has it"
        )
    is_column = key in ("mass", "inertia", "own gravity", "largest friction", *_BODY_COLUMNS)
    which = "its {} of '{}'".format(key, scene["bodies"][k]) if is_column else f"entry {k} of its {key}"
    return f"{which} is {there[k]}, the present scene's {here[k]}"


def _frictions(materials: Materials) -> Array:
    """μ of the pairs that may touch, (m, m + P); 0 for all others."""
    touching = np.hstack([materials.body_pairs, materials.plane_pairs]) != NO_CONTACT
    return np.where(touching, materials.friction, 0.0)


def _resistances(materials: Materials) -> list[float]:
    """As in a contact table: positive, or how it is chosen."""
    return np.where(materials.by_load, BY_LOAD, np.nan_to_num(materials.resistance, nan=-1.0)).tolist()
