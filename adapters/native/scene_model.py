"""A model of our own dynamics from a robot's file and a scene file's settings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from ipc_articulation.adapters.limits import warn_beyond_limits
from ipc_articulation.adapters.mechanisms import RETURNS, MechanismFile, set_dofs, started, turns_and_slides
from ipc_articulation.adapters.mimics import with_followers
from ipc_articulation.adapters.native.adapter import NativeAdapter
from ipc_articulation.adapters.native.driven_model import DrivenModel
from ipc_articulation.adapters.native.drives import joint_drives
from ipc_articulation.adapters.native.file_pins import file_pins
from ipc_articulation.adapters.native.mjcf import read_mjcf
from ipc_articulation.adapters.native.robot import FileContent, read_robot
from ipc_articulation.adapters.native.rotors import give_rotors
from ipc_articulation.adapters.native.static_links import static_names

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.robots import RobotSetup
from ipc_articulation.dynamics.integrators import Scheme
from ipc_articulation.dynamics.loops.explicit import Explicit
from ipc_articulation.dynamics.model import Model
from ipc_articulation.dynamics.reading.format import robot_format
from ipc_articulation.errors import AdapterError


class SceneModel(MechanismFile):
    """A URDF (.urdf) or OpenSim (.osim) file, or an MJCF file if MuJoCo is installed; see `MechanismFile`."""

    takes = (*MechanismFile.takes, "loops", "pins", "segment_radius")

    @staticmethod
    def read(file: Path, *options: Any) -> FileContent:
        """The content of the file; arguments and errors as of `read_robot` and `read_mjcf`."""
        return read_mjcf(file, *options[:-1]) if robot_format(file) == "mjcf" else read_robot(file, *options)

    @property
    def joint_names(self) -> list[str]:
        """Names of turns and slides except followers': the joint's, with a number if it has several."""
        joints = [joint for joint in self._robot.mechanism.joints if joint.name not in self._robot.followers]
        return [name for joint in joints if turns_and_slides(joint) for name in joint.dof_names]

    def build(self, setup: RobotSetup) -> DrivenModel:
        """The finished model.

        Raises:
            AdapterError: Pins do not close the loops, or two bodies have the same name.
            MeshError, ModelError, UnsupportedError: The robot is wrong.
            StartError: A mimic joint starts elsewhere than its leader puts it.
            StateError: A loop cannot be closed from the initial positions of its joints.
        """
        robot = self._robot
        robot.mechanism.gravity = setup.gravity
        robot.stand_up(setup.gravity)
        self._place(setup)
        if setup.segment_radius is not None:
            robot.add_capsules(setup.segment_radius)
        drives = joint_drives(setup.actuators, robot.drives, self.joint_names)
        efforts = {name: drive.max_force for name, drive in drives.items()}
        set_dofs(robot.mechanism, "effort", efforts, np.minimum)
        robot.mechanism.loops = [*robot.mechanism.loops, *setup.loops]
        model = robot.mechanism.build(unphysical=robot.unphysical)
        setup = with_followers(model, robot.start, setup)
        self._has_rotors = False
        if not model.loops:
            q = started(model, {**robot.start, **setup.start})
            self._has_rotors = give_rotors(robot.mechanism, model, q)
            if self._has_rotors:
                model = robot.mechanism.build(unphysical=robot.unphysical)
        self._model, self._drives = model, drives
        return self._driven(setup)

    def again(self, setup: RobotSetup) -> DrivenModel | None:
        """Another state of the model, see `coupling.robots.MakesMore`; None if its start gave it rotors.

        Raises:
            StartError, StateError: As for `build`.
        """
        if self._has_rotors:
            return None
        return self._driven(with_followers(self._model, self._robot.start, setup))

    def _driven(self, setup: RobotSetup) -> DrivenModel:
        adapter = self._adapter(self._model, setup)
        warn_beyond_limits(adapter, RETURNS)
        return DrivenModel(adapter, self._drives)

    def _adapter(self, model: Model, setup: RobotSetup) -> NativeAdapter:
        robot, scheme = self._robot, Scheme(setup.integrator)
        around = robot.surroundings(setup.friction_of, setup.facets)
        start = {**robot.start, **setup.start}
        q = started(model, start)
        if not (model.loops or setup.pins):
            v = np.zeros(model.nv)
            for name, velocity in setup.start_velocity.items():
                v[model.dof_names.index(name)] = velocity
            return NativeAdapter(model, setup.dt, q=q, v=v, scheme=scheme, **around)
        if setup.start_velocity:
            raise AdapterError("a robot with loops starts at rest; leave out initial_velocity")
        x = _closed(model, q, start)
        pins = [*setup.pins, *file_pins(model, x, robot.mechanism.meetings, static_names(robot.mechanism))]
        return NativeAdapter(model, setup.dt, q=x, pins=pins, scheme=scheme, **around)


def _closed(model: Model, q: Array, given: Mapping[str, float]) -> Array:
    """The closed position near a spanning one; `given` sets independent coordinates of explicit loops."""
    x = model.position(q)
    for loop in model.loops:
        if isinstance(loop.constraint, Explicit):
            x[loop.x] = [given.get(name, found) for name, found in zip(model.q_names[loop.x], x[loop.x], strict=True)]
    return x
