"""Cases of solids: they fall, hang, shrink to their rest shape, and rest on the ground and on each other."""

import numpy as np
import pytest
from uipc import view
from uipc.constitution import ARAP, FiniteElementExternalForce

from tests.conformance.libuipc.case_scene import DT, ZERO, G, barrier_force, fallen, resting_gap, travelled
from tests.conformance.libuipc.contact import cube_of_tetrahedra
from tests.conformance.libuipc_fem.soft_scene import (
    NO_CONTACT,
    SMOOTH,
    TETRAHEDRON,
    TIGHT,
    SoftBodies,
    marked,
    rubber,
    tetrahedron,
)


def test_a_solid_falls(new_scene):
    """13_fem_3d_gravity: as one, also where vertices have a gravity of their own."""
    soft = SoftBodies(new_scene(**NO_CONTACT, **TIGHT))
    soft.add(rubber(tetrahedron()))
    soft.add(rubber(tetrahedron()), at=(3, 0, 0), gravity=np.tile([0.0, 0.0, 10.0], (4, 1)))
    soft.start().run(30)
    np.testing.assert_allclose(soft.x[0], TETRAHEDRON - [0, 0, fallen(30)], atol=1e-7)
    np.testing.assert_allclose(soft.x[1], TETRAHEDRON - [-3, 0, -fallen(30, gravity=10.0)], atol=1e-7)


@pytest.mark.parametrize("is_dynamic", [1, 0])
def test_a_velocity_goes_on_unless_a_body_is_not_dynamic(new_scene, is_dynamic):
    """13_fem_3d_gravity, with a velocity at the start."""
    soft = SoftBodies(new_scene(gravity=ZERO, **NO_CONTACT, **TIGHT))
    soft.add(rubber(tetrahedron()), velocity=np.tile([1.0, 2.0, 3.0], (4, 1)), is_dynamic=is_dynamic)
    soft.start().run(10)
    np.testing.assert_allclose(soft.x[0], TETRAHEDRON + 10 * DT * is_dynamic * np.array([1, 2, 3]), atol=1e-7)


def test_fixed_vertices_hold_a_solid(new_scene):
    """15_fem_3d_fixed_point: it swings about an edge that does not move."""
    soft = SoftBodies(new_scene(**NO_CONTACT, **TIGHT))
    soft.add(rubber(tetrahedron(), 5e4), is_fixed=marked(4, 1, 3))
    soft.start()
    m, heights = soft.bodies[0].mass, []
    for _ in range(25):
        before = soft.x[0]
        soft.run()
        kinetic = 0.5 * m @ np.sum(((soft.x[0] - before) / DT) ** 2, axis=1)
        heights.append(kinetic / G + m @ soft.x[0][:, 2])
    np.testing.assert_array_equal(soft.x[0][[1, 3]], tetrahedron().positions().view()[[1, 3], :, 0])
    assert np.max(heights) <= m @ TETRAHEDRON[:, 2] + 1e-9, "it must not gain energy"
    assert soft.x[0][0, 2] < 0.9


def test_newtons_law_of_a_solid(new_scene):
    """15_fem_3d_fixed_point, 53_fem_mas_single_tet: forces of StableNeoHookean and ARAP are those of their energies."""
    soft = SoftBodies(new_scene(**NO_CONTACT, **TIGHT))
    soft.add(rubber(cube_of_tetrahedra(0.3), 2e4), is_fixed=marked(8, 0), mesh_part=0)
    stiff = cube_of_tetrahedra(0.3)
    ARAP().apply_to(stiff, 2e4)
    soft.add(stiff, at=(1, 0, 0), is_fixed=marked(8, 0))
    soft.start().run_free(12)


def test_a_solid_shrinks_to_its_rest_shape(new_scene):
    """16_fem_3d_scaling: 0.6 times its size, about a centre of mass that stays."""
    soft = SoftBodies(new_scene(gravity=ZERO, **NO_CONTACT, **TIGHT))
    soft.add(rubber(tetrahedron(), nu=0.4), rest=rubber(tetrahedron(0.6 * TETRAHEDRON), nu=0.4))
    soft.start().run(150)
    np.testing.assert_allclose(distances(soft.x[0]), 0.6 * distances(TETRAHEDRON), atol=2e-3)
    np.testing.assert_allclose(soft.x[0].mean(axis=0), TETRAHEDRON.mean(axis=0), atol=1e-7)


