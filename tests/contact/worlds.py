"""Boxes and other bodies in touch, in a step that has no other term than contact; and ipctk's view of them."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import ipctk
import numpy as np
import trimesh

from ipc_articulation import affine
from ipc_articulation.articulation.joints import Joints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact import choosing, friction, memory
from ipc_articulation.contact.anchors import NO_ANCHORS
from ipc_articulation.contact.held import NOTHING_HELD
from ipc_articulation.contact.materials import Rules, Traits, make_materials
from ipc_articulation.contact.springs import NO_SPRINGS
from ipc_articulation.contact.surfaces import join_surfaces
from ipc_articulation.contact.world import ContactWorld, HalfPlanes
from ipc_articulation.engine.newton import direction, stages, touching
from ipc_articulation.engine.newton.ends import hold_ends
from ipc_articulation.engine.newton.work import make_limits, make_work, points_at, set_step
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms.kinetic import Kinetic
from ipc_articulation.engine.terms.term import NO_PAIRS
from ipc_articulation.engine.terms.usual import take_usual
from ipc_articulation.engine.terms.wells import wells
from ipc_articulation.frontend.nodes import layout
from ipc_articulation.frontend.nodes.numbering import Numbering, by_numbers, nodes_of

D_HAT, DT, EPS_V = 0.01, 0.01, 0.01
NO_PLANES = HalfPlanes((), np.zeros((0, 3)), np.zeros((0, 3)))
GROUND_AND_WALL = HalfPlanes(
    ("ground", "wall"), np.array([[0, 0, 0.0], [5.0, 0, 0]]), np.array([[0, 0, 1.0], [-1.0, 0, 0]])
)


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


class World:
    """Contact of bodies, the last ones of which are soft, in a step without any other energy.

    Its unknowns are the nodes x (N, 3): p and the columns of A of an affine body, and the vertices of a soft one.
    """

    def __init__(
        self,
        surfaces,
        soft=0,
        resistance=1e9,
        friction=0.5,
        fixed=(),
        d_hat=D_HAT,
        xi=0.0,
        itself=False,
        others=True,
        planes=NO_PLANES,
        anchored=False,
        eps=EPS_V * DT,
        gravity=9.81,
        elements=None,
        dt=DT,
    ):
        """Take the surfaces of B bodies.

        Args:
            surfaces: `Surfaces`, those of soft bodies at rest.
            soft: How many of the last bodies are soft.
            resistance: κ_c [Pa] of all pairs.
            friction: μ.
            fixed: Numbers of bodies.
            d_hat: d̂ [m].
            xi: The thickness of two surfaces together [m].
            itself: Whether bodies touch themselves.
            others: Whether they touch each other.
            planes: Half-planes.
            anchored: Whether friction remembers.
            eps: Slip at which lagged friction is fully developed [m].
            gravity: [m/s²].
            elements: `VertexElements`, if any.
            dt: [s].
        """
        B, first = len(surfaces.first) - 1, surfaces.first
        self.surfaces, A, of_soft = surfaces, B - soft, np.arange(first[B - soft], first[-1])
        self.affine, n, is_fixed = A, A + len(of_soft), np.isin(np.arange(B), fixed)
        body_of = np.concatenate([np.arange(A), surfaces.body[of_soft]])
        self.numbering = Numbering(
            np.concatenate([4 * np.arange(A), 4 * A + np.arange(len(of_soft) + 1)]),
            body_of,
            is_fixed[body_of],
            A + np.arange(len(of_soft)),
            np.zeros(len(of_soft), dtype=np.int64),
            body_of,
        )
        self.materials = _materials(B, resistance, friction, is_fixed, d_hat, xi, itself, others, len(planes.names))
        rows = surfaces if not soft else _by_rows(surfaces, A)
        mass = np.concatenate([np.where(is_fixed[body_of], np.inf, 1.0), np.full(len(planes.names), np.inf)])
        everything = np.ones(n, dtype=np.bool_)
        of_soft = surfaces if soft else None
        self.contact = ContactWorld(
            rows, replace(self.materials, group=body_of), planes, mass, gravity, of_soft, everything, elements, None
        )
        bodies = SimpleNamespace(is_fixed=is_fixed[body_of])
        self.scene, self.points, self.table = layout.read(bodies, rows, self.numbering, self.contact)
        self.W, count = np.zeros((len(rows.points), self.numbering.first[-1])), np.diff(self.numbering.first)
        for v, (r, w) in enumerate(zip(self.points.row, self.points.weight[: len(self.W)], strict=False)):
            self.W[v, self.numbering.first[r] + np.arange(count[r])] = w[: count[r]]
        self.movable, self.n, self.dt = ~is_fixed, n, dt
        ones = np.ones(B), np.zeros(B, dtype=np.bool_)
        velocities = eps / dt, 1.0, 1.0
        self.limits = make_limits(n + len(planes.names) if anchored else -1, velocities, np.inf, 0.9, *ones)
        set_step(self.limits, dt, True)
        N, R = len(self.W.T), len(body_of)
        of = self.numbering.first, self.numbering.body, np.zeros((R, 4, 4)), np.zeros((N, 3))
        inertia = wells(np.zeros(0, dtype=np.int64), *of)
        usual, _ = take_usual([SimpleNamespace(name=Kinetic.name, wells=inertia, inertia=inertia)], A, N)
        self.work = make_work(self.scene, usual, self.limits, _ends(self.numbering), np.zeros((N, 3)), (0, 0))

    def nodes(self, q):
        """Nodes of bodies with coordinates q (B, 12), soft ones as stiff as others."""
        soft = np.arange(self.surfaces.first[self.affine], self.surfaces.first[-1])
        x = nodes_of(q[: self.affine]).reshape(-1, 3)
        return np.ascontiguousarray(np.concatenate([x, self.surfaces.positions(q)[soft]]))

    def y(self, x):
        """Points (V, 3)."""
        return self.W @ x.reshape(-1, 3)

    def begin(self, x, held=NOTHING_HELD, anchors=NO_ANCHORS, springs=NO_SPRINGS, v=None, before=None, adaptive=1.0):
        """Begin a step with nodes at x, and what the last one has ended with."""
        v, before = np.zeros_like(x) if v is None else v, (x, x) if before is None else before
        _recall(self.work, x, tuple(held), tuple(anchors), tuple(springs), self.dt, float(adaptive), v)
        touching.collide(self.work)
        touching.begin(self.work, before)
        return self

    def look(self, ahead):
        """Look at the way to nodes `ahead`; returns the fraction of each body, (B,), and the islands that meet."""
        _look(self.work, ahead)
        touching.collide(self.work)
        return _met(self.work)

    def place(self, x, moving=None):
        """Put the nodes at x, with some bodies (B,) that move; nothing is foreseen."""
        x = x.reshape(-1, 3)
        stages.stand(self.work, x)
        moving = self.movable if moving is None else moving
        _move(self.work, moving)
        touching.collide(self.work)
        stages.first(self.work, moving)
        touching.touch(self.work)

    def leave(self, x, moving=None):
        """The same without anything that is near: only friction is left."""
        stages.stand(self.work, x.reshape(-1, 3))
        _move(self.work, self.movable if moving is None else moving)

    def energies(self, x, moving=None, barriers=True):
        """Of bodies, (B,), at x."""
        (self.place if barriers else self.leave)(x, moving)
        E = np.zeros(len(self.movable))
        touching.add_energies(self.work, stages.place(self.work), stages.points(self.work), E)
        return E

    def derivatives(self, x, project=False, moving=None, barriers=True):
        """Gradient (3N,) and Hessian (3N, 3N) at x."""
        (self.place if barriers else self.leave)(x, moving)
        direction.clear(self.work)
        _project(self.work, project)
        touching.assemble(self.work)
        return direction.gradient(self.work).ravel(), dense(self.work)

    def gradient(self, x, **options):
        """(3N,)."""
        return self.derivatives(x, **options)[0]

    def settle(self, x):
        """Let friction's duals become those of its slips at x: then its Hessian is exact."""
        self.gradient(x, barriers=False)
        for _ in range(60):
            _follow(self.work, x.reshape(-1, 3))

    def remembered(self, x):
        """Pairs and resistances, pairs and fields, stencils and springs at the end of a step at x."""
        self.place(x)
        pairs, values, (*anchors, stencils, stretches) = touching.remember(self.work)
        return (pairs, values), tuple(anchors), (stencils, stretches)

    def near(self):
        """What is within d̂: `Near` and its stencils."""
        return SimpleNamespace(**dict(zip(_NEAR, _near(self.work), strict=True)))

    def stencils(self):
        """What may be near on the way."""
        return SimpleNamespace(**dict(zip(_STENCILS, _stencils(self.work), strict=True)))

    def friction(self):
        """Friction's columns."""
        return SimpleNamespace(**dict(zip(_FRICTION, _columns(self.work), strict=True)))


