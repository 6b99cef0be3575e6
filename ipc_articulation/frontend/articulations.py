"""Reads libuipc's articulation geometries: which joints an articulation has, and each step its Mᵗ and δθ̃."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.articulation.energy import ArticulationEnergy
from ipc_articulation.articulation.joints import Joints
from ipc_articulation.errors import ArticulationError, SceneError
from ipc_articulation.frontend.attributes import require
from ipc_articulation.frontend.bodies import BodyTable
from ipc_articulation.frontend.joints import PRISMATIC_UID, REVOLUTE_UID, JointMesh
from ipc_articulation.frontend.reference import ReferenceDofs, find_reference_dofs

ARTICULATION = 23


@dataclass(frozen=True)
class ArticulationTable:
    """All articulations of a scene, their energy, and the attributes that feed it."""

    energy: ArticulationEnergy | None  # None where the scene has no articulation
    mass_slots: tuple[Any, ...]  # attribute `mass` of each articulation, (mₐ²,) row-major
    tilde_slots: tuple[Any, ...]  # `delta_theta_tilde` of each, (mₐ,)
    delta_theta_slots: tuple[Any, ...]  # `delta_theta` of each, (mₐ,), written at the end of a step
    reference: ReferenceDofs

    def read_step(self, q_prev: Array) -> None:
        """Hand Mᵗ, δθ̃ and q_ref to the energy: what the attributes hold now.

        Args:
            q_prev: Coordinates of all bodies at the beginning of the step, (n, 12).

        Raises:
            ArticulationError: Mᵗ or δθ̃ is not valid, or a `ref_dof_prev` is not finite; names articulation or body.
        """
        if self.energy is None:
            return
        masses, predicted = self._read_attributes()
        q_ref = self.reference.read(q_prev)
        try:
            self.energy.set_flat(masses, predicted, q_ref)
        except ArticulationError:
            self.reference.refuse_not_finite(q_ref)  # by its name, which the energy does not know
            raise

    def give_step(self, q_prev: Array) -> Array:
        """Hand Mᵗ and δθ̃ to the energy, which does not look at them yet; returns q_ref (n, 12), see `read_step`."""
        if self.energy is None:
            return q_prev
        self.energy.give(*self._read_attributes())
        return self.reference.read(q_prev)

    def _read_attributes(self) -> tuple[list[Array], list[Array]]:
        """`mass` and `delta_theta_tilde` of each articulation."""
        return [slot.view() for slot in self.mass_slots], [slot.view() for slot in self.tilde_slots]

    def delta_theta(self, q: Array) -> Array:
        """δθ of all joints from the reference pose to q (n, 12): (m,) [rad or m]."""
        return np.zeros(0) if self.energy is None else self.energy.delta_theta(q)

    def write_delta_theta(self, values: Array) -> None:
        """Write δθ of all joints, (m,), into the geometries."""
        from uipc import view

        first = 0
        for slot in self.delta_theta_slots:
            target = view(slot)
            target[:] = values[first : first + len(target)]
            first += len(target)


def read_articulations(slots: Sequence[Any], meshes: Sequence[JointMesh], bodies: BodyTable) -> ArticulationTable:
    """Read articulation geometries, made by libuipc's ExternalArticulationConstraint.

    Args:
        slots: Their geometry slots.
        meshes: All joint geometries of the scene.
        bodies: All bodies of the scene.

    Raises:
        SceneError: A missing attribute, a joint that does not exist, a `ref_dof_prev` that is not a Vector12.
    """
    names = [f"articulation geometry {slot.id()}" for slot in slots]
    geometries = [slot.geometry() for slot in slots]
    parts = [read_articulation_joints(*given, meshes) for given in zip(geometries, names, strict=True)]
    sizes = [len(part) for part in parts]
    return ArticulationTable(
        energy=ArticulationEnergy(Joints.concatenate(parts), len(bodies), sizes, names) if parts else None,
        mass_slots=tuple(find_mass(*given) for given in zip(geometries, names, sizes, strict=True)),
        tilde_slots=tuple(
            find_joint_attribute(*given, "delta_theta_tilde") for given in zip(geometries, names, strict=True)
        ),
        delta_theta_slots=tuple(
            find_joint_attribute(*given, "delta_theta") for given in zip(geometries, names, strict=True)
        ),
        reference=find_reference_dofs(bodies),
    )


def read_joint_references(geometry: Any, owner: str) -> list[tuple[int, int]]:
    """(joint geometry id, index of the joint in it) of each joint of an articulation geometry."""
    collection = geometry["joint"]
    columns = (require(collection, name, owner).tolist() for name in ("geo_id", "index"))
    return list(zip(*columns, strict=True))


def read_articulation_joints(geometry: Any, owner: str, meshes: Sequence[JointMesh]) -> Joints:
    """The joints of one articulation geometry, in its order.

    Raises:
        SceneError: A joint's geometry is not among the meshes, or its index is out of range.
    """
    by_id = {mesh.geo_id: mesh for mesh in meshes}
    parts = []
    for k, (geo_id, index) in enumerate(read_joint_references(geometry, owner)):
        if geo_id not in by_id:
            raise SceneError(
                f"{owner}, joint {k} refers to geometry {geo_id}, which is not a joint geometry of the scene: only "
                f"revolute ({REVOLUTE_UID}) and prismatic ({PRISMATIC_UID}) joints can be part of an articulation; "
                f"joint geometries: {', '.join(map(str, by_id)) or 'none'}"
            )
        count = len(by_id[geo_id].joints)
        if not 0 <= index < count:
            raise SceneError(
                f"{owner}, joint {k}: index {index} is out of range, joint geometry {geo_id} has {count} joints, "
                f"0 to {count - 1}"
            )
        parts.append(by_id[geo_id].joints[index : index + 1])
    return Joints.concatenate(parts)


def find_mass(geometry: Any, owner: str, size: int) -> Any:
    """The attribute slot `mass` of an articulation of `size` joints."""
    slot = _attribute(geometry["joint_joint"], "mass", owner)
    if slot.size() != size * size:
        raise SceneError(f"{owner}: mass has {slot.size()} entries, must be {size * size} for {size} joints")
    return slot


def find_joint_attribute(geometry: Any, owner: str, name: str) -> Any:
    """An attribute slot of an articulation that holds a number a joint."""
    return _attribute(geometry["joint"], name, owner)


def _attribute(collection: Any, name: str, owner: str) -> Any:
    slot = collection.find(name)
    if slot is None:
        raise SceneError(f"{owner} has no attribute '{name}'")
    return slot
