"""The cameras of a MuJoCo model, for pictures.

`fixed` cameras move and turn with their body, `track` and `trackcom` move with it and do not turn, `targetbody` and
`targetbodycom` look at a body. Centres of mass, which `...com` follows in MuJoCo, are the origins of the bodies here.
"""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.reading.mujoco.names import name_of
from ipc_articulation.recording.scenery import Camera, Point

_Mode = mujoco.mjtCamLight
_AT = int(_Mode.mjCAMLIGHT_TARGETBODY), int(_Mode.mjCAMLIGHT_TARGETBODYCOM)
_TRACKS = int(_Mode.mjCAMLIGHT_TRACK), int(_Mode.mjCAMLIGHT_TRACKCOM)


def cameras_of(model: mujoco.MjModel, data: mujoco.MjData) -> Iterator[Camera]:
    """All named cameras; of those that look at a body, such that do not look at the world."""
    for number in range(model.ncam):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_CAMERA, number)
        mode, target = model.cam_mode[number], model.cam_targetbodyid[number]
        if not name or (mode in _AT and target < 0):
            continue
        body = model.cam_bodyid[number]
        carrier = model.body_weldid[body]
        turn = _turn(data, carrier).T @ _turn(data, body)  # from the camera's body to what carries it
        eye = _turn(data, carrier).T @ (data.xpos[body] - data.xpos[carrier]) + turn @ model.cam_pos[number]
        axes = np.zeros(9)  # to the right, up and back
        mujoco.mju_quat2Mat(axes, model.cam_quat[number])
        axes = turn @ axes.reshape(3, 3)
        if mode in _TRACKS:
            eye = data.xpos[body] - data.xpos[carrier] + model.cam_pos0[number]
            axes = model.cam_mat0[number].reshape(3, 3)
        on, angle = _body(model, carrier), float(model.cam_fovy[number])
        if mode in _AT:
            seen = model.body_weldid[target]
            point = _turn(data, seen).T @ (data.xpos[target] - data.xpos[seen])
            yield Camera(name, _point(eye), _point(point), on, _body(model, seen), angle=angle)
        else:
            ahead, up = -axes[:, 2], axes[:, 1]
            yield Camera(name, _point(eye), _point(eye + ahead), on, on, mode not in _TRACKS, _point(up), angle)


def _turn(data: mujoco.MjData, body: int) -> Array:
    return data.xmat[body].reshape(3, 3)


def _body(model: mujoco.MjModel, body: int) -> str:
    return name_of(model, "body", body) if body else ""


def _point(values: Array) -> Point:
    x, y, z = map(float, values)
    return x, y, z
