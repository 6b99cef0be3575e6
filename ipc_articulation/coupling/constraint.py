"""`ExternalArticulationConstraint`: the articulation's energy in a libuipc scene that the user has built."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.articulation.bounded_springs import springs_array
from ipc_articulation.articulation.energy import ArticulationEnergy
from ipc_articulation.articulation.joints import Joints
from ipc_articulation.articulation.spring_rows import BoundedRows, bounded_rows
from ipc_articulation.articulation.step_input import (
    are_finite,
    checked_ref_dof_prev,
    delta_theta_tilde_array,
    mass_array,
)
from ipc_articulation.errors import ArticulationError, SceneError
from ipc_articulation.frontend.articulations import (
    ARTICULATION,
    BOUNDED_SPRINGS,
    find_joint_attribute,
    find_mass,
    find_rows,
    read_articulation_joints,
    read_joint_references,
    row_names,
)
from ipc_articulation.frontend.attributes import constitution_uid, writable
from ipc_articulation.frontend.callbacks import guard, raise_kept
from ipc_articulation.frontend.joints import JointMesh, read_joint_mesh
from ipc_articulation.frontend.reference import REF_DOF_PREV, require_vector12
from ipc_articulation.frontend.scene_bodies import BodyId, SceneBodies

Source = Callable[
    [Any],
    tuple[ArrayLike, ArrayLike]
    | tuple[ArrayLike, ArrayLike, Mapping[Any, ArrayLike]]
    | tuple[ArrayLike, ArrayLike, Mapping[Any, ArrayLike], ArrayLike | None]
    | tuple[ArrayLike, ArrayLike, Mapping[Any, ArrayLike], ArrayLike | None, BoundedRows | None],
]

_NAME = "articulation"


@final
class ExternalArticulationConstraint:
    """K(q) = ½ (δθ - δθ̃)ᵀ Mᵗ (δθ - δθ̃) of one articulation geometry, and its inputs in the scene.

    `from_geometry` makes it. All coordinates are those of the n bodies of the articulation's joints, in the order of
    `bodies`: q is (n, 12), translation [m] and rows of A.
    """

    def __init__(
        self,
        references: list[tuple[int, int]],
        joints: Joints,
        joint_names: Sequence[str],
        scene_bodies: SceneBodies,
        rows: Sequence[str] = (),
    ) -> None:
        self._references = references  # (joint geometry, index) of each freedom, which identify our geometry
        self._scene_bodies = scene_bodies
        self.bodies: tuple[BodyId, ...] = tuple(scene_bodies.ids)  # (geometry id, instance)
        self._energy = ArticulationEnergy(joints, len(self.bodies), (len(joints),), (_NAME,), joint_names, (rows,))
        self._row_count = len(rows)
        self._places = {body: place for place, body in enumerate(self.bodies)}
        self._geo_ids = tuple(dict.fromkeys(geo_id for geo_id, _ in self.bodies))
        self._animated: list[Any] | None = None  # slots of the animated object at the last search for our geometry
        self._slot: Any = None  # the slot of our geometry

    @classmethod
    def from_geometry(
        cls, articulation_geometry: Any, scene: Any, joint_names: Sequence[str] = ()
    ) -> ExternalArticulationConstraint:
        """Read the geometry that libuipc's own `ExternalArticulationConstraint.create_geometry` made.

        Call it while the bodies are in their initial poses, at which θ = 0. If the geometry already has a mass and δθ̃,
        they are used.

        Args:
            articulation_geometry: The geometry, before or after it was put into the scene.
            scene: `uipc.Scene` with the joint geometries and the bodies.
            joint_names: Names of the joints in messages; «articulation, joint 0», … if left out.

        Raises:
            SceneError: The geometry is not an articulation geometry, a joint or body has no geometry slot, or the kind
                of a joint cannot be part of an articulation.
            ArticulationError: The geometry's mass or δθ̃ is not valid.
        """
        _require_articulation(articulation_geometry)
        scene_bodies = SceneBodies(scene)
        references = read_joint_references(articulation_geometry, _NAME)
        meshes = _read_joint_meshes(references, scene, scene_bodies)
        joints, names = read_articulation_joints(articulation_geometry, _NAME, meshes)
        rows, places = np.unique(joints.bodies, return_inverse=True)
        joints = replace(joints, bodies=places.reshape(-1, 2))
        springy = row_names(_NAME, find_rows(articulation_geometry, _NAME, len(references)))
        constraint = cls(references, joints, joint_names or names, scene_bodies.only(rows), springy)
        constraint._take_over(articulation_geometry)
        return constraint

    def set_step(
        self,
        mass: ArrayLike,
        delta_theta_tilde: ArrayLike,
        q_ref: ArrayLike | None = None,
        bounded_springs: ArrayLike | None = None,
        rows: BoundedRows | None = None,
    ) -> None:
        """Set the constants of a step; `animate` does this and writes them into the scene.

        Args:
            mass: Mᵗ, (f, f), symmetric positive definite.
            delta_theta_tilde: δθ̃ of the f freedoms, (f,) [rad or m].
            q_ref: Reference pose of every body, (n, 12); the bodies' present poses in the scene if left out.
            bounded_springs: Springs of the freedoms, (f, 4, 4), see `articulation.bounded_springs`; none if left out.
            rows: Further rows and their springs, see `articulation.spring_rows`; none if left out.

        Raises:
            ArticulationError: An argument is not valid.
        """
        size = len(self._references)
        M, tilde = mass_array(_NAME, size, mass), delta_theta_tilde_array(_NAME, size, delta_theta_tilde)
        q_ref = self.coordinates() if q_ref is None else self._energy.coordinates(np.asarray(q_ref, dtype=float))
        springs = springs_array(_NAME, size, bounded_springs)
        given = BoundedRows(*bounded_rows(_NAME, size, self._row_count, rows))
        self._energy.set_flat((M.ravel(),), (tilde,), q_ref, (springs,), (given,))

    def coordinates(self) -> Array:
        """Present coordinates of the bodies in the scene, (n, 12)."""
        return self._scene_bodies.q

    def delta_theta(self, q: Array) -> Array:
        """δθ of the f freedoms from the reference pose to q, (f,) [rad in (-π, π], or m]."""
        return self._energy.delta_theta(q)

    def energy(self, q: Array) -> float:
        """K(q)."""
        return self._energy.energy(q)

    def gradient(self, q: Array) -> Array:
        """∂K/∂q, (n, 12)."""
        return self._energy.gradient(q)

    def hessian(self, q: Array, project: bool = True) -> Array:
        """∂²K/∂q², (12n, 12n), exact or projected to positive semidefinite."""
        return self._energy.hessian(q, project)

    def animate(self, source: Source) -> Callable[[Any], None]:
        """An animator callback for the object that owns the articulation geometry.

            scene.animator().insert(articulation_object, constraint.animate(lambda info: (mass, delta_theta_tilde)))

        In each step it calls the source, checks the result, and writes `mass` and `delta_theta_tilde`. For bodies with
        the instance attribute `ref_dof_prev` it writes this too: the source's value, else the body's present pose (so
        that a reference is never out of date). Bodies without the attribute have their previous pose as reference.
        libuipc searches for the attribute at `world.init`: create it before, on the bodies' geometry.

        An object has one callback: with several articulations in an object, call their callbacks in one function.

        Args:
            source: Takes the animator's `UpdateInfo`; returns (Mᵗ, δθ̃), (Mᵗ, δθ̃, {body: q_ref}), those and bounded
                springs (f, 4, 4), or those and `BoundedRows`; a body is (geometry id, instance) or a geometry slot (its
                instance 0) and q_ref is (12,). Springs need the attribute `bounded_springs` (a Matrix4x4 for each
                freedom) on the geometry, rows what `frontend.articulations.create_rows` makes.

        Returns:
            The callback. On the CPU engine `world.advance()` raises its errors (ArticulationError, SceneError, or an
            error of the source). libuipc's own engines log them and continue: there, call `check()`.
        """

        def callback(info: Any) -> None:
            given = _unpack(source(info))
            self._write(self._geometry_of(info), *given)

        return guard(callback, self._scene_bodies.scene)

    def check(self) -> None:
        """Raise the first error of an animator callback since the last check; needed on "cuda", after `advance`."""
        raise_kept(self._scene_bodies.scene)

    def _write(
        self,
        geometry: Any,
        mass: ArrayLike,
        delta_theta_tilde: ArrayLike,
        given: Mapping[Any, Any],
        springs: ArrayLike | None,
        rows: BoundedRows | None,
    ) -> None:
        """Check everything, then write everything."""
        size = len(self._references)
        q_ref, carriers = self._references_of_step(given)
        carrier_of_springs = _find_springs(geometry, springs)
        self.set_step(mass, delta_theta_tilde, q_ref, springs, rows)
        writable(find_mass(geometry, _NAME, size))[:] = self._energy.arrays.mass
        writable(find_joint_attribute(geometry, _NAME, "delta_theta_tilde"))[:] = self._energy.arrays.tilde
        if carrier_of_springs is not None:
            writable(carrier_of_springs)[:] = self._energy.arrays.springs[:size]
        if (slots := find_rows(geometry, _NAME, size)) is not None:
            slots.write(BoundedRows(*bounded_rows(_NAME, size, self._row_count, rows)))
        if not carriers:
            return
        references = {geo_id: writable(attribute) for geo_id, attribute in carriers.items()}
        for (geo_id, instance), q in zip(self.bodies, q_ref, strict=True):
            if geo_id in references:
                references[geo_id][instance, :, 0] = q

    def _references_of_step(self, given: Mapping[Any, Any]) -> tuple[Array, dict[int, Any]]:
        """q_ref of all bodies, and the attribute slots `ref_dof_prev` of their geometries that have one."""
        carriers = self._scene_bodies.attributes(REF_DOF_PREV, self._geo_ids)
        if not given and not carriers:
            return self.coordinates(), carriers
        wanted = {_body_id(body): q for body, q in given.items()}
        q_ref = np.empty((len(self.bodies), 12))
        self._scene_bodies.read_into(q_ref, {body[0] for body in self.bodies if body not in wanted})
        for body in wanted:
            if body not in self._places:
                raise ArticulationError(f"{_body_name(body)} is not of this articulation; its bodies: {self.bodies}")
            if body[0] not in carriers:
                raise SceneError(
                    f"{_body_name(body)} has no attribute 'ref_dof_prev' to write to; create it before world.init: "
                    "geometry.instances().create('ref_dof_prev', numpy.zeros(12))"
                )
        if wanted:
            q_ref[[self._places[body] for body in wanted]] = _checked_references(wanted)
        for geo_id, attribute in carriers.items():
            require_vector12(attribute, f"bodies of geometry {geo_id}")
        return q_ref, carriers

    def _geometry_of(self, info: Any) -> Any:
        """Our articulation geometry among those of the animated object; searched again only if the slots changed."""
        slots = info.geo_slots()
        if slots != self._animated:
            self._slot, self._animated = self._find_slot(slots), slots
        return self._slot.geometry()

    def _find_slot(self, slots: list[Any]) -> Any:
        found = {slot.id(): slot for slot in slots if self._is_ours(slot.geometry())}  # libuipc may name a slot twice
        ours = list(found.values())
        if len(ours) != 1:
            raise SceneError(
                f"the animated object has {len(ours)} articulation geometries with the joints {self._references} "
                "(geometry id, index), must be one; insert the callback for the object that owns the geometry"
            )
        return ours[0]

    def _is_ours(self, geometry: Any) -> bool:
        return _is_articulation(geometry) and read_joint_references(geometry, _NAME) == self._references

    def _take_over(self, geometry: Any) -> None:
        size = len(self._references)
        mass = np.array(find_mass(geometry, _NAME, size).view()).reshape(size, size)
        if mass.any():
            self.set_step(mass, find_joint_attribute(geometry, _NAME, "delta_theta_tilde").view())


def _is_articulation(geometry: Any) -> bool:
    return constitution_uid(geometry) == ARTICULATION


def _require_articulation(geometry: Any) -> None:
    if not _is_articulation(geometry):
        raise SceneError(
            f"the geometry has constitution {constitution_uid(geometry)}, must be {ARTICULATION}: "
            "made by uipc.constitution.ExternalArticulationConstraint().create_geometry"
        )


def _read_joint_meshes(references: list[tuple[int, int]], scene: Any, bodies: SceneBodies) -> list[JointMesh]:
    meshes: dict[int, JointMesh] = {}
    for k, (geo_id, _) in enumerate(references):
        if geo_id in meshes:
            continue
        slot, _ = scene.geometries().find(geo_id)
        if slot is None:
            raise SceneError(f"{_NAME}, joint {k} refers to joint geometry {geo_id}, which has no geometry slot")
        meshes[geo_id] = read_joint_mesh(slot, bodies)
    return list(meshes.values())


def _checked_references(wanted: Mapping[BodyId, ArrayLike]) -> Array:
    """The reference coordinates of bodies, (k, 12); an ArticulationError where one is none."""
    values = list(wanted.values())
    if all(type(q) is np.ndarray and q.shape == (12,) and q.dtype == float for q in values):
        references = np.array(values)
        if are_finite(references):
            return references
    return np.array([checked_ref_dof_prev(_body_name(body), q) for body, q in wanted.items()])


def _find_springs(geometry: Any, springs: ArrayLike | None) -> Any:
    """The attribute slot of the springs; None where there are neither attribute nor springs."""
    slot = geometry["joint"].find(BOUNDED_SPRINGS)
    if slot is None and springs is not None:
        raise SceneError(
            f"{_NAME} has no attribute '{BOUNDED_SPRINGS}' to write to; create it before world.init: "
            f"geometry['joint'].create('{BOUNDED_SPRINGS}', numpy.zeros((4, 4)))"
        )
    return slot


def _unpack(answer: Any) -> tuple[ArrayLike, ArrayLike, Mapping[Any, Any], ArrayLike | None, BoundedRows | None]:
    if not isinstance(answer, tuple) or len(answer) not in (2, 3, 4, 5):
        found = f"a tuple of {len(answer)}" if isinstance(answer, tuple) else type(answer).__name__
        raise ArticulationError(
            f"the source returned {found}, must be (mass, delta_theta_tilde), or those and {{body: q_ref}}, or those "
            "and bounded springs, or those and BoundedRows"
        )
    rest: list[Any] = [{}, None, None]
    rest[: len(answer) - 2] = answer[2:]
    return answer[0], answer[1], rest[0], rest[1], rest[2]


def _body_id(body: Any) -> BodyId:
    """(geometry id, instance), from such a pair or a geometry slot, whose first instance is meant."""
    if isinstance(body, tuple):
        geo_id, instance = body
        return int(geo_id), int(instance)
    return int(body.id()), 0


def _body_name(body: BodyId) -> str:
    return f"body (geometry {body[0]}, instance {body[1]})"
