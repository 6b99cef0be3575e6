"""Shapes for display of a MuJoCo model's bodies.

MuJoCo does not read the drawings of URDF files (see `urdf`): the model names its file in a custom text, and our own
reader reads them.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Collection
from pathlib import Path
from weakref import WeakKeyDictionary

import mujoco

from ipc_articulation.dynamics.model import Mechanism
from ipc_articulation.dynamics.model.shapes import Shape
from ipc_articulation.dynamics.reading import read_urdf
from ipc_articulation.dynamics.reading.mujoco.names import name_of
from ipc_articulation.dynamics.reading.mujoco.shapes import visual_shapes
from ipc_articulation.errors import IpcArticulationError

URDF = "ipc_articulation.urdf"  # the name of the custom text

_files: WeakKeyDictionary[mujoco.MjModel, Mechanism | None] = WeakKeyDictionary()  # read once for all states of a model


def name_urdf(spec: mujoco.MjSpec, path: Path, package_dirs: Collection[Path]) -> None:
    """Name a model's URDF file, and the folders of its packages, in the model."""
    files = [str(file.resolve()) for file in (path, *package_dirs)]
    spec.add_text(name=URDF, data=json.dumps(files))


def is_urdf(model: mujoco.MjModel) -> bool:
    """Whether a model was made of a URDF file."""
    return bool(mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_TEXT, URDF) >= 0)


def shapes_by_body(model: mujoco.MjModel) -> dict[int, tuple[Shape, ...]]:
    """Shapes for display of all bodies, each placed in the frame of its body, by the body's number."""
    if model not in _files:
        _files[model] = _urdf(model)
    urdf = _files[model]
    if urdf is None:
        return {body: visual_shapes(model, body) for body in range(model.nbody)}
    shapes = {link.name: link.visual for link in urdf.links}
    return {body: shapes.get(name_of(model, "body", body), ()) for body in range(model.nbody)}


def _urdf(model: mujoco.MjModel) -> Mechanism | None:
    """The URDF file that the model names; None if it names none, or that cannot be read any more."""
    if not is_urdf(model):
        return None
    text = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_TEXT, URDF)
    start = model.text_adr[text]
    data = bytes(model.text_data[start : start + model.text_size[text]]).rstrip(b"\0")
    path, *package_dirs = map(Path, json.loads(data))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they were given when MuJoCo's model was made
            return read_urdf(path, package_dirs=package_dirs)
    except IpcArticulationError:
        return None
