"""Contact energy of a handful of boxes and two half-planes: derivatives, step limits, distances."""

import ipctk
import numpy as np
import pytest
import trimesh

from ipc_articulation import affine
from ipc_articulation.contact.half_planes import HalfPlanes, barrier
from ipc_articulation.contact.materials import Rules, Traits, make_materials
from ipc_articulation.contact.surfaces import join_surfaces
from ipc_articulation.contact.world import ContactWorld

D_HAT, DT, EPS_V = 0.01, 0.01, 0.01


def box_mesh(size=0.2):
    mesh = trimesh.creation.box((size, size, size))
    faces = mesh.faces.astype(np.int32)
    return mesh.vertices.astype(float), ipctk.edges(faces).astype(np.int32), faces, np.zeros(len(mesh.vertices))


def make_world(n, friction=0.5, resistance=1e9, fixed=(), thickness=0.0, self_collision=False):
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
    planes = HalfPlanes(np.array([[0, 0, 0.0], [5.0, 0, 0]]), np.array([[0, 0, 1.0], [-1.0, 0, 0]]))
    return ContactWorld(join_surfaces([box_mesh()] * n), materials, planes)


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


@pytest.fixture
def world_and_q():
    world, q = make_world(3), stack()
    world.begin_step(q, DT, EPS_V)
    rng = np.random.default_rng(1)
    dq = 1e-4 * rng.standard_normal(q.shape)
    assert world.step_limit(q, dq) == 1.0
    return world, q + dq


def test_gradient_equals_finite_differences(world_and_q):
    world, q = world_and_q
    gradient = world.derivatives(q).gradient
    scale = np.abs(gradient).max()
    assert scale > 0.0
    rng = np.random.default_rng(2)
    for _ in range(20):
        direction, h = rng.standard_normal(q.shape), 1e-8
        slope = (world.energy(q + h * direction) - world.energy(q - h * direction)) / (2 * h)
        assert slope == pytest.approx(np.sum(gradient * direction), rel=1e-5, abs=1e-6 * scale)


def test_half_plane_hessian_equals_differences_of_gradient():
    world, q = make_world(1), np.stack([pose(0, 0, 0.104)])
    world.begin_step(q, DT, EPS_V)
    q = q + 1e-5 * np.random.default_rng(3).standard_normal(q.shape)
    H, h = world.derivatives(q).blocks[0], 1e-8
    for i in range(12):
        e = np.zeros_like(q)
        e[0, i] = h
        column = (world.derivatives(q + e).gradient - world.derivatives(q - e).gradient)[0] / (2 * h)
        np.testing.assert_allclose(H[i], column, rtol=1e-4, atol=1e-6 * np.abs(H).max())
    assert np.linalg.eigvalsh(H)[0] > -1e-9 * np.abs(H).max()


def test_barrier_is_ipctk_s():
    for d in (1e-6, 1e-3, 0.5 * D_HAT, 0.999 * D_HAT, D_HAT, 2 * D_HAT):
        B, slope, curvature = barrier(d, D_HAT, 0.0)
        D, D_hat = d * d, D_HAT**2
        B_D, B_DD = ipctk.barrier_first_derivative(D, D_hat), ipctk.barrier_second_derivative(D, D_hat)
        assert ipctk.barrier(D, D_hat) == pytest.approx(B, rel=1e-12)
        assert 2 * d * B_D == pytest.approx(slope, rel=1e-12)
        assert pytest.approx(curvature, rel=1e-10) == 4 * D * B_DD + 2 * B_D


def test_step_limit_stops_before_a_body_and_before_a_plane():
    world = make_world(2)
    q = np.stack([pose(0, 0, 0.5), pose(0, 0, 1.0)])
    world.begin_step(q, DT, EPS_V)
    through = np.zeros_like(q)
    through[1, 2] = -2.0  # through the other box and the ground
    limit = world.step_limit(q, through)
    gap = 0.3
    assert 0.8 * gap < 2.0 * limit < gap
    through[1, 2], through[0, 2] = 0.0, -1.0
    assert 0.8 * 0.4 < world.step_limit(q, through) < 0.4


