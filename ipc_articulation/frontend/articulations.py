"""Readers of libuipc's articulation geometries: the joints of an articulation, and for each step its Mᵗ and δθ̃."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.articulation.energy import ArticulationEnergy
from ipc_articulation.articulation.joints import Joints
from ipc_articulation.articulation.kinds import KINDS
from ipc_articulation.articulation.spring_rows import BoundedRows
from ipc_articulation.articulation.step_places import StepInput, StepPlaces
from ipc_articulation.errors import ArticulationError, SceneError
from ipc_articulation.frontend.attributes import require, writable
from ipc_articulation.frontend.bodies import BodyTable
from ipc_articulation.frontend.joint_kinds import ARTICULATED, not_articulated
from ipc_articulation.frontend.joints import JointMesh
from ipc_articulation.frontend.reference import ReferenceDofs, find_reference_dofs

ARTICULATION = 23
BOUNDED_SPRINGS = "bounded_springs"  # attribute of an articulation's freedoms, see `articulation.bounded_springs`
BOUNDED_ROWS = "bounded_row"  # collection of rows with the same attribute, see `articulation.spring_rows`
ROW_WEIGHTS = "bounded_row_joint"  # collection of their weights, the attribute `weight`, row-major


@dataclass(frozen=True)
class RowSlots:
    """The attributes with the rows of an articulation on which bounded springs act."""

    count: int  # r
    weights: Any  # (r·fₐ,) row-major
    springs: Any  # (r, 4, 4)

    def read(self) -> BoundedRows:
        """Their present values."""
        return BoundedRows(self.weights.view().reshape(self.count, -1), self.springs.view())

    def write(self, rows: BoundedRows) -> None:
        """Set their values."""
        writable(self.weights)[:] = np.ravel(rows.weights)
        writable(self.springs)[:] = rows.springs


class HandedOver(NamedTuple):
    """Articulations whose input of a step is stored in the energy already, and reference poses."""

    places: StepPlaces
    bodies: Ints  # (k,) rows of the bodies of their joints
    q_ref: Array  # (k, 12) their reference poses


@dataclass(frozen=True)
class ArticulationTable:
    """All articulations of a scene, their m joints, and the attributes with the input of a step."""

    joints: Joints  # (m,) articulation after articulation
    geo_ids: tuple[int, ...]  # of the articulations' geometries
    counts: tuple[int, ...]  # number of joints of each articulation
    names: tuple[str, ...]  # of the articulations, for messages
    joint_names: tuple[str, ...]  # (m,) for messages
    body_count: int
    mass_slots: tuple[Any, ...]  # attribute `mass` of each articulation, (fₐ²,) row-major
    tilde_slots: tuple[Any, ...]  # `delta_theta_tilde` of each, (fₐ,)
    spring_slots: tuple[Any, ...]  # `bounded_springs` of each, (fₐ, 4, 4), None where it has none
    row_slots: tuple[RowSlots | None, ...]  # of the rows of each, None where it has none
    delta_theta_slots: tuple[Any, ...]  # `delta_theta` of each, (fₐ,), written at the end of a step
    reference: ReferenceDofs

    def make_energy(self) -> ArticulationEnergy:
        """A new energy of all articulations, before its first step; one for each workspace."""
        rows = [row_names(name, slots) for name, slots in zip(self.names, self.row_slots, strict=True)]
        return ArticulationEnergy(self.joints, self.body_count, self.counts, self.names, self.joint_names, rows)

    def begin_step(self, energy: ArticulationEnergy, q_prev: Array, handed: Sequence[HandedOver]) -> None:
        """Set the input of a step of an energy: what was handed over, else the present values of the attributes.

        Args:
            energy: Made by `make_energy`.
            q_prev: Coordinates of all bodies at the beginning of the step, (n, 12).
            handed: What was handed over.

        Raises:
            ArticulationError: Mᵗ or δθ̃ is not valid, or a reference pose is not finite or no rotation; the message
                names the articulation or body.
        """
        known = {a for given in handed for a in given.places.articulations}
        others = [a for a in range(len(self.geo_ids)) if a not in known]
        for a in others:
            energy.give(self._read(a), energy.places[a])
        q_ref = self.reference.read(q_prev) if others else q_prev.copy()
        for _, bodies, own in handed:
            self.reference.refuse_collapsed(bodies, own)
            q_ref[bodies] = own
        try:
            energy.take(q_ref)
        except ArticulationError:
            self.reference.refuse_not_finite(q_ref)  # its message has the name, which the energy does not know
            raise

    def _read(self, a: int) -> StepInput:
        """The present values of the attributes of an articulation."""
        springs, rows = self.spring_slots[a], self.row_slots[a]
        mass, tilde = self.mass_slots[a].view(), self.tilde_slots[a].view()
        springs = None if springs is None else springs.view()
        return StepInput(mass, tilde, springs, None if rows is None else rows.read())

    def write_delta_theta(self, values: Array) -> None:
        """Write δθ of all freedoms, (F,), into the geometries."""
        first = 0
        for slot in self.delta_theta_slots:
            target = writable(slot)
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
    sizes = [int(part.freedoms.sum()) for part, _ in parts]
    return ArticulationTable(
        joints=Joints.concatenate([part for part, _ in parts]),
        geo_ids=tuple(slot.id() for slot in slots),
        counts=tuple(len(part) for part, _ in parts),
        names=tuple(names),
        joint_names=tuple(name for _, of_part in parts for name in of_part),
        body_count=len(bodies),
        mass_slots=tuple(find_mass(*given) for given in zip(geometries, names, sizes, strict=True)),
        tilde_slots=tuple(
            find_joint_attribute(*given, "delta_theta_tilde") for given in zip(geometries, names, strict=True)
        ),
        spring_slots=tuple(geometry["joint"].find(BOUNDED_SPRINGS) for geometry in geometries),
        row_slots=tuple(find_rows(*given) for given in zip(geometries, names, sizes, strict=True)),
        delta_theta_slots=tuple(
            find_joint_attribute(*given, "delta_theta") for given in zip(geometries, names, strict=True)
        ),
        reference=find_reference_dofs(bodies),
    )


def read_joint_references(geometry: Any, owner: str) -> list[tuple[int, int]]:
    """(joint geometry id, index of the joint in it) of each freedom of an articulation geometry.

    libuipc's geometry has a row for each joint; a joint of f freedoms has f successive rows.
    """
    collection = geometry["joint"]
    columns = (require(collection, name, owner).tolist() for name in ("geo_id", "index"))
    return list(zip(*columns, strict=True))


def read_articulation_joints(geometry: Any, owner: str, meshes: Sequence[JointMesh]) -> tuple[Joints, list[str]]:
    """The joints of one articulation geometry, in its order, and their names for messages.

    Raises:
        SceneError: A joint's geometry is not among the meshes, or its index is out of range; its kind cannot be part of
            an articulation; the number of a joint's rows is not that of its freedoms.
    """
    by_id = {mesh.geo_id: mesh for mesh in meshes}
    references = read_joint_references(geometry, owner)
    parts: list[Joints] = []
    names: list[str] = []
    row = 0
    while row < len(references):
        name = f"{owner}, joint {len(parts)}"
        joint, freedoms = _find_joint(*references[row], name, by_id)
        if references[row : row + freedoms] != references[row : row + 1] * freedoms:
            raise SceneError(
                f"{name}: it has {freedoms} freedoms, and so must have {freedoms} rows, one after the other"
            )
        parts.append(joint)
        names.append(name)
        row += freedoms
    return Joints.concatenate(parts), names


def _find_joint(geo_id: int, index: int, owner: str, by_id: Mapping[int, JointMesh]) -> tuple[Joints, int]:
    """One joint of a joint geometry, and its number of freedoms."""
    if geo_id not in by_id:
        raise SceneError(
            f"{owner} refers to geometry {geo_id}, which is not a joint geometry of the scene: only {ARTICULATED} "
            f"joints can be part of an articulation; joint geometries: {', '.join(map(str, by_id)) or 'none'}"
        )
    mesh = by_id[geo_id]
    if not KINDS[mesh.kind.kind].freedoms:
        raise not_articulated(f"{owner} is a {mesh.kind.name} joint (joint geometry {geo_id})")
    if not 0 <= index < len(mesh.joints):
        raise SceneError(
            f"{owner}: index {index} is out of range, joint geometry {geo_id} has {len(mesh.joints)} joints, "
            f"0 to {len(mesh.joints) - 1}"
        )
    return mesh.joints[index : index + 1], KINDS[mesh.kind.kind].freedoms


def find_mass(geometry: Any, owner: str, size: int) -> Any:
    """The attribute slot `mass` of an articulation of `size` freedoms."""
    slot = _attribute(geometry["joint_joint"], "mass", owner)
    if slot.size() != size * size:
        raise SceneError(f"{owner}: mass has {slot.size()} entries, must be {size * size} for {size} freedoms")
    return slot


def create_rows(geometry: Any, count: int, size: int) -> None:
    """Give an articulation geometry of `size` freedoms `count` rows on which bounded springs act."""
    geometry[BOUNDED_ROWS].resize(count)
    geometry[BOUNDED_ROWS].create(BOUNDED_SPRINGS, np.zeros((4, 4)))
    geometry[ROW_WEIGHTS].resize(count * size)
    geometry[ROW_WEIGHTS].create("weight", 0.0)


def find_rows(geometry: Any, owner: str, size: int) -> RowSlots | None:
    """The attributes of the rows of an articulation of `size` freedoms that has bounded springs; None without rows."""
    if geometry["joint"].find(BOUNDED_SPRINGS) is None or not (count := geometry[BOUNDED_ROWS].size()):
        return None
    springs, weights = geometry[BOUNDED_ROWS].find(BOUNDED_SPRINGS), geometry[ROW_WEIGHTS].find("weight")
    if springs is None or weights is None or weights.size() != count * size:
        raise SceneError(
            f"{owner}: its {count} rows must have the attribute '{BOUNDED_SPRINGS}', a Matrix4x4 each, in the "
            f"collection '{BOUNDED_ROWS}', and {count * size} numbers 'weight' in '{ROW_WEIGHTS}'"
        )
    return RowSlots(count, weights, springs)


def row_names(owner: str, slots: RowSlots | None) -> list[str]:
    """Names of an articulation's rows, for messages."""
    return [f"{owner}, row {row}" for row in range(0 if slots is None else slots.count)]


def find_joint_attribute(geometry: Any, owner: str, name: str) -> Any:
    """An attribute slot of an articulation with a number for each freedom."""
    return _attribute(geometry["joint"], name, owner)


def _attribute(collection: Any, name: str, owner: str) -> Any:
    slot = collection.find(name)
    if slot is None:
        raise SceneError(f"{owner} has no attribute '{name}'")
    return slot
