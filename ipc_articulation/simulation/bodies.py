"""The bodies, the ground and the walls of a scene file, for every adapter alike."""

from __future__ import annotations

import numpy as np

from ipc_articulation import spatial
from ipc_articulation.arrays import Array
from ipc_articulation.coupling import solids
from ipc_articulation.coupling.adapter import ClosedMesh, CoupledBody, HalfPlane
from ipc_articulation.coupling.mesh_files import closed_mesh
from ipc_articulation.dynamics.model import shapes
from ipc_articulation.dynamics.model.solids import Solid, solid
from ipc_articulation.scenefile import schema
from ipc_articulation.simulation.materials import density_of, friction_of, resistance_of, stiffness_of

GROUND = "ground"

_Primitive = schema.BoxEntry | schema.SphereEntry | schema.EllipsoidEntry | schema.CylinderEntry | schema.CapsuleEntry


def body_of(scene: schema.Scene, body: schema.BodyEntry) -> CoupledBody:
    """A body of the file, with the mass of the true solid where its density is given.

    Raises:
        MeshError: A mesh file cannot be read, or is not closed.
    """
    mesh, homogeneous = surface_and_solid(body.shape)
    mass = body.mass or density_of(scene, body) * homogeneous.volume
    pose = transform(body.pose)
    return CoupledBody(
        name=body.name,
        pose=pose,
        mesh=mesh,
        mass=mass,
        center=homogeneous.centre,
        inertia=mass * homogeneous.inertia,
        friction=friction_of(scene, body),
        velocity=velocity_rate(body.velocity, pose),
        kappa=stiffness_of(scene, body),
        resistance=resistance_of(scene, body),
        environment=body.environment,
    )


def surface_and_solid(shape: schema.ShapeEntry) -> tuple[ClosedMesh, Solid]:
    """The surface of a shape for contact, and the homogeneous solid that gives its mass properties.

    Raises:
        MeshError: A mesh file cannot be read, or is not closed.
    """
    if isinstance(shape, schema.MeshEntry):
        mesh = closed_mesh(shape.file, shape.scale)
        return mesh, solid(shapes.Triangles(mesh.vertices, mesh.faces))
    geometry = _geometry(shape)
    sections = None if isinstance(shape, schema.BoxEntry) else shape.sections
    return solids.surface(geometry, facets=solids.Facets(sections=sections)), solid(geometry)


def _geometry(shape: _Primitive) -> shapes.Geometry:
    match shape:
        case schema.BoxEntry():
            return shapes.Box(shape.size)
        case schema.SphereEntry():
            return shapes.Sphere(shape.radius)
        case schema.EllipsoidEntry():
            return shapes.Ellipsoid(shape.radii)
        case schema.CylinderEntry():
            return shapes.Cylinder(shape.radius, shape.length)
        case schema.CapsuleEntry():
            return shapes.Capsule(shape.radius, shape.length)


def planes_of(scene: schema.Scene) -> tuple[HalfPlane, ...]:
    """The ground, if there is one, and the walls."""
    planes = [_wall(scene, wall) for wall in scene.walls]
    if scene.ground:
        normal = up(scene.gravity)
        friction, resistance = friction_of(scene, scene.ground), resistance_of(scene, scene.ground)
        planes.insert(0, HalfPlane(GROUND, scene.ground.height * normal, normal, friction, resistance))
    return tuple(planes)


def _wall(scene: schema.Scene, wall: schema.WallEntry) -> HalfPlane:
    normal = np.array(wall.normal) / np.linalg.norm(wall.normal)
    friction, resistance = friction_of(scene, wall), resistance_of(scene, wall)
    return HalfPlane(wall.name, np.array(wall.point), normal, friction, resistance, wall.environment)


def transform(pose: schema.PoseEntry) -> Array:
    """The (4, 4) transform of a pose."""
    return spatial.pose(spatial.rotation_from_quaternion(pose.wxyz), pose.position)


def velocity_rate(velocity: schema.VelocityEntry | None, pose: Array) -> Array:
    """Rate [ω~ R, v; 0 0] of a pose [R p; 0 1], (4, 4), v being the velocity of its origin."""
    rate = np.zeros((4, 4))
    if velocity is not None:
        rate[:3, :3] = spatial.skew(velocity.angular) @ pose[:3, :3]
        rate[:3, 3] = velocity.linear
    return rate


def up(gravity: schema.Vector3) -> Array:
    """Unit vector against gravity, z where there is none, (3,)."""
    g = np.array(gravity)
    return -g / np.linalg.norm(g) if g.any() else np.array([0.0, 0.0, 1.0])
