"""A Pinocchio model from a robot's file and a scene file's settings."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
import pinocchio as pin
from ipc_articulation.adapters.driven_model import DrivenModel
from ipc_articulation.adapters.limits import warn_beyond_limits
from ipc_articulation.adapters.mechanisms import RETURNS, TreeFile
from ipc_articulation.adapters.pinocchio.adapter import PinocchioAdapter
from ipc_articulation.adapters.pinocchio.models import make_model, start_of

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.robots import RobotSetup


class SceneModel(TreeFile):
    """A URDF file for Pinocchio, see `TreeFile`."""

    adapter = "pinocchio"

    def build(self, setup: RobotSetup) -> DrivenModel:
        """The finished model.

        Raises:
            AdapterError: Two bodies have the same name.
            MeshError, ModelError, StartError: As for `prepared`.
            UnsupportedError: A joint or the integrator has no counterpart.
        """
        ours, setup, around = self.prepared(setup)
        model = make_model(self._robot.mechanism, ours)
        start = start_of(model, self._robot.mechanism)
        model.gravity = pin.Motion(setup.gravity, np.zeros(3))
        adapter = PinocchioAdapter(
            model,
            setup.dt,
            q=pin.integrate(model, start, _by_joint(model, setup.start, self.joint_names)),
            v=_by_joint(model, setup.start_velocity, self.joint_names),
            **around,
        )
        warn_beyond_limits(adapter, RETURNS)

        def drive(force: Array, kd: Array) -> None:
            adapter.tau, adapter.kd = adapter.motor_forces(force), kd

        return DrivenModel(
            adapter,
            setup.actuators,
            drive,
            efforts={name: float(model.effortLimit[_row(model, name)]) for name in self.joint_names},
            implicit=setup.integrator == "implicitfast",
        )


def _by_joint(model: pin.Model, values: Mapping[str, float], names: Collection[str]) -> Array:
    """An array (nv,) of values by joint, as far as the joint has one of some names."""
    array = np.zeros(model.nv)
    for name in values.keys() & set(names):
        array[_row(model, name)] = values[name]
    return array


def _row(model: pin.Model, joint: str) -> int:
    """Where a joint's velocity is in v."""
    return int(model.joints[model.getJointId(joint)].idx_v)