_STENCILS = "pair", "kind", "vertices", "mollified", "kappa", "mu", "least"
_NEAR = "pair", "kind", "vertices", "mollified", "kappa", "mu", "distance", "w", "n"
_FRICTION = "pair", "kind", "vertices", "w", "normal", "force", "eps", "anchor", "dual", "apart", "lean", "is_leaning"


def _materials(n, resistance, friction, is_fixed, d_hat, xi, itself, others, planes):
    one, zeros = np.ones((1, 1)), np.zeros(n, dtype=int)
    bodies = Traits(zeros, zeros, np.full(n, d_hat), np.full(n, 0.5 * xi), is_fixed, np.full(n, itself))
    rules = Rules(resistance * one, friction * one, one > 0, one > 0)
    materials = make_materials(rules, bodies, np.zeros(planes, dtype=int), np.zeros(planes, dtype=int))
    if not others:
        materials.body_pairs[~np.eye(n, dtype=bool)] = -1
    return materials


def _by_rows(surfaces, affine):
    """Surfaces whose soft vertices, from a body on, are rows of their own at their origins."""
    begin = surfaces.first[affine]
    points, soft = surfaces.points.copy(), np.arange(begin, len(surfaces.points))
    points[soft] = 0.0
    body = np.concatenate([surfaces.body[:begin], affine + np.arange(len(soft))])
    first = np.concatenate([surfaces.first[:affine], begin + np.arange(len(soft) + 1)])
    edges, faces = surfaces.edges[: surfaces.first_edges[affine]], surfaces.faces[: surfaces.first_faces[affine]]
    return replace(surfaces, points=points, body=body, first=first, edges=edges, faces=faces)


