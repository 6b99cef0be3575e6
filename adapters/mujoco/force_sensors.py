"""MuJoCo's sensors of accelerations and forces after a step of the scene, with IPC's contact.

MuJoCo's own pass over the bodies (`mj_rnePostConstraint`) has `cacc`, `cfrc_ext` and `cfrc_int` from the accelerations
of the step, the forces of equalities, and the wrenches of IPC on the bodies as external forces; its own `mj_sensorAcc`
reads the sensors from them. A touch sensor is the sum of the normal forces on its body whose ray out of the body meets
its site, as in MuJoCo's source.
"""

from __future__ import annotations

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.touched_bodies import TouchedBodies

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.coupling.adapter import StepForces, Touches
from ipc_articulation.errors import UnsupportedError
from ipc_articulation.repairs import caution

_Sensor = mujoco.mjtSensor
_TOUCH = int(_Sensor.mjSENS_TOUCH)
_OF_CONTACT = (_TOUCH, int(_Sensor.mjSENS_FORCE), int(_Sensor.mjSENS_TORQUE))
_OF_STEPS = (
    *_OF_CONTACT,
    _Sensor.mjSENS_ACCELEROMETER,
    _Sensor.mjSENS_FRAMELINACC,
    _Sensor.mjSENS_FRAMEANGACC,
    _Sensor.mjSENS_JOINTLIMITFRC,
    _Sensor.mjSENS_TENDONLIMITFRC,
    _Sensor.mjSENS_USER,
    _Sensor.mjSENS_PLUGIN,
)


class ForceSensors:
    """The sensors of a model that a step of the scene changes.

    Args:
        model: The model.
        bodies: Its bodies behind those of the scene.

    Attributes:
        are_there: Whether the model has any.
    """

    def __init__(self, model: mujoco.MjModel, bodies: TouchedBodies) -> None:
        self._model, self._bodies = model, bodies
        late = model.sensor_needstage == mujoco.mjtStage.mjSTAGE_ACC
        self.are_there = bool((late & np.isin(model.sensor_type, _OF_STEPS)).any())
        self._touch = np.flatnonzero(model.sensor_type == _TOUCH)
        self._is_reported = False

    def read(self, data: mujoco.MjData, felt: StepForces) -> None:
        """Read them anew into `sensordata`, from `qacc` and `efc_force` of the step and the forces on the bodies."""
        applied, touches = data.xfrc_applied.copy(), felt.touches
        if touches is None:
            self._report()
        touched = np.zeros(0, dtype=int) if touches is None else self._bodies.of(data, touches.bodies, touches.points)
        try:
            if touches is not None:
                _add(data, touched, touches.wrenches)
            roots = np.array([self._bodies.root(name) for name in felt.attached], dtype=int)
            _add(data, roots, np.reshape(list(felt.attached.values()), (-1, 6)))
            mujoco.mj_rnePostConstraint(self._model, data)
            mujoco.mj_sensorAcc(self._model, data)
        finally:
            data.xfrc_applied[:] = applied
        if touches is not None:
            for sensor in self._touch.tolist():
                self._read_touch(data, sensor, touches, touched)

    def _read_touch(self, data: mujoco.MjData, sensor: int, touches: Touches, touched: Ints) -> None:
        model, site = self._model, int(self._model.sensor_objid[sensor])
        volume = data.site_xpos[site], data.site_xmat[site], model.site_size[site]
        own = np.flatnonzero((touched == model.site_bodyid[site]) & (touches.normal_forces > 0.0))
        rays = ((touches.points[k], touches.normals[k]) for k in own)
        within = [mujoco.mju_rayGeom(*volume, *ray, int(model.site_type[site])) >= 0.0 for ray in rays]
        force = data.sensordata[model.sensor_adr[sensor]] + touches.normal_forces[own][within].sum()
        cutoff = model.sensor_cutoff[sensor]
        data.sensordata[model.sensor_adr[sensor]] = min(force, cutoff) if cutoff > 0.0 else force

    def _report(self) -> None:
        """Warn once of sensors that do not see IPC's contact."""
        found = np.flatnonzero(np.isin(self._model.sensor_type, _OF_CONTACT)).tolist()
        if found and not self._is_reported:
            names = ", ".join(f"'{sensor_name(self._model, sensor)}'" for sensor in found)
            fault = "the engine of this world tells no contact forces"
            caution(f"{fault}: sensors {names} are those without contact; use Engine('cpu')", UnsupportedError)
        self._is_reported = True


def sensor_name(model: mujoco.MjModel, sensor: int) -> str:
    """Name of a sensor, or its number."""
    return model.sensor(sensor).name or f"number {sensor}"


def _add(data: mujoco.MjData, bodies: Ints, W: Array) -> None:
    """Add wrenches (k, 6) [moment about the world's origin; force] on bodies (k,) to `xfrc_applied`."""
    moments = W[:, :3] - np.cross(data.xipos[bodies], W[:, 3:])
    np.add.at(data.xfrc_applied, bodies, np.concatenate([W[:, 3:], moments], axis=1))
