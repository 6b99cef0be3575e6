"""A Pinocchio model from a robot's file and a scene file's settings."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

import numpy as np
import pinocchio as pin
from ipc_articulation.adapters.driven_model import DrivenModel
from ipc_articulation.adapters.pinocchio.adapter import PinocchioAdapter

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.robots import FRICTION, RobotSetup
from ipc_articulation.dynamics.reading.format import robot_format
from ipc_articulation.errors import AdapterError, UnsupportedError

ROOT = "root"  # name of a free joint that a scene adds


class SceneModel:
    """A URDF file read by Pinocchio, see `coupling.robots.RobotFile`.

    Args:
        file: URDF file.
        package_dirs: Folders that are searched for the robot's `package://NAME/...` meshes.
        base: «free» lets the base float; else it is fixed.

    Raises:
        AdapterError: Pinocchio cannot read the file.
        UnsupportedError: It is no URDF file.
    """

    takes = ("base",)

    def __init__(self, file: Path, package_dirs: Collection[Path], *, base: str | None = None) -> None:
        if robot_format(file) != "urdf":
            raise UnsupportedError(
                f"{file}: adapter pinocchio reads URDF files; adapters mujoco and native read others"
            )
        folders = [str(folder) for given in package_dirs for folder in (given, given.parent)]
        try:
            self._model = _read(file, base)
            self._collision = pin.buildGeomFromUrdf(self._model, str(file), pin.COLLISION, package_dirs=folders)
        except (ValueError, RuntimeError) as error:
            raise AdapterError(f"{file}: {error}") from error
        self._visual = _drawn(self._model, file, folders)

    @property
    def joint_names(self) -> list[str]:
        """Names of the joints with one degree of freedom, those that mimic others left out."""
        model = self._model
        return [model.names[joint] for joint in range(1, model.njoints) if model.joints[joint].nv == 1]

    def build(self, setup: RobotSetup) -> DrivenModel:
        """The finished model.

        Raises:
            AdapterError: Two bodies have the same name.
            MeshError: Repairs are refused, and a mesh is open or has no volume.
            UnsupportedError: A joint, a shape or the integrator has no counterpart.
        """
        if setup.integrator == "implicit":
            raise UnsupportedError(
                "integrator 'implicit' needs adapter native; with adapter pinocchio use Euler or implicitfast"
            )
        model = self._model
        model.gravity = pin.Motion(setup.gravity, np.zeros(3))
        self._place(pin.SE3(setup.pose))
        self._set(model.armature, setup.armature)
        self._set(model.damping, setup.damping)
        self._set(model.upperDryFrictionLimit, setup.frictionloss)
        v = np.zeros(model.nv)
        self._set(v, setup.start_velocity)
        adapter = PinocchioAdapter(
            model,
            setup.dt,
            collision_model=self._collision,
            visual_model=self._visual,
            q=_positions(model, setup.start),
            v=v,
            friction=setup.friction_of(FRICTION),
            mesh_shape=setup.facets.mesh_shape,
            sections=setup.facets.sections,
        )

        def drive(force: Array, kd: Array) -> None:
            adapter.tau, adapter.kd = adapter.motor_forces(force), kd

        return DrivenModel(
            adapter,
            setup.actuators,
            drive,
            efforts={name: float(model.effortLimit[self._row(name)]) for name in self.joint_names},
            cyclic=[name for name in self.joint_names if model.joints[model.getJointId(name)].nq > 1],
            implicit=setup.integrator == "implicitfast",
        )

    def _place(self, H: pin.SE3) -> None:
        """Move everything by a pose."""
        model = self._model
        for joint in range(1, model.njoints):
            if model.parents[joint] == 0:
                model.jointPlacements[joint] = H * model.jointPlacements[joint]
        for geometry in filter(None, (self._collision, self._visual)):
            for entry in geometry.geometryObjects:
                if entry.parentJoint == 0:
                    entry.placement = H * entry.placement

    def _set(self, array: Array, values: Mapping[str, float]) -> None:
        """Set an array (nv,) from values by joint."""
        for name, value in values.items():
            array[self._row(name)] = value

    def _row(self, joint: str) -> int:
        """Where a joint's velocity is in v."""
        return int(self._model.joints[self._model.getJointId(joint)].idx_v)


def _read(file: Path, base: str | None) -> pin.Model:
    """The model, whose mimic joints follow; a base that floats in the file is fixed if the scene says so."""
    if base == "free":
        return pin.buildModelFromUrdf(str(file), pin.JointModelFreeFlyer(), ROOT, mimic=True)
    model = pin.buildModelFromUrdf(str(file), mimic=True)
    kinds = [(joint.shortname(), parent) for joint, parent in zip(model.joints, model.parents, strict=True)]
    floating = [number for number, kind in enumerate(kinds) if kind == ("JointModelFreeFlyer", 0)]
    return pin.buildReducedModel(model, floating, pin.neutral(model)) if base == "fixed" and floating else model


def _drawn(model: pin.Model, file: Path, folders: list[str]) -> pin.GeometryModel | None:
    """The geometry for display; None where a mesh of it cannot be read."""
    try:
        return pin.buildGeomFromUrdf(model, str(file), pin.VISUAL, package_dirs=folders)
    except (ValueError, RuntimeError):
        return None


def _positions(model: pin.Model, start: Mapping[str, float]) -> Array:
    """The neutral position (nq,) with some joints elsewhere [rad or m]."""
    move = np.zeros(model.nv)
    for name, position in start.items():
        move[model.joints[model.getJointId(name)].idx_v] = position
    return np.asarray(pin.integrate(model, pin.neutral(model), move), dtype=float)
