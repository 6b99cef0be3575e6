"""Cases without contact: bodies of every kind fall, are pushed, and keep what mass properties they were given."""

import numpy as np
import pytest
import uipc
from uipc import view
from uipc.constitution import (
    AffineBodyConstitution,
    AffineBodyExternalBodyForce,
    AffineBodyRod,
    AffineBodyShell,
)
from uipc.geometry import affine_body, linemesh, pointcloud
from uipc.geometry import trimesh as uipc_trimesh

from ipc_articulation import affine
from tests.conformance.libuipc.case_scene import (
    DOWN,
    DT,
    EXACT,
    ZERO,
    G,
    fallen,
    mass,
    tetrahedron,
    transforms,
    travelled,
)
from tests.engine.scenes import twist_rate

POINT_UP = [(0, 0, 0.3), (0, 0.3, 0), (-0.26, -0.15, 0), (0.26, -0.15, 0)]
WITHOUT_CONTACT = {"contact__enable": 0}


def square(side=0.6):
    h = side / 2
    corners = np.array([[-h, -h, 0], [h, -h, 0], [h, h, 0], [-h, h, 0]])
    return uipc_trimesh(corners, np.array([[0, 1, 2], [0, 2, 3]]))


def bar(length=0.6):
    x = np.linspace(-length / 2, length / 2, 4)
    return linemesh(np.stack([x, 0 * x, 0 * x], axis=1), np.array([[0, 1], [1, 2], [2, 3]]))


THIN = [(square, AffineBodyShell()), (bar, AffineBodyRod())]


def test_tetrahedra_fall(new_scene):
    """0_abd_gravity: two tetrahedra fall alike and do not turn."""
    scene = new_scene(**WITHOUT_CONTACT)
    scene.add(tetrahedron(POINT_UP), at=(0, 0, 1))
    scene.add(tetrahedron([(x, y, -z) for x, y, z in POINT_UP]))
    scene.start().run(50)
    np.testing.assert_allclose(scene.q[:, :3], [[0, 0, 1 - fallen(50)], [0, 0, -fallen(50)]], atol=1e-9)
    np.testing.assert_allclose(scene.q[:, 3:], [np.eye(3).ravel()] * 2, atol=1e-9)


def test_gravity_of_an_instance(new_scene):
    """32_different_gravity: an instance with a gravity of its own beside one that has the scene's."""
    scene = new_scene(**WITHOUT_CONTACT)
    scene.add(
        tetrahedron(POINT_UP), extras=[lambda mesh: mesh.instances().create("gravity", np.array([0.0, 0.0, 10.0]))]
    )
    scene.add(tetrahedron(POINT_UP), at=(1, 0, 0))
    scene.start().run(50)
    np.testing.assert_allclose(scene.q[:, 2], [fallen(50, gravity=10.0), -fallen(50)], atol=1e-9)


@pytest.mark.parametrize(("mesh", "constitution"), THIN, ids=["63_abd_codim_shell_gravity", "64_abd_codim_rod_gravity"])
def test_thin_bodies_fall(new_scene, mesh, constitution):
    """63_abd_codim_shell_gravity, 64_abd_codim_rod_gravity: of two instances one is fixed and stays."""
    scene = new_scene(**WITHOUT_CONTACT)
    flags = {"is_fixed": [0, 1]}
    slot = scene.add(mesh(), at=[(0, 0, 1), (1.5, 0, 1)], constitution=constitution, arguments=(1000.0, 0.01), **flags)
    scene.start().run(50)
    np.testing.assert_allclose(transforms(slot)[:, :3, 3], [[0, 0, 1 - fallen(50)], [1.5, 0, 1]], atol=1e-9)
    np.testing.assert_allclose(transforms(slot)[:, :3, :3], [np.eye(3)] * 2, atol=1e-9)


def test_solid_shell_and_rod_fall_alike(new_scene):
    """66_abd_codim_galileo: whatever they are made of."""
    scene = new_scene(**WITHOUT_CONTACT)
    scene.add(tetrahedron(POINT_UP), at=(-1.5, 0, 1), arguments=(300.0,))
    for x, (mesh, constitution) in zip((0.0, 1.5), THIN, strict=True):
        scene.add(mesh(), at=(x, 0, 1), constitution=constitution, arguments=(2000.0, 0.02))
    scene.start().run(20)
    np.testing.assert_allclose(scene.q[:, 2], 1 - fallen(20), atol=1e-9)