def distances(x):
    """Of all vertices (V, 3) from each other, sorted."""
    return np.sort(np.linalg.norm(x[:, None] - x, axis=2).ravel())


FLAT = TETRAHEDRON * 0.3  # its base is in the plane z = 0


def ground_force(x):
    """Of the ground z = 0 on vertices (V, 3) [N], at a resistance of 1 GPa and d̂ = 1 cm."""
    return sum(barrier_force(z) for z in x[:, 2] if z < 0.01)


def momentum_follows_the_ground(soft, steps):
    """The change of momentum is the impulse of the ground and of gravity, in each step."""
    masses = [body.mass for body in soft.bodies]
    total = sum(m.sum() for m in masses)
    history = [soft.x, soft.run().x]
    for _ in range(steps):
        history.append(soft.run().x)
        before, after = momentum(masses, *history[-3:-1]), momentum(masses, *history[-2:])
        force = sum(ground_force(x) for x in soft.x) - G * total
        np.testing.assert_allclose(after - before, [0, 0, DT * force], atol=1e-4 * DT * G * total)


def momentum(masses, x0, x1):
    """Of all bodies in the step from x0 to x1 [kg·m/s]."""
    return sum(m @ (b - a) for m, a, b in zip(masses, x0, x1, strict=True)) / DT


def test_a_solid_on_the_ground(new_scene):
    """14_fem_3d_ground_contact, 54_fem_mas_cube_ground: three vertices carry it, in balance a third of it each."""
    soft = SoftBodies(new_scene(**SMOOTH, **TIGHT))
    soft.scene.add_ground()
    soft.add(rubber(tetrahedron(FLAT), 1e6, density=100.0), at=(0, 0, 0.009))
    soft.start()
    momentum_follows_the_ground(soft, 60)
    x = soft.x[0]
    weight = G * soft.bodies[0].mass.sum()
    assert ground_force(x) == pytest.approx(weight, rel=0.02)
    feet = np.sort(x[:, 2])[:3]
    np.testing.assert_allclose(feet, resting_gap(weight / 3), rtol=0.02)


@pytest.mark.parametrize("d_hat", [0.004, 0.02])
def test_d_hat_of_a_soft_mesh(new_scene, d_hat):
    """41_abd_fem_mesh_d_hat: the same weight, carried within the mesh's own d̂."""
    soft = SoftBodies(new_scene(**SMOOTH))
    soft.scene.add_ground()
    mesh = rubber(tetrahedron(FLAT), 1e6, density=100.0)
    mesh.meta().create("d_hat", d_hat)
    soft.add(mesh, at=(0, 0, 0.9 * d_hat))
    soft.start().run(60)
    expected = resting_gap(G * soft.bodies[0].mass.sum() / 3, d_hat=d_hat)
    np.testing.assert_allclose(np.sort(soft.x[0][:, 2])[:3], expected, rtol=0.05)


def test_solids_of_two_constitutions_on_the_ground(new_scene):
    """17_fem_multi_constituion: one falls on the other; the ground alone changes the momentum of both."""
    soft = SoftBodies(new_scene(**SMOOTH, **TIGHT))
    soft.scene.add_ground()
    soft.add(rubber(tetrahedron(FLAT), 1e5), at=(0, 0, 0.02))
    upper = tetrahedron(FLAT * [1, 1, -1])
    ARAP().apply_to(upper, 1e5)
    soft.add(upper, at=(0.02, 0.01, 0.65))
    soft.start()
    momentum_follows_the_ground(soft, 40)
    assert np.all(np.concatenate(soft.x)[:, 2] > 0.0)