def test_minimum_distance_is_exact_and_infinite_far_away():
    world = make_world(2)
    q = np.stack([pose(0, 0, 0.5), pose(0, 0, 0.5 + 0.2 + 0.03)])
    assert world.minimum_distance(q) == pytest.approx(0.03, rel=1e-12)
    q[1, 2] += 1.0
    assert world.minimum_distance(q) == np.inf
    q[0, 2] = 0.1 + 0.02
    assert world.minimum_distance(q) == pytest.approx(0.02, rel=1e-12)


def test_intersecting_bodies_are_found():
    world = make_world(3)
    q = np.stack([pose(0, 0, 0.5), pose(1.0, 0, 0.5), pose(1.1, 0.05, 0.55, angles=(0.1, 0.2, 0.3))])
    assert world.intersecting_bodies(q) == (1, 2)
    q[2, 0] = 2.0
    assert world.intersecting_bodies(q) is None
    q[0, 2] = 0.05
    assert world.intersecting_bodies(q) == (0, -1)


def test_fixed_bodies_do_not_touch_each_other():
    world = make_world(2, fixed=(0, 1))
    q = np.stack([pose(0, 0, 0.5), pose(0, 0, 0.55)])
    assert world.intersecting_bodies(q) is None
    world.begin_step(q, DT, EPS_V)
    assert world.energy(q) == 0.0


def test_candidates_hold_every_pair_in_reach():
    """Against all pairs: what ipctk finds within d̂ by its own broad phase must be found from our candidates."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        n = 5
        world = make_world(n)
        positions = np.add(rng.uniform(-0.25, 0.25, (n, 3)), [0, 0, 1])
        start = np.stack([pose(*position, angles=rng.uniform(-3, 3, 3)) for position in positions])
        world.step_limit(start, 0.05 * rng.standard_normal(start.shape))
        proximity = world.body_contacts[0].proximity
        x, reach = world.surfaces.positions(start), 0.01
        ours = proximity.collisions(x, reach)
        mesh = ipctk.CollisionMesh(*(np.asfortranarray(a) for a in (x, world.surfaces.edges, world.surfaces.faces)))
        mesh.can_collide = ipctk.make_vertex_patches_filter(world.surfaces.body.astype(np.int32))
        theirs = ipctk.NormalCollisions()
        theirs.build(mesh, x, reach)
        assert len(ours) == len(theirs)
        potential = ipctk.BarrierPotential(reach, 1.0)
        assert potential(ours, mesh, x) == pytest.approx(potential(theirs, mesh, x), rel=1e-9)


def test_bodies_that_do_not_touch_have_no_candidates():
    world = make_world(2, fixed=(0, 1))
    q = np.stack([pose(0, 0, 0.5), pose(0, 0, 0.701)])
    assert world.step_limit(q, np.zeros_like(q)) == 1.0
    assert world.minimum_distance(q) == np.inf


def test_candidates_outlive_small_motion_and_are_renewed_by_large():
    world, q = make_world(3), stack()
    world.begin_step(q, DT, EPS_V)
    proximity = world.body_contacts[0].proximity
    for _ in range(5):
        q = q + 1e-5
        world.step_limit(q, np.full_like(q, 1e-5))
    assert proximity.builds == 1
    world.step_limit(q, np.full_like(q, 0.1))
    assert proximity.builds == 3, "for the whole way, and for what is left of it"


def test_half_plane_friction_opposes_slip_with_full_force():
    world, q = make_world(1), np.stack([pose(0, 0, 0.104)])
    world.begin_step(q, DT, EPS_V)
    slid = q.copy()
    slid[0, 0] += 10 * EPS_V * DT
    gradient = world.derivatives(slid).gradient[0]
    assert gradient[0] == pytest.approx(-0.5 * gradient[2], rel=1e-9)
    assert gradient[0] > 0.0


def test_gaps_to_half_planes_do_not_get_lost_in_rounding():
    world, q = make_world(1), pose(0, 0, 0.1 + 1e-13)[None]
    down = np.zeros((1, 12))
    down[0, 2] = -1.0
    gap = world.minimum_distance(q)
    assert 0.0 < gap < 2e-13
    assert world.step_limit(q, down) == 0.0, "what is left is rounding"
    assert world.step_limit(q, -down) == 1.0
    q[0, 2] = 0.1 + 1e-6
    assert world.step_limit(q, down) == pytest.approx(0.9e-6, rel=1e-6)