def test_body_from_rigid_body_falls(new_scene):
    """69_affine_body_from_rigid_body: mass properties, and no geometry at all."""
    scene = new_scene(**WITHOUT_CONTACT)
    M = affine_body.from_rigid_body(1000.0, np.zeros(3), np.eye(3) * 1000.0 / 6)
    scene.add(pointcloud(np.zeros((0, 3))), at=(0, 0, 3), arguments=(M, 1.0))
    scene.start().run()
    assert scene.q[0, 2] == pytest.approx(3 - G * DT**2, abs=1e-12)
    assert scene.run(19).q[0, 2] == pytest.approx(3 - fallen(20), abs=1e-9)


def test_mass_properties(new_scene):
    """75_abd_mass_properties: of a tetrahedron by the textbook, and as given; the body falls by them."""
    scene = new_scene()
    points = np.array(POINT_UP)
    slot = scene.add(tetrahedron(points), at=(0, 0, 1))
    x = points - points.mean(axis=0)
    m = 1000.0 * abs(np.linalg.det(x[1:] - x[0])) / 6
    moments = m / 20 * x.T @ x  # ∫ρ x xᵀ of a tetrahedron whose centroid is the origin
    assert mass(slot) == pytest.approx(m, rel=1e-12)
    meta = slot.geometry().meta()
    np.testing.assert_allclose(np.ravel(meta.find("mass_center").view()), 0.0, atol=1e-12)
    np.testing.assert_allclose(
        meta.find("inertia").view()[0], np.trace(moments) * np.eye(3) - moments, rtol=1e-9, atol=1e-12
    )
    center, inertia = np.array([0.1, 0.2, 0.3]), 0.01 * np.eye(3)
    given = scene.add(
        tetrahedron(points), at=(1, 0, 1), arguments=(affine_body.from_rigid_body(5.0, center, inertia), 0.001)
    )
    meta = given.geometry().meta()
    assert mass(given) == pytest.approx(5.0)
    np.testing.assert_allclose(np.ravel(meta.find("mass_center").view()), center, rtol=1e-10)
    np.testing.assert_allclose(meta.find("inertia").view()[0], inertia, atol=1e-10)
    scene.start().run(3)
    assert scene.q[0, 2] == pytest.approx(1 - fallen(3), abs=1e-9)


def test_proxy_moves_like_the_body_it_stands_for(new_scene):
    """84_proxy_abd_gravity: it has no geometry, but falls and tumbles alike."""
    scene = new_scene(**WITHOUT_CONTACT, **EXACT)
    velocity = twist_rate(np.eye(4), linear=(0.5, 0, 1), angular=(3, 2, 1))
    slot = scene.add_box(np.eye(4), size=(0.1, 0.2, 0.3), velocity=velocity)
    meta = slot.geometry().meta()
    properties = [np.array(meta.find(name).view()[0]) for name in ("mass", "mass_center", "inertia", "volume")]
    m, center, inertia, volume = properties
    proxy = AffineBodyConstitution().create_proxy(1e8, float(m), center.ravel(), inertia, float(volume))
    view(proxy.instances().find("velocity"))[0] = velocity
    scene.slots.append(scene.scene.objects().create("proxy").geometries().create(proxy)[0])
    scene.start().run(25)
    np.testing.assert_allclose(scene.q[1], scene.q[0], atol=1e-9)
    assert np.abs(scene.q[0, 3:] - np.eye(3).ravel()).max() > 0.3, "it must have turned"


