"""Bodies of every kind: solids, shells, rods, and those made from mass properties alone."""

import numpy as np
import pytest
import scipy.integrate
from scipy.spatial.transform import Rotation
from uipc import view
from uipc.constitution import AffineBodyConstitution, AffineBodyRod, AffineBodyShell
from uipc.geometry import label_surface, linemesh, tetmesh
from uipc.geometry import trimesh as uipc_trimesh

from ipc_articulation import affine
from tests.engine.bodies import ProxyScene
from tests.engine.scenes import BoxScene, translation, twist_rate

DT, G = 0.01, 9.8
TIGHT = {"newton__velocity_tol": 1e-3, "newton__transrate_tol": 1e-3, "newton__semi_implicit__enable": 0}


def square(side=0.6):
    h = side / 2
    corners = np.array([[-h, -h, 0], [h, -h, 0], [h, h, 0], [-h, h, 0]])
    return uipc_trimesh(corners, np.array([[0, 1, 2], [0, 2, 3]]))


def bar(length=0.6):
    return linemesh(np.array([[-length / 2, 0, 0], [length / 2, 0, 0]]), np.array([[0, 1]]))


def tetrahedron(size=0.3):
    return tetmesh(size * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]), np.array([[0, 1, 2, 3]]))


def add(scene, mesh, constitution, *arguments, velocity=None):
    label_surface(mesh)
    constitution.apply_to(mesh, 1e8, *arguments)
    if velocity is not None:
        view(mesh.instances().find("velocity"))[0] = velocity
    slot = scene.scene.objects().create(f"body {len(scene.slots)}").geometries().create(mesh)[0]
    scene.slots.append(slot)
    return slot


def test_thin_bodies_have_the_mass_of_their_area_and_length(tmp_path):
    """A thickness r is a radius: a shell is 2r thick, a rod has the cross-section π r²."""
    scene, rho, r = BoxScene(tmp_path, contact__enable=0), 700.0, 0.01
    add(scene, square(0.6), AffineBodyShell(), rho, r)
    add(scene, bar(0.5), AffineBodyRod(), rho, r)
    add(scene, tetrahedron(0.3), AffineBodyConstitution(), rho)
    M = scene.start().masses()
    np.testing.assert_allclose(M[:, 0, 0], rho * np.array([0.36 * 2 * r, 0.5 * np.pi * r**2, 0.3**3 / 6]))
    np.testing.assert_allclose(M[0, 3, 3], M[0, 0, 0] * 0.6**2 / 12)
    np.testing.assert_allclose(M[1, 3, 3], M[1, 0, 0] * 0.5**2 / 12)
    np.testing.assert_allclose(M[0, 5, 5], M[0, 0, 0] * (2 * r) ** 2 / 12)  # across: what keeps it from being singular
    np.testing.assert_allclose(M[1, 5, 5], M[1, 0, 0] * r**2 / 4)


def test_all_bodies_fall_alike(tmp_path):
    scene = BoxScene(tmp_path, contact__enable=0)
    add(scene, square(), AffineBodyShell(), 1000.0, 0.02)
    add(scene, bar(), AffineBodyRod(), 1000.0, 0.02)
    add(scene, square(), AffineBodyShell({"name": "ARAP"}), 1000.0, 1e-4)
    add(scene, bar(), AffineBodyRod({"name": "ARAP"}), 1000.0, 1e-4)
    add(scene, tetrahedron(), AffineBodyConstitution())
    scene.start().run(50)
    np.testing.assert_allclose(scene.q[:, 2], -G * DT**2 * 50 * 51 / 2, rtol=1e-9)
    np.testing.assert_allclose(scene.q[:, 3:], np.tile(np.eye(3).ravel(), (5, 1)), atol=1e-9)


def test_thickness_travels_with_the_surface(tmp_path):
    scene = BoxScene(tmp_path, contact__enable=0)
    add(scene, square(), AffineBodyShell(), 1000.0, 0.02)
    scene.add_box(np.eye(4))
    surfaces = scene.start().engine.cpu.model.surfaces
    np.testing.assert_array_equal(surfaces.thickness, [0.02] * 4 + [0.0] * 8)


@pytest.mark.parametrize("kind", ["shell", "rod"])
def test_thin_body_spins_about_its_middle_axis(tmp_path, kind):
    """Steady rotation keeps its angular momentum to first order in dt."""
    scene = BoxScene(tmp_path, gravity=(0, 0, 0), contact__enable=0, dt=1e-3, **TIGHT)
    mesh, constitution = (square(), AffineBodyShell()) if kind == "shell" else (bar(), AffineBodyRod())
    add(scene, mesh, constitution, 1000.0, 0.02, velocity=twist_rate(np.eye(4), angular=(0, 0, 2.0)))
    scene.start()
    before = scene.angular_momentum()
    scene.run(200)
    np.testing.assert_allclose(scene.angular_momentum(), before, rtol=2e-3)
    _, omega = affine.twist_from_qdot(scene.q[0], scene.qdot[0])
    np.testing.assert_allclose(omega, [0, 0, 2.0], atol=5e-3)


def rigid_rotation(inertia, omega, time):
    """R(t) of a free rigid body by Euler's equations I ω̇ + ω x I ω = 0, integrated to 1e-10."""

    def rate(_, y):
        w = y[4:]
        R = Rotation.from_quat(y[:4])
        turn = R.apply(w)
        x, y_, z, s = y[:4]
        dq = 0.5 * np.array(
            [
                s * turn[0] + turn[1] * z - turn[2] * y_,
                s * turn[1] + turn[2] * x - turn[0] * z,
                s * turn[2] + turn[0] * y_ - turn[1] * x,
                -turn @ y[:3],
            ]
        )
        return np.concatenate([dq, np.cross(inertia * w, w) / inertia])

    start = np.concatenate([[0, 0, 0, 1.0], omega])
    end = scipy.integrate.solve_ivp(rate, (0, time), start, rtol=1e-11, atol=1e-12).y[:, -1]
    return Rotation.from_quat(end[:4]).as_matrix()


