"""Cases of soft and affine bodies in one scene: contact between them, subscenes, and stitches."""

import numpy as np
import pytest
from uipc.constitution import (
    AffineBodyShell,
    ElasticModuli,
    ElasticModuli2D,
    Empty,
    SoftVertexEdgeStitch,
    SoftVertexStitch,
    SoftVertexTriangleStitch,
)
from uipc.geometry import (
    apply_transform,
    closest_vertex_edge_pairs,
    closest_vertex_triangle_pairs,
    linemesh,
    trimesh,
)

from tests.conformance.libuipc.case_scene import DT, G, fallen, mass
from tests.conformance.libuipc.case_scene import tetrahedron as affine_tetrahedron
from tests.conformance.libuipc.contact import cube_of_tetrahedra
from tests.conformance.libuipc_fem.soft_scene import NO_CONTACT, SMOOTH, TIGHT, SoftBodies, labelled, rubber
from tests.conformance.libuipc_fem.solids import ground_force
from tests.conformance.libuipc_fem.thin_bodies import particles

SIDE = 0.2
POINT_UP = [(0, 0, 1), (0, 1, 0), (-(0.75**0.5), -0.5, 0), (0.75**0.5, -0.5, 0)]


def test_affine_and_soft_cubes_in_a_stack(new_scene):
    """18_abd_fem_contact: soft, affine, soft; the ground alone changes the momentum of all."""
    scene = new_scene(**SMOOTH, **TIGHT)
    soft = SoftBodies(scene)
    scene.add_ground()
    for k in (0, 2):
        soft.add(rubber(cube_of_tetrahedra(SIDE), 1e5), at=(0.01 * k, 0.02, 0.109 + 0.209 * k))
    middle = scene.add(cube_of_tetrahedra(SIDE), at=(0, 0, 0.109 + 0.209))
    soft.start()
    masses = [body.mass for body in soft.bodies]
    weight = G * (sum(m.sum() for m in masses) + mass(middle))

    def moments():
        return sum(m @ x for m, x in zip(masses, soft.x, strict=True)) + mass(middle) * scene.q[0, :3]

    history = [moments()]
    for k in range(15):
        history.append((soft.run(), moments())[1])
        if k >= 1:
            force = np.diff(np.diff(history[-3:], axis=0), axis=0)[0] / DT**2
            expected = sum(ground_force(x) for x in soft.x) - weight
            np.testing.assert_allclose(force, [0, 0, expected], atol=1e-3 * weight)


def test_a_particle_stays_outside_an_affine_body(new_scene):
    """27_particle_abd: a ball of 20 cm falls on the tip of a fixed tetrahedron."""
    scene = new_scene()
    soft = SoftBodies(scene)
    scene.add(affine_tetrahedron(POINT_UP), is_fixed=1)
    soft.add(particles([(0.002, 0.001, 0.75 + 0.22)], radius=0.2))
    soft.start().run(40)
    below = np.linalg.norm(soft.x[0][0] - [0, 0, 0.75])  # the tip, as its centroid is at the origin
    assert below > 0.2
    assert soft.x[0][0, 2] > 0.97 - fallen(40), "the tip must have slowed it down"


def test_bodies_of_two_subscenes_overlap(new_scene):
    """42_abd_fem_subscene: a soft and an affine body in one place; neither touches the other."""
    scene = new_scene(sanity_check__enable=0, **TIGHT)
    soft = SoftBodies(scene)
    tabular = scene.scene.subscene_tabular()
    left, right = tabular.create("left"), tabular.create("right")
    mesh, other = rubber(cube_of_tetrahedra(SIDE)), cube_of_tetrahedra(SIDE)
    left.apply_to(mesh)
    right.apply_to(other)
    soft.add(mesh, at=(0.05, 0, 0))
    scene.add(other)
    start = soft.start().x[0]
    scene.run(20)  # without the check that nothing intersects
    np.testing.assert_allclose(soft.x[0], start - [0, 0, fallen(20)], atol=1e-6)
    np.testing.assert_allclose(scene.q[0, :3], [0, 0, -fallen(20)], atol=1e-6)


def stitched(scene, stitches, *arguments):
    scene.scene.objects().create("stitches").geometries().create(stitches().create_geometry(*arguments))


@pytest.mark.parametrize("rest_length", [0.0, 0.05])
def test_a_soft_body_hangs_on_an_affine_one(new_scene, rest_length):
    """39_soft_vertex_stitch: by one vertex, as far below as the spring is long and as the weight draws it out."""
    scene, kappa = new_scene(**NO_CONTACT, **TIGHT), 1e5
    soft = SoftBodies(scene)
    holder = scene.add(affine_tetrahedron(POINT_UP), at=(0, 0, 2), is_fixed=1)
    slot = soft.add(rubber(cube_of_tetrahedra(SIDE), 1e5))
    point = np.array(holder.geometry().positions().view()[1, :, 0]) + np.array([0, 0, 2])
    pairs = np.array([[7, 1]], dtype=np.int32)  # the corner at +x, +y, +z
    stitched(scene, SoftVertexStitch, (slot, holder), pairs, kappa, rest_length)
    place_below(slot, point - [0, 0, rest_length + 1e-3])
    soft.start().run(100)
    length = np.linalg.norm(soft.x[0][7] - point)
    weight = G * soft.bodies[0].mass.sum()
    assert abs(length - rest_length) < 5 * weight / kappa
    assert soft.x[0].mean(axis=0)[2] < point[2]