def _ends(numbering):
    """`Ends` of bodies at rest without gravity, joints and stiffness."""
    n, A, R = len(numbering.body_of), numbering.affine, len(numbering.body)
    nowhere, nobody = np.zeros((n, 12)), np.zeros(n, dtype=np.bool_)
    of_rows = by_numbers(numbering), 1, nowhere, nobody, ~nobody, np.arange(n) < A
    of_bodies = np.zeros(R), np.zeros((n, 3)), nobody, np.arange(A), np.full(A, -1)
    none = np.zeros(int(numbering.body.max(initial=-1)) + 1, dtype=np.bool_)
    joints, state = Joints.concatenate([]), EngineState.without_past(nowhere, nowhere, np.zeros(0))
    return hold_ends((*of_rows, *of_bodies), NO_PAIRS, none, none, (joints.arrays(), joints.home), state)


@compiled
def _recall(work, x, held, anchors, springs, dt, adaptive, v):
    work.since = x
    stages.stand(work, x)
    memory.recall(work.memory, anchors[0], anchors[1], springs[0], springs[1])
    choosing.begin_step(work.scene.table.law, work.scene, work.candidates.stencils, held, dt, adaptive, v)


@compiled
def _look(work, ahead):
    work.at = ahead
    work.y_at = points_at(work, ahead)


@compiled
def _met(work):
    return work.free, work.met


@compiled
def _move(work, moving):
    work.moving = moving


@compiled
def _project(work, project):
    work.sums.projected = np.full(len(work.moving), project)


@compiled
def _follow(work, ahead):
    friction.follow(work.friction, work.since, work.now.x, ahead, work.moving, np.zeros(len(work.moving), np.bool_))


@compiled
def _near(work):
    s, some = work.now.stencils, work.now.some
    of = some.of
    stencils = s.pair[of], s.kind[of], s.vertices[of], s.mollified[of], s.kappa[of], s.mu[of]
    return *stencils, some.distance, some.w, some.n


@compiled
def _stencils(work):
    s = work.now.stencils
    return s.pair, s.kind, s.vertices, s.mollified, s.kappa, s.mu, s.least


@compiled
def _columns(work):
    f = work.friction
    of = f.pair, f.kind, f.vertices, f.w, f.normal, f.force, f.eps
    return *of, f.anchor, f.dual, f.apart, f.lean, f.is_leaning


@compiled
def near_of(work):
    """Stencils, `Near`, and points (V, 3)."""
    return work.now.stencils, work.now.some, work.now.y


@compiled
def friction_of(work):
    """`Friction`."""
    return work.friction


@compiled
def dense(work):
    """The Hessian (3N, 3N)."""
    matrix = work.sums.matrix
    first = matrix.first
    H = np.zeros((3 * first[-1], 3 * first[-1]))
    for k in range(-len(matrix.own), matrix.used[0]):
        i = matrix.rows[k] if k >= 0 else -1 - k
        j = matrix.cols[k] if k >= 0 else i
        at = matrix.start[k] if k >= 0 else matrix.own[i]
        for a in range(3 * first[i], 3 * first[i + 1]):
            for b in range(3 * first[j], 3 * first[j + 1]):
                H[a, b] = matrix.numbers[at]
                if i != j:
                    H[b, a] = H[a, b]
                at += 1
    return H


def boxes(n, mesh=None, **options):
    """N boxes (0.2 m), or bodies of another mesh, before the ground z = 0 and a wall x = 5."""
    return World(join_surfaces([mesh or box_mesh()] * n), **{"planes": GROUND_AND_WALL} | options)


def ipctk_collisions(surfaces, x, d_hat, thickness=0.0, self_collision=False):
    """The surfaces as ipctk's mesh, and the pairs within d̂ that its own broad phase finds at x (V, 3)."""
    mesh = ipctk.CollisionMesh(*(np.asfortranarray(a) for a in (surfaces.points, surfaces.edges, surfaces.faces)))
    if not self_collision:
        mesh.can_collide = ipctk.make_vertex_patches_filter(surfaces.body.astype(np.int32))
    collisions = ipctk.NormalCollisions()
    collisions.build(mesh, np.asfortranarray(x), d_hat, thickness)
    return mesh, collisions