@pytest.mark.parametrize("center", [(0.0, 0.0, 0.0), (0.3, -0.2, 0.5)])
def test_body_of_mass_properties_tumbles_like_a_rigid_body(tmp_path, center):
    """Error against Euler's equations goes down with dt; the centre of mass flies its parabola."""
    inertia, omega, c, time = np.array([1.0, 2.0, 2.5]), np.array([1.0, 2.0, 0.5]), np.array(center), 0.5
    errors = []
    for dt in (0.01, 0.005):
        scene = ProxyScene(tmp_path / f"{dt}", gravity=(0, 0, -G), dt=dt, **TIGHT)
        scene.add_proxy(mass=3.0, center=center, inertia=inertia, kappa=1e10, volume=1.0)
        spin = twist_rate(np.eye(4), linear=np.cross(omega, -c), angular=omega)  # centre of mass at rest
        view(scene.slots[0].geometry().instances().find("velocity"))[0] = spin
        n = round(time / dt)
        scene.start().run(n)
        A = affine.linear_part(scene.q[0])
        errors.append(np.abs(A - rigid_rotation(inertia, omega, time)).max())
        fall = [0, 0, -G * dt**2 * n * (n + 1) / 2]
        np.testing.assert_allclose(scene.q[0, :3] + A @ c, c + fall, atol=1e-7)
    assert errors[1] < 0.02
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.15)


def test_explicit_mass_matrix_is_taken_as_it_is(tmp_path):
    scene = BoxScene(tmp_path, contact__enable=0)
    M = affine.mass_matrix_from_inertia(3.0, [0.1, 0.2, 0.3], np.diag([1.0, 2.0, 2.5]))
    mesh = tetrahedron()
    AffineBodyConstitution().apply_to(mesh, 1e8, M, 0.5)
    scene.slots.append(scene.scene.objects().create("body").geometries().create(mesh)[0])
    np.testing.assert_allclose(scene.start().masses()[0], M, atol=1e-12)
    assert scene.engine.cpu.model.context.bodies.volume[0] == 0.5


@pytest.mark.parametrize("inertia", [(0.0, 1.0, 1.0), (0.0, 0.0, 0.0)])
def test_rods_without_thickness_and_point_masses_move(tmp_path, inertia):
    """Their 12x12 mass matrix is singular, but not impossible."""
    scene = ProxyScene(tmp_path, gravity=(0, 0, -G))
    scene.add_proxy(inertia=inertia)
    view(scene.slots[0].geometry().instances().find("velocity"))[0] = twist_rate(np.eye(4), angular=(0, 1.0, 0))
    scene.start().run(20)
    assert scene.q[0, 2] == pytest.approx(-G * DT**2 * 20 * 21 / 2)
    if any(inertia):
        np.testing.assert_allclose(affine.linear_part(scene.q[0])[2, 0], -np.sin(0.2), atol=2e-3)


def mechanical_energy(scene):
    """Kinetic and potential energy [J], the energy of shape included."""
    E = 0.0
    for M, q, qdot in zip(scene.masses(), scene.q, scene.qdot, strict=True):
        E += 0.5 * qdot @ M @ qdot + G * (M[2] @ q)
    energies = scene.engine.statistics.energies if scene.engine.statistics else {}  # at the start: none
    return E + sum(energies.get(name, 0.0) for name in ("ortho potential", "ARAP", "contact")) / DT**2


@pytest.mark.parametrize("constitution", ["OrthoPotential", "ARAP"])
def test_energy_without_friction_never_grows(tmp_path, constitution):
    """Two boxes thrown at each other above the ground, spinning; backward Euler only loses energy."""
    scene = BoxScene(tmp_path, friction=0.0, dt=DT, **TIGHT)
    scene.add_ground()
    T = translation(0, 0, 0.25)
    T[:3, :3] = Rotation.from_rotvec([0.3, 0.2, 0.5]).as_matrix()
    scene.add_box(T, kappa=1e6, velocity=twist_rate(T, linear=(1.0, 0, 0), angular=(3.0, 1.0, 2.0)))
    scene.add_box(translation(0.5, 0.05, 0.3), kappa=1e6, velocity=twist_rate(np.eye(4), linear=(-1.0, 0, 0)))
    for slot in scene.slots:
        AffineBodyConstitution({"name": constitution}).apply_to(slot.geometry(), 1e6)
    scene.start()
    energies = [mechanical_energy(scene)] + [mechanical_energy(scene.run()) for _ in range(80)]
    assert np.diff(energies).max() < 1e-4 * energies[0]
    assert energies[-1] < energies[0]


def test_body_without_surface_beside_contact(tmp_path):
    scene = BoxScene(tmp_path)
    scene.add_ground()
    slot = AffineBodyConstitution().create_proxy(1e8, 1.0, np.zeros(3), np.eye(3), 0.001)
    scene.slots.append(scene.scene.objects().create("ghost").geometries().create(slot)[0])
    scene.add_box(translation(0, 0, 0.12))
    scene.start().run(50)
    assert scene.q[0, 2] == pytest.approx(-G * DT**2 * 50 * 51 / 2)
    assert scene.q[1, 2] > 0.1