def place_below(slot, point):
    """Move a soft body so that its vertex 7 is at a point."""
    from uipc import view

    positions = view(slot.geometry().positions())
    positions[:] += (point - positions[7, :, 0])[:, None]


TRIANGLE = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])


def fixed_scenery(mesh):
    """A mesh without energy whose vertices are fixed: what particles are stitched to."""
    Empty().apply_to(mesh)
    return labelled(mesh)


def hangs(soft, points, steps=50):
    """Run particles that are stitched; how far they are from where they began, after each step."""
    start = np.array(points)
    return [np.linalg.norm(soft.run().x[0] - start, axis=1).max() for _ in range(steps)]


def test_particles_hang_on_a_triangle(new_scene):
    """67_soft_vertex_triangle_stitch: four particles below and beside it."""
    soft = SoftBodies(new_scene(**NO_CONTACT))
    points = [(0.25, 0.25, -0.5), (0.5, 0.1, -0.3), (0.1, 0.5, -0.4), (0.3, 0.3, 0.0)]
    vertices, triangle = particles(points), fixed_scenery(trimesh(TRIANGLE, np.array([[0, 1, 2]], dtype=np.int32)))
    pairs = closest_vertex_triangle_pairs(vertices, triangle, 1.0)
    assert pairs.instances().size() == 4
    soft.add(vertices)
    soft.add(triangle, is_fixed=1)
    moduli = ElasticModuli.youngs_poisson(120e3, 0.49)
    stitched(soft.scene, SoftVertexTriangleStitch, tuple(soft.slots), tuple(soft.rests), pairs, moduli, 0.1)
    ways = hangs(soft.start(), points)
    assert max(ways[5:]) < 0.15, "the last one is held as if it were 0.1 m away"
    assert 0.0 < max(ways) < fallen(50)


def test_particles_hang_on_an_edge(new_scene):
    """68_soft_vertex_edge_stitch: the last one is on the edge, and held as if it were 0.1 m away."""
    soft = SoftBodies(new_scene(**NO_CONTACT))
    points = [(0.25, 0, 0.5), (0.5, 0, 0.3), (0.75, 0, 0.4), (0.5, 0, 0.0)]
    vertices = particles(points)
    edge = fixed_scenery(linemesh(np.array([[0.0, 0, 0], [1, 0, 0]]), np.array([[0, 1]], dtype=np.int32)))
    pairs = closest_vertex_edge_pairs(vertices, edge, 1.0)
    assert pairs.instances().size() == 4
    soft.add(vertices)
    soft.add(edge, is_fixed=1)
    moduli = ElasticModuli2D.youngs_poisson(1e6, 0.49)
    stitched(soft.scene, SoftVertexEdgeStitch, tuple(soft.slots), tuple(soft.rests), pairs, moduli, 0.1, 0.1)
    hangs(soft.start(), points)
    away = np.linalg.norm(soft.x[0][:, 1:], axis=1)  # from the edge, about which a triangle turns freely
    np.testing.assert_allclose(away, [0.5, 0.3, 0.4, 0.1], atol=0.01)


def test_a_particle_in_the_plane_of_an_affine_triangle(new_scene):
    """70_svts_degenerate_rest_shape: it moves away along the normal, and not sideways."""
    scene = new_scene(**NO_CONTACT)
    soft = SoftBodies(scene)
    corners = np.array([[-0.5, -0.5, 0], [0.5, -0.5, 0], [-0.5, 0.5, 0.0]])
    mesh = labelled(trimesh(corners, np.array([[0, 1, 2]], dtype=np.int32)))
    triangle = scene.add(
        mesh, at=(0, 0, 1), kappa=1e8, constitution=AffineBodyShell(), arguments=(1000.0, 0.01), is_fixed=1
    )
    vertices = particles([(0, 0, 1.0)])
    (placed,) = apply_transform(triangle.geometry())
    pairs = closest_vertex_triangle_pairs(vertices, placed, 0.01)
    assert pairs.instances().size() == 1
    slot = soft.add(vertices)
    rests = (soft.rests[0], scene.scene.geometries().find(triangle.id())[1])
    moduli = ElasticModuli.youngs_poisson(120e3, 0.49)
    stitched(scene, SoftVertexTriangleStitch, (slot, triangle), rests, pairs, moduli, 0.05)
    soft.start()
    for _ in range(10):
        x = soft.run().x[0][0]
        assert np.linalg.norm(x[:2]) < 0.001
        assert abs(x[2] - 1.0) < 0.1
