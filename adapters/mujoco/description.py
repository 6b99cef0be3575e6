"""Description of a MuJoCo model at a state, as a `CoupledRobot`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.cameras import cameras_of
from ipc_articulation.adapters.mujoco.kinematics import (
    JointMap,
    body_poses,
    geom_poses,
    group_inertia,
    link_poses,
    read_free_joint,
    rigid_group,
)
from ipc_articulation.adapters.mujoco.pair_friction import friction_leaders, friction_rules
from ipc_articulation.adapters.mujoco.restraint_rows import row_names
from ipc_articulation.adapters.mujoco.selection import Selection, mocap_group, selected_bodies
from ipc_articulation.adapters.mujoco.shapes import geom_mesh
from ipc_articulation.adapters.mujoco.surface_parts import friction_of, named_surfaces, whole_surfaces, with_parts
from ipc_articulation.adapters.mujoco.touching import colliding_geoms, untouchable_pairs
from ipc_articulation.adapters.mujoco.visuals import shapes_by_body

from ipc_articulation import affine
from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import ClosedMesh, CoupledBody, CoupledJoint, CoupledRobot, HalfPlane
from ipc_articulation.coupling.bodies import WORLD
from ipc_articulation.coupling.solids import Facets, bare, join
from ipc_articulation.dynamics.model.shapes import Shape
from ipc_articulation.dynamics.reading.mujoco.names import name_of, name_within

_Unit = tuple[str, list[int], Array, tuple[Shape, ...]]  # name, geoms that touch, pose, shapes for display
_KINDS = {
    mujoco.mjtJoint.mjJNT_HINGE: "revolute",
    mujoco.mjtJoint.mjJNT_SLIDE: "prismatic",
    mujoco.mjtJoint.mjJNT_BALL: "spherical",
    mujoco.mjtJoint.mjJNT_FREE: "free",
}


def owned_geoms(model: mujoco.MjModel, selection: Selection) -> list[int]:
    """All colliding geoms of the selected bodies, whose contact is IPC's."""
    return colliding_geoms(model, selected_bodies(model, selection))


def describe(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    selection: Selection,
    joints: JointMap,
    facets: Facets,
    by_geom: bool = True,
) -> CoupledRobot:
    """The selected parts of a model at a state.

    Args:
        model: The model.
        data: State with fresh kinematics.
        selection: What takes part.
        joints: Those of `selection.links`.
        facets: How surfaces become triangles.
        by_geom: Whether friction is that of geoms; False: a body has the largest of its geoms, with a warning.
    """
    reader = _Reader(model, data, facets, geoms={}, counts={}, drawn=shapes_by_body(model))
    links = _links(reader, joints)
    free = tuple(_free_body(reader, body) for body in selection.free)
    driven = tuple(_mocap_body(reader, body) for body in selection.mocap)
    static = tuple(entry for body in selection.static for entry in _static_bodies(reader, body))
    planes = tuple(entry for body in selection.static for entry in _planes(reader, body))
    immovable = {entry.name for entry in driven + static + planes}
    names = [entry.name for entry in links + free + driven + static + planes]
    surfaces = named_surfaces(model, reader.geoms, names)
    surfaces = surfaces if by_geom else whole_surfaces(model, surfaces)
    friction = {name: friction_of(model, ids) for own in surfaces.values() for name, ids in own.items()}

    def cut(bodies: tuple[CoupledBody, ...]) -> tuple[CoupledBody, ...]:
        return tuple(with_parts(model, b, surfaces.get(b.name, {}), reader.counts.get(b.name, {})) for b in bodies)

    return CoupledRobot(
        links=cut(links),
        joints=describe_joints(model, data, joints),
        free=cut(free + driven),
        static=cut(static),
        planes=planes,
        untouchable=untouchable_pairs(model, reader.geoms, immovable),
        contact_rules=friction_rules(model, surfaces, friction),
        leaders=friction_leaders(model, surfaces),
        rows=row_names(model, joints),
        cameras=tuple(cameras_of(model, data)),
    )