def test_external_force_that_turns_round(new_scene):
    """44_affine_body_external_body_force: a force on a circle, written by a callback; velocity is its sum over mass."""
    scene = new_scene(gravity=ZERO)
    slot = scene.add_box(np.eye(4))
    AffineBodyExternalBodyForce().apply_to(slot.geometry(), np.zeros(3))
    angle = 0.2 * np.arange(1, 61)
    force = 10.0 * np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)

    def write(geometry, frame):
        view(geometry.instances().find("external_force"))[0, :3, 0] = force[frame - 1]

    scene.animate(slot, write)
    scene.start().run(60)
    way = np.stack([travelled(f / mass(slot)) for f in force.T], axis=1)
    np.testing.assert_allclose(scene.q[0, :3], way[-1], atol=1e-9)


def test_external_torque_spins(new_scene):
    """44_affine_body_external_body_force: the affine part of a generalised force turns the body, Iω̇ = τ."""
    scene = new_scene(gravity=ZERO, **EXACT)
    slot = scene.add_box(np.eye(4))
    torque = 0.02  # [N·m] about +z: ½[τ]ₓ by rows
    AffineBodyExternalBodyForce().apply_to(
        slot.geometry(), np.array([0, 0, 0, 0, -torque / 2, 0, torque / 2, 0, 0, 0, 0, 0])
    )
    spin = scene.start().run(19).spins()[0]
    np.testing.assert_allclose(spin, [0, 0, torque / (mass(slot) * 0.2**2 / 6) * 20 * DT], rtol=2e-3, atol=1e-9)


def test_time_step_that_changes(new_scene):
    """93_dynamic_dt: from dt on a body falls by v dt with v = -g (sum of all dt)."""
    scene = new_scene(dt=0.005, **WITHOUT_CONTACT)
    scene.add(tetrahedron(POINT_UP), at=(0, 0, 2))
    scene.start().run()
    first = 2 - scene.q[0, 2]
    assert first == pytest.approx(G * 0.005**2, rel=1e-9)
    view(scene.scene.config().find("dt"))[0] = 0.01
    assert 2 - first - scene.run().q[0, 2] == pytest.approx(G * 0.015 * 0.01, rel=1e-9)


def test_transform_written_between_steps(new_scene):
    """43_abd_fem_state_access: back to the start with the velocity of now, from where the parabola goes on."""
    scene = new_scene()
    slot = scene.add_box(np.eye(4))
    scene.start().run(40)
    accessor = scene.engine.state_accessor
    state = accessor.create_geometry()
    assert accessor.body_count() == slot.geometry().instances().size()
    assert state.instances().find("transform") is None
    state.instances().create("transform", uipc.Matrix4x4.Identity())
    accessor.copy_to(state)
    np.testing.assert_allclose(state.instances().find("transform").view(), transforms(slot), atol=1e-12)
    view(state.instances().find("transform"))[0] = np.eye(4)
    accessor.copy_from(state)
    assert scene.run(10).q[0, 2] == pytest.approx(-(fallen(50) - fallen(40)), abs=1e-9)


def test_recovered_run_goes_on(new_scene):
    """29_abd_fem_recover: a dump in mid-air; the world that recovers it falls on as if nothing had been."""
    scene = new_scene(**WITHOUT_CONTACT)
    slot = scene.add_box(np.eye(4), velocity=twist_rate(np.eye(4), linear=(1, 0, 0), angular=(0, 0, 2.0)))
    scene.start().run(20)
    assert scene.world.dump()
    end = scene.run(15).q
    assert end[0, 2] == pytest.approx(-fallen(35), abs=1e-9)
    assert scene.world.recover(20)
    assert scene.world.frame() == 20
    np.testing.assert_array_equal(scene.run(15).q, end)
    np.testing.assert_allclose(transforms(slot)[0, :3, 3], [0.35, 0, -fallen(35)], atol=1e-9)
    assert affine.linear_part(end[0])[1, 0] > 0.5


def test_body_without_surface_where_contact_is_on(new_scene):
    """36_no_surf_but_contact_on: nothing can touch it; it falls past the ground."""
    scene = new_scene(gravity=DOWN)
    scene.add_ground(height=-0.5)
    mesh = uipc_trimesh(np.array(POINT_UP, dtype=float), np.array([[0, 2, 3], [0, 3, 1], [0, 1, 2], [1, 3, 2]]))
    scene.add(mesh)
    scene.start().run(50)
    assert scene.q[0, 2] == pytest.approx(-fallen(50), abs=1e-9)
