"""A Pinocchio model from a robot's file and a scene file's settings."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np
import pinocchio as pin
from ipc_articulation.adapters.driven_model import DrivenModel
from ipc_articulation.adapters.limits import warn_beyond_limits
from ipc_articulation.adapters.mechanisms import RETURNS, read_tree, set_dofs, turns_and_slides
from ipc_articulation.adapters.mimics import with_followers
from ipc_articulation.adapters.pinocchio.adapter import PinocchioAdapter
from ipc_articulation.adapters.pinocchio.urdf import make_geometry, make_model

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.robots import FRICTION, RobotSetup
from ipc_articulation.dynamics.model.parts import WORLD
from ipc_articulation.dynamics.reading.repairing import Surfaces
from ipc_articulation.errors import AdapterError, MeshError, MissingPackageError, UnsupportedError


class SceneModel:
    """A URDF file for Pinocchio, see `coupling.robots.RobotFile`.

    Args:
        file: URDF file.
        package_dirs: Folders that are searched for the robot's `package://NAME/...` meshes.
        base: «fixed» fixes floating bases to the world, «free» lets the root link float; None: as in the file.
        base_pose: Of a floating base, (4, 4); None: where the file places it.
        ignore: Regular expressions for names of links that are left out.
        surfaces: «visual» makes drawings the surfaces of links that have no `<collision>`.

    Raises:
        AdapterError: An expression matches no link, or `base_pose` is not that of one floating base.
        ModelError: The file is wrong; the message names the line.
        UnsupportedError: It is no URDF file, or has loops.
    """

    takes = ("base", "base_pose", "ignore", "surfaces")

    def __init__(
        self,
        file: Path,
        package_dirs: Collection[Path],
        *,
        base: str | None = None,
        base_pose: Array | None = None,
        ignore: Sequence[str] = (),
        surfaces: Surfaces = "collision",
    ) -> None:
        self._file = file
        _, self._mechanism = read_tree("pinocchio", file, package_dirs, base, base_pose, ignore, surfaces)

    @property
    def joint_names(self) -> list[str]:
        """Names of turns and slides, those that mimic others left out: the joint's, with a number if it has several."""
        joints = [joint for joint in self._mechanism.joints if joint.mimic is None]
        return [name for joint in joints if turns_and_slides(joint) for name in joint.dof_names]

    def build(self, setup: RobotSetup) -> DrivenModel:
        """The finished model.

        Raises:
            AdapterError: Pinocchio cannot read a mesh, or two bodies have the same name.
            MeshError: Repairs are refused, and a mesh is open or has no volume.
            ModelError: Masses of the file are impossible.
            StartError: A mimic joint starts elsewhere than its leader puts it.
            UnsupportedError: A joint, a shape or the integrator has no counterpart.
        """
        if setup.integrator not in ("Euler", "implicitfast"):
            raise UnsupportedError(
                f"integrator '{setup.integrator}' needs adapter native; with adapter pinocchio use Euler or "
                "implicitfast"
            )
        mechanism = self._mechanism
        set_dofs(mechanism, "rotor_inertia", setup.armature)
        set_dofs(mechanism, "damping", setup.damping)
        set_dofs(mechanism, "friction", setup.frictionloss)
        for joint in mechanism.joints:
            if joint.parent == WORLD:
                joint.origin = setup.pose @ np.asarray(joint.origin)
        ours = mechanism.build()
        setup = with_followers(ours, {}, setup)
        model = make_model(mechanism, ours)
        model.gravity = pin.Motion(setup.gravity, np.zeros(3))
        adapter = PinocchioAdapter(
            model,
            setup.dt,
            collision_model=self._geometry(model),
            visual_model=self._drawn(model),
            q=pin.integrate(model, pin.neutral(model), _by_joint(model, setup.start, self.joint_names)),
            v=_by_joint(model, setup.start_velocity, self.joint_names),
            friction=setup.friction_of(FRICTION),
            mesh_shape=setup.facets.mesh_shape,
            sections=setup.facets.sections,
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

    def _geometry(self, model: pin.Model) -> pin.GeometryModel:
        """The shapes that touch."""
        try:
            return make_geometry(self._mechanism, model, "collision")
        except MeshError as error:
            raise AdapterError(f"{self._file}: {error}") from error

    def _drawn(self, model: pin.Model) -> pin.GeometryModel | None:
        """The shapes for display; None where a mesh of them cannot be read."""
        try:
            return make_geometry(self._mechanism, model, "visual")
        except (MeshError, MissingPackageError):
            return None


def _by_joint(model: pin.Model, values: Mapping[str, float], names: Collection[str]) -> Array:
    """An array (nv,) of values by joint, as far as the joint has one of some names."""
    array = np.zeros(model.nv)
    for name in values.keys() & set(names):
        array[_row(model, name)] = values[name]
    return array


def _row(model: pin.Model, joint: str) -> int:
    """Where a joint's velocity is in v."""
    return int(model.joints[model.getJointId(joint)].idx_v)
