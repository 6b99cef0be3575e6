"""Masses, lengths and directions of a compiled MuJoCo model that are not finite, or larger than computations bear."""

from __future__ import annotations

import re
from pathlib import Path

import mujoco
import numpy as np

from ipc_articulation.dynamics.reading.mujoco.names import name_of
from ipc_articulation.errors import ModelError

MOST = 1e20  # kg, m or kg·m²: as the numbers of a scene file

_FIELDS = {
    "body": {
        "mass": "mass",
        "inertia": "moments of inertia",
        "pos": "position",
        "quat": "quaternion",
        "ipos": "centre",
    },
    "joint": {"pos": "position", "axis": "axis", "stiffness": "stiffness"},
    "dof": {"damping": "damping", "armature": "armature", "frictionloss": "frictionloss"},
    "geom": {"pos": "position", "size": "size", "quat": "quaternion", "friction": "friction"},
    "site": {"pos": "position", "quat": "quaternion"},
}
_PREFIX = {"joint": "jnt"}
_LINE = re.compile(r"line ([1-9]\d*)")


def refuse_unbounded(model: mujoco.MjModel, spec: mujoco.MjSpec, path: Path) -> None:
    """Refuse a model with a number that is not finite or beyond `MOST`.

    Raises:
        ModelError: The number, with the line of its element if MuJoCo knows it.
    """
    if not (np.abs(model.opt.gravity) <= MOST).all():
        given = " ".join(f"{value:g}" for value in model.opt.gravity)
        raise ModelError(f"{path}: <option> has gravity {given}; give 3 finite numbers up to {MOST:g}")
    for kind, fields in _FIELDS.items():
        for field, said in fields.items():
            values = getattr(model, f"{_PREFIX.get(kind, kind)}_{field}")
            good = np.abs(values) <= MOST
            for index in np.flatnonzero(~good.all(axis=tuple(range(1, good.ndim))))[:1]:
                given = " ".join(f"{value:g}" for value in np.ravel(values[index]))
                owner, number = ("joint", int(model.dof_jntid[index])) if kind == "dof" else (kind, int(index))
                place = f"{_place(spec, path, owner, number)}: {owner} '{name_of(model, owner, number)}'"
                raise ModelError(f"{place}: {said} {given}; give finite numbers up to {MOST:g}")


def _place(spec: mujoco.MjSpec, path: Path, kind: str, number: int) -> str:
    """The file, with the line if it is known: elements of included files have line 0."""
    element = {"body": spec.bodies, "joint": spec.joints, "geom": spec.geoms, "site": spec.sites}[kind][number]
    line = _LINE.search(element.info)
    return f"{path}:{line[1]}" if line else f"{path}"
