"""Cases of shells, cloth, rods and particles."""

import numpy as np
from uipc.constitution import (
    DiscreteShellBending,
    ElasticModuli2D,
    Empty,
    KirchhoffRodBending,
    Particle,
    StrainLimitingBaraffWitkinShell,
)
from uipc.geometry import pointcloud

from tests.conformance.libuipc.case_scene import G, fallen, resting_gap
from tests.conformance.libuipc_fem.soft_scene import (
    NO_CONTACT,
    SMOOTH,
    TIGHT,
    SoftBodies,
    chain,
    labelled,
    marked,
    membrane,
    rope,
    sheet,
    tetrahedron,
)


def particles(points, density=1e3, radius=0.01):
    mesh = labelled(pointcloud(np.array(points, dtype=float)))
    Particle().apply_to(mesh, density, radius)
    return mesh


def cloth(mesh):
    StrainLimitingBaraffWitkinShell().apply_to(mesh, ElasticModuli2D.youngs_poisson(1e5, 0.3), 200.0, 0.001)
    return mesh


def test_a_shell_hangs_on_two_corners(new_scene):
    """19_shell_fixed_point: the other two droop alike."""
    soft = SoftBodies(new_scene(**SMOOTH, **TIGHT))
    soft.add(membrane(sheet()), is_fixed=marked(4, 0, 3))
    soft.start().run_free(12)
    x = soft.x[0]
    np.testing.assert_array_equal(x[[0, 3], 2], 0.0)
    assert x[1, 2] < -0.02
    np.testing.assert_allclose(x[1, 2], x[2, 2], atol=1e-9)
    np.testing.assert_allclose(x[1, :2], x[2, [1, 0]], atol=1e-9)


def test_cloth_hangs_on_two_corners(new_scene):
    """60_fem_mas_cloth: the forces are those of NeoHookeanShell, StrainLimitingBaraffWitkinShell and bending."""
    soft = SoftBodies(new_scene(**SMOOTH, **TIGHT))
    for k, constitution in enumerate((lambda mesh: membrane(mesh, 1e6), cloth)):
        mesh = constitution(sheet(3, 0.3))
        DiscreteShellBending().apply_to(mesh, 1e-3)
        soft.add(mesh, at=(0.5 * k, 0, 0), is_fixed=marked(16, 0, 3), mesh_part=0)
    soft.start().run_free(12)
    for x in soft.x:
        assert x[15, 2] < -0.03


def test_bending_holds_a_corner_up(new_scene):
    """33_discrete_shell_bending: three corners are fixed; the stiffer the hinge, the less the fourth sinks."""
    heights = []
    for stiffness in (1e-4, 1e-2, 1.0):
        soft = SoftBodies(new_scene(**SMOOTH, **TIGHT))
        mesh = membrane(sheet())
        DiscreteShellBending().apply_to(mesh, stiffness)
        soft.add(mesh, is_fixed=marked(4, 0, 1, 3))
        heights.append(soft.start().run_free(20).x[0][2, 2])
    assert heights[0] < heights[1] < heights[2] < 0.0
    assert heights[2] > 0.2 * heights[1]


def test_a_chain_of_springs_sags(new_scene):
    """20_spring_fixed_point: between two fixed ends, alike on both sides."""
    soft = SoftBodies(new_scene(**SMOOTH, **TIGHT))
    soft.add(rope(chain(15), 4e4), is_fixed=marked(15, 0, 14))
    x = soft.start().run_free(20).x[0]
    np.testing.assert_allclose(x[:, 2], x[::-1, 2], atol=1e-8)
    assert x[7, 2] == x[:, 2].min() < -0.01


def test_stiffer_rods_bend_less(new_scene):
    """23_kirchhoff_rod_bending, 61_fem_mas_rod: clamped at an end by two vertices; the first has no bending."""
    soft = SoftBodies(new_scene(**SMOOTH, **TIGHT))
    for k, stiffness in enumerate((0.0, 1e5, 1e6, 1e7)):
        mesh = rope(chain(8))
        KirchhoffRodBending().apply_to(mesh, stiffness)
        soft.add(mesh, at=(0, 0.06 * k, 0), is_fixed=marked(8, 0, 1), mesh_part=0)
    soft.start().run_free(20)
    tips = [x[-1, 2] for x in soft.x]
    assert tips[0] < tips[1] < tips[2] < tips[3] < 0.0
    assert tips[3] > 0.1 * tips[0]


def test_particles_rest_on_the_ground(new_scene):
    """21_particle_ground: each on its own radius."""
    soft = SoftBodies(new_scene(**SMOOTH))
    soft.scene.add_ground()
    for k, radius in enumerate((0.01, 0.02)):
        soft.add(particles([(0.1 * j, k, radius + 0.0095) for j in range(3)], radius=radius))
    soft.start().run(60)
    for x, body in zip(soft.x, soft.bodies, strict=True):
        assert np.all(x[:, 2] > body.thickness)
        assert np.all(x[:, 2] < body.thickness + 0.01)
        np.testing.assert_allclose(x[:, 2], x[0, 2], atol=1e-6)


def test_particles_without_radius_rest_as_points(new_scene):
    """21_particle_ground, where the barrier's formula is known."""
    soft = SoftBodies(new_scene(**SMOOTH))
    soft.scene.add_ground()
    mesh = labelled(pointcloud(np.array([[0.1 * j, 0, 0.0095] for j in range(3)])))
    Particle().apply_to(mesh, 0.5, 0.0)  # of 1 m³ each
    soft.add(mesh)
    soft.start().run(60)
    np.testing.assert_allclose(soft.x[0][:, 2], resting_gap(0.5 * G), rtol=0.02)


def test_particles_and_rods_fall(new_scene):
    """34_particle_rods: as one, in one scene."""
    soft = SoftBodies(new_scene(**NO_CONTACT, **TIGHT))
    soft.add(particles([(0, 0, 1.5)], radius=0.2))
    soft.add(rope(chain(4, 1.0), 1e3, 0.2), at=(1, 0, 0))
    start = soft.start().x
    soft.run(10)
    for before, after in zip(start, soft.x, strict=True):
        np.testing.assert_allclose(after, before - [0, 0, fallen(10)], atol=1e-8)


def test_cloth_beside_a_body_without_energy(new_scene):
    """81_fem_mas_cloth_with_empty: the vertices of Empty fall, each by itself; the cloth hangs."""
    soft = SoftBodies(new_scene(**NO_CONTACT, **TIGHT))
    soft.add(membrane(sheet(3, 0.3), 1e6), is_fixed=marked(16, 0, 3), mesh_part=0)
    empty = tetrahedron()
    Empty().apply_to(empty)
    velocity = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    soft.add(empty, at=(2, 0, 0), velocity=velocity)
    before = soft.start().x[1]
    soft.run_free(5)
    np.testing.assert_allclose(soft.x[1], before + 0.05 * velocity - [0, 0, fallen(5)], atol=1e-8)
    np.testing.assert_array_equal(soft.x[0][[0, 3], 2], 0.0)
