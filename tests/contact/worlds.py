"""Bodies in touch: boxes, their contact worlds, and the same surfaces as ipctk knows them."""

from __future__ import annotations

import ipctk
import numpy as np
import trimesh

from ipc_articulation import affine
from ipc_articulation.contact.friction_law import FrictionLaw
from ipc_articulation.contact.materials import Rules, Traits, make_materials
from ipc_articulation.contact.planes.half_planes import HalfPlanes
from ipc_articulation.contact.resistance import Resistance
from ipc_articulation.contact.surfaces import join_surfaces
from ipc_articulation.contact.world import ContactWorld

D_HAT, DT, EPS_V = 0.01, 0.01, 0.01
LAGGED = FrictionLaw(EPS_V)


def box_mesh(*size):
    """Points, edges, faces and thickness of a box; its diagonals are edges too."""
    return as_surface(trimesh.creation.box(size or (0.2, 0.2, 0.2)))


def as_surface(mesh):
    """Points, edges, faces and thickness of a trimesh."""
    faces = mesh.faces.astype(np.int32)
    return mesh.vertices.astype(float), ipctk.edges(faces).astype(np.int32), faces, np.zeros(len(mesh.vertices))


def pose(*position, angles=(0.0, 0.0, 0.0)):
    T = trimesh.transformations.euler_matrix(*angles)
    T[:3, 3] = position
    return affine.q_from_transform(T)


def stack(gap=0.004):
    """Three boxes, the lowest just above the ground, each turned a little so that all kinds of contact occur."""
    return np.stack(
        [
            pose(0, 0, 0.1 + gap),
            pose(0.05, 0.02, 0.3 + 2 * gap, angles=(0, 0, 0.3)),
            pose(0.0, 0.0, 0.5 + 4 * gap, angles=(0.005, 0.003, 0.8)),
        ]
    )


def make_world(n, friction=0.5, resistance=1e9, fixed=(), thickness=0.0, self_collision=False, mesh=None):
    """N boxes (0.2 m) above the ground z = 0 and before a wall x = 5."""
    one, zeros = np.ones((1, 1)), np.zeros(n, dtype=int)
    bodies = Traits(
        element=zeros,
        subscene=zeros,
        d_hat=np.full(n, D_HAT),
        thickness=np.full(n, thickness),
        is_fixed=np.isin(np.arange(n), fixed),
        self_collision=np.full(n, self_collision),
    )
    rules = Rules(resistance * one, friction * one, one > 0, one > 0)
    materials = make_materials(rules, bodies, np.zeros(2, dtype=int), np.zeros(2, dtype=int))
    planes = HalfPlanes(("ground", "wall"), np.array([[0, 0, 0.0], [5.0, 0, 0]]), np.array([[0, 0, 1.0], [-1.0, 0, 0]]))
    mass = np.where(np.append(bodies.is_fixed, [True, True]), np.inf, 1.0)
    resistances = Resistance(mass, 9.81, materials)
    return ContactWorld(join_surfaces([mesh or box_mesh()] * n), materials, planes, resistances)


def body_energies(world, q, moving=None):
    """Energy of each body, (n,)."""
    E = np.zeros(len(q))
    world.add_energy(q, np.ones(len(q), dtype=bool) if moving is None else moving, E)
    return E


def derivatives(world, q):
    """The derivatives where all bodies move; the world itself uses its blocks again."""
    world.place(q, np.ones(len(q), dtype=bool))
    at = world.derivatives()
    return at._replace(blocks=at.blocks.copy())


def settle_duals(world, q):
    """Let friction's duals become those of its slips at q: then its Hessian is exact."""
    derivatives(world, q)
    for _ in range(60):
        world.follow(q, np.zeros_like(q), np.zeros(len(q), dtype=np.bool_))


def step_limit(world, q, dq):
    """The share of a step that all bodies may take together."""
    labels, moving = np.zeros(len(q), dtype=np.int64), np.ones(len(q), dtype=bool)
    world.place(q, moving)
    ahead = world.ahead(q + dq)
    world.cover(ahead, world.near(ahead))
    return world.step_fractions(ahead, world.covered(), labels).min()


def pull_back(surfaces, body_count):
    """∂x/∂q (3V, 12n) of all vertices."""
    J = np.zeros((len(surfaces.points), 3, body_count, 12))
    J[np.arange(len(surfaces.points)), :, surfaces.body] = affine.jacobian(surfaces.points)
    return J.reshape(-1, 12 * body_count)


def full_hessian(body_count, bodies, blocks):
    """(12n, 12n) from pairs of bodies (p, 2), maybe twice the same one, and their blocks (p, 24, 24)."""
    H = np.zeros((body_count, 12, body_count, 12))
    for pair, block in zip(bodies, blocks.reshape(-1, 2, 12, 2, 12), strict=True):
        for a, i in enumerate(pair):
            for b, j in enumerate(pair):
                H[i, :, j] += block[a, :, b]
    return H.reshape(12 * body_count, -1)


def ipctk_collisions(surfaces, x, d_hat, thickness=0.0, self_collision=False):
    """The surfaces as ipctk's mesh, and the pairs within d̂ that its own broad phase finds at x (V, 3)."""
    mesh = ipctk.CollisionMesh(*(np.asfortranarray(a) for a in (surfaces.points, surfaces.edges, surfaces.faces)))
    if not self_collision:
        mesh.can_collide = ipctk.make_vertex_patches_filter(surfaces.body.astype(np.int32))
    collisions = ipctk.NormalCollisions()
    collisions.build(mesh, np.asfortranarray(x), d_hat, thickness)
    return mesh, collisions