@dataclass(frozen=True)
class _Reader:
    """A model at a state, and the geoms of each described body."""

    model: mujoco.MjModel
    data: mujoco.MjData
    facets: Facets
    geoms: dict[str, list[int]]
    counts: dict[str, dict[int, int]]  # number of vertices of each geom, by body
    drawn: dict[int, tuple[Shape, ...]]  # for display, by body

    def surface(self, name: str, geoms: list[int], pose: Array) -> ClosedMesh | None:
        """The closed surfaces of some geoms in the frame of a pose; None if there are none."""
        to_body = np.linalg.inv(pose) @ geom_poses(self.data)[geoms]
        meshes = [geom_mesh(self.model, g, self.facets) for g in geoms]
        mesh = join(zip(meshes, to_body, strict=True))
        if geoms and mesh is None:
            raise bare(f"body '{name}': none of its geoms that collide has a volume")
        if mesh is not None:
            self.geoms[name] = geoms
            self.counts[name] = {g: len(m.vertices) if m else 0 for g, m in zip(geoms, meshes, strict=True)}
        return mesh

    def world(self, geoms: list[int]) -> Iterator[_Unit]:
        """The world's bodies: one for each of some geoms, and one of all that is only drawn."""
        drawn, owned = self.visual([0], np.eye(4)), set[str]()
        for geom in geoms:
            name, pose = name_of(self.model, "geom", geom), geom_poses(self.data)[geom]
            own = tuple(shape for shape in drawn if shape.name == name)
            owned.add(name)
            yield name_within(self.model, 0, "geom", geom), [geom], pose, _moved(own, np.linalg.inv(pose))
        yield WORLD, [], np.eye(4), tuple(shape for shape in drawn if shape.name not in owned)

    def body(self, name: str, group: list[int], pose: Array, velocity: Array | None = None) -> CoupledBody:
        """Bodies that move as one, in the frame of a pose."""
        geoms = colliding_geoms(self.model, group)
        mass, center, inertia = group_inertia(self.model, self.data, group, pose)
        return CoupledBody(
            name=name,
            pose=pose,
            mesh=self.surface(name, geoms, pose),
            mass=mass,
            center=center,
            inertia=inertia,
            friction=friction_of(self.model, geoms),
            velocity=np.zeros((4, 4)) if velocity is None else velocity,
            visual=self.visual(group, pose),
        )

    def visual(self, group: list[int], pose: Array) -> tuple[Shape, ...]:
        """Shapes for display of some bodies, in the frame of a pose."""
        to_pose = np.linalg.inv(pose) @ body_poses(self.data)[group]
        return tuple(shape for T, body in zip(to_pose, group, strict=True) for shape in _moved(self.drawn[body], T))


def _links(reader: _Reader, joints: JointMap) -> tuple[CoupledBody, ...]:
    model = reader.model
    poses = link_poses(model, reader.data, joints, reader.data.qpos)
    links = []
    for joint, body, pose, is_body in zip(joints.ids, joints.bodies, poses, joints.carries_body, strict=True):
        name = name_of(model, "body", body)
        if is_body:
            links.append(reader.body(name, rigid_group(model, body), pose))
        else:
            links.append(CoupledBody(name_within(model, body, "joint", joint), pose))
    return tuple(links)


def describe_joints(model: mujoco.MjModel, data: mujoco.MjData, joints: JointMap) -> tuple[CoupledJoint, ...]:
    """The coupled joints at a state with fresh kinematics."""
    return tuple(
        CoupledJoint(
            name=name_of(model, "joint", j),
            kind=_KINDS[mujoco.mjtJoint(model.jnt_type[j])],
            parent=joints.parents[i],
            child=i,
            anchor=data.xanchor[j].copy(),
            axis=data.xaxis[j].copy(),
        )
        for i, j in enumerate(joints.ids)
    )


def _free_body(reader: _Reader, body: int) -> CoupledBody:
    q, qdot = read_free_joint(reader.model, reader.data, body)
    name, group = name_of(reader.model, "body", body), rigid_group(reader.model, body)
    return reader.body(name, group, affine.transform_from_q(q), affine.transform_rate_from_qdot(qdot))


def _mocap_body(reader: _Reader, body: int) -> CoupledBody:
    group, pose = mocap_group(reader.model, body), body_poses(reader.data)[body]
    return replace(reader.body(name_of(reader.model, "body", body), group, pose), driven=True)


def _static_bodies(reader: _Reader, body: int) -> list[CoupledBody]:
    """A static body without its planes; for the world, one body for each geom. Some are only drawn."""
    geoms = [g for g in colliding_geoms(reader.model, [body]) if not _is_plane(reader.model, g)]
    pose = body_poses(reader.data)[body]
    own = [(name_of(reader.model, "body", body), geoms, pose, reader.visual([body], pose))]
    bodies = (
        CoupledBody(
            name, pose, reader.surface(name, members, pose), friction=friction_of(reader.model, members), visual=visual
        )
        for name, members, pose, visual in (own if body else reader.world(geoms))
    )
    return [body for body in bodies if body.mesh is not None or body.visual]


def _planes(reader: _Reader, body: int) -> list[HalfPlane]:
    model, data = reader.model, reader.data
    planes = []
    for g in colliding_geoms(model, [body]):
        if _is_plane(model, g):
            name = name_within(model, body, "geom", g)
            reader.geoms[name] = [g]
            normal = data.geom_xmat[g].reshape(3, 3)[:, 2].copy()
            planes.append(HalfPlane(name, data.geom_xpos[g].copy(), normal, friction_of(model, [g])))
    return planes


def _moved(shapes: tuple[Shape, ...], T: Array) -> tuple[Shape, ...]:
    return tuple(replace(shape, pose=T @ shape.pose) for shape in shapes)


def _is_plane(model: mujoco.MjModel, geom: int) -> bool:
    return model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_PLANE