@pytest.mark.parametrize("part", [None, 0], ids=["without parts", "with parts"])
def test_stack_of_stiff_cubes(new_scene, part):
    """55_fem_mas_stiff_stack, 57_fem_mas_two_cubes, 58_fem_mas_hybrid_mix: parts of a mesh are for a preconditioner."""
    soft = SoftBodies(new_scene(**SMOOTH, **TIGHT))
    soft.scene.add_ground()
    for k in range(3):
        values = {} if part is None or k == 1 else {"mesh_part": part}
        soft.add(rubber(cube_of_tetrahedra(0.2), 1e6), at=(0.01 * k, 0.015 * k, 0.109 + 0.209 * k), **values)
    soft.start()
    momentum_follows_the_ground(soft, 12)


def test_without_labels_a_solid_falls_through_the_ground(new_scene):
    """36_no_surf_but_contact_on."""
    soft = SoftBodies(new_scene(**TIGHT))
    soft.scene.add_ground(height=-0.2)
    mesh = rubber(tetrahedron())
    for collection in (mesh.vertices(), mesh.edges(), mesh.triangles()):
        view(collection.find("is_surf"))[:] = 0
    soft.add(mesh)
    soft.start().run(50)
    np.testing.assert_allclose(soft.x[0][:, 2].min(), -fallen(50), atol=1e-6)


def test_external_forces_on_vertices(new_scene):
    """45_finite_element_external_vertex_force: the centre of mass follows what a callback writes, until it is off."""
    soft = SoftBodies(new_scene(gravity=ZERO, **NO_CONTACT, **TIGHT))
    mesh = rubber(cube_of_tetrahedra(0.2))
    FiniteElementExternalForce().apply_to(mesh, np.zeros(3))
    slot = soft.add(mesh)

    def push(geometry, frame):
        view(geometry.vertices().find("external_force"))[:] = np.reshape([0.1 * frame, 0.0, -0.2], (3, 1))
        view(geometry.vertices().find("external_force/is_constrained"))[:] = frame <= 10

    soft.scene.animate(slot, push)
    soft.start().run(20)
    m = soft.bodies[0].mass
    frames = np.arange(1, 21)
    for axis, force in ((0, 0.8 * frames), (1, 0 * frames), (2, -1.6 + 0 * frames)):
        way = travelled(np.where(frames <= 10, force, 0.0) / m.sum())[-1]
        assert m @ soft.x[0][:, axis] / m.sum() == pytest.approx(way, abs=1e-7)


def test_adaptive_resistance_of_soft_bodies(new_scene):
    """50_fem_adaptive_kappa: a point falls on a point that is fixed, with a resistance that nobody gave."""
    soft = SoftBodies(new_scene(resistance=-1.0, **SMOOTH))
    soft.add(rubber(tetrahedron(FLAT), 2e4), is_fixed=1)
    soft.add(rubber(tetrahedron(FLAT * [1, 1, -1]), 2e4), at=(0, 0, 0.61))
    soft.start().run(20)
    tip = np.argmin(soft.x[1][:, 2])
    assert soft.x[1][tip, 2] > 0.3
    np.testing.assert_array_equal(soft.x[0], tetrahedron(FLAT).positions().view()[..., 0])


def test_a_recovered_soft_body_goes_on(new_scene):
    """29_abd_fem_recover: with the same bits, in contact."""
    soft = SoftBodies(new_scene(**SMOOTH))
    soft.scene.add_ground()
    soft.add(rubber(cube_of_tetrahedra(0.2), 2e4), at=(0, 0, 0.115))
    soft.start().run(12)
    assert soft.scene.world.dump()
    end = soft.run(10).x[0]
    assert soft.scene.world.recover(12)
    assert soft.scene.world.frame() == 12
    np.testing.assert_array_equal(soft.run(10).x[0], end)


def test_a_step_may_change_its_length(new_scene):
    """93_dynamic_dt: half the step, from rest a quarter of the way."""
    soft = SoftBodies(new_scene(**NO_CONTACT, **TIGHT))
    soft.add(rubber(tetrahedron()))
    soft.start()
    view(soft.scene.scene.config().find("dt"))[:] = 0.5 * DT
    soft.run(1)
    np.testing.assert_allclose(soft.x[0], TETRAHEDRON - [0, 0, G * DT**2 / 4], atol=1e-8)
