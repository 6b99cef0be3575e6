"""Soft bodies on the CPU engine: motion, contact, rest, dumps."""

import numpy as np
import pytest
from uipc import view
from uipc.constitution import FiniteElementExternalForce, SoftPositionConstraint, StrainPlasticDiscreteShellBending

from ipc_articulation.compiled import compiled
from ipc_articulation.engine.newton import direction, newton, stages
from ipc_articulation.engine.newton.newton_report import NewtonResult
from ipc_articulation.errors import SceneError
from tests.engine.parts import core_of, look_around
from tests.engine.soft.soft_scenes import (
    SoftScene,
    ball,
    block,
    cloth,
    cloth_mesh,
    moved,
    particles,
    rod,
    vertices,
)

G = np.array([0.0, 0.0, -9.8])
KINDS = {
    "solid": lambda: block(1),
    "shell": lambda: cloth(3),
    "rod": lambda: rod(np.stack([np.linspace(0, 1, 6), np.zeros(6), np.zeros(6)], axis=1)),
    "particles": lambda: particles(np.random.default_rng(0).normal(size=(7, 3))),
}
kinds = pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
DT = 0.01


@kinds
@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
def test_bodies_fall_freely(tmp_path, make, integrator):
    """All vertices alike: nothing deforms, and velocities are exact."""
    scene = SoftScene(tmp_path, integrator__type=integrator)
    mesh = make()
    scene.add_soft(vertices(mesh, velocity=np.tile([0.1, 0.2, 0.3], (mesh.vertices().size(), 1))))
    scene.start()
    before = scene.x()
    scene.run(20)
    speed = np.array([0.1, 0.2, 0.3]) + 20 * DT * G
    late = 0.0 if integrator == "bdf1" else 0.5 * DT * 9.8  # as in libuipc, BDF2's start is late by half a step
    np.testing.assert_allclose(
        scene.v(), np.tile(speed + np.array([0.0, 0.0, late]), (len(before), 1)), atol=1e-3 * late + 1e-9
    )
    shift = (scene.x() - before).mean(axis=0)
    np.testing.assert_allclose(scene.x() - before, np.tile(shift, (len(before), 1)), atol=1e-10)
    if integrator == "bdf1":
        steps = np.arange(1, 21)
        exact = 20 * DT * np.array([0.1, 0.2, 0.3]) + DT**2 * steps.sum() * G
        np.testing.assert_allclose(shift, exact, rtol=1e-9)


@pytest.mark.parametrize("make", [KINDS["solid"], KINDS["shell"], KINDS["rod"]])
def test_internal_forces_keep_momentum_and_energy_does_not_grow(tmp_path, make):
    mesh, rng = make(), np.random.default_rng(1)
    scene = SoftScene(tmp_path, gravity=(0, 0, 0), contact__enable=False, newton__velocity_tol=1e-4)
    v = 0.3 * rng.normal(size=(mesh.vertices().size(), 3))
    scene.add_soft(vertices(mesh, velocity=v))
    scene.start()
    mass = scene.engine.cpu.model.context.bodies.soft.bodies[0].mass
    x0, energy = scene.x(), []
    for _ in range(30):
        before = scene.v()
        scene.run()
        kinetic = 0.5 * np.sum(mass[:, None] * scene.v() ** 2)
        energy.append(kinetic + scene.report.energies["elasticity"] / DT**2)
        np.testing.assert_allclose(mass @ scene.v(), mass @ before, atol=1e-8)
    spin = np.sum(mass[:, None] * np.cross(scene.x(), scene.v()), axis=0)
    at_start = np.sum(mass[:, None] * np.cross(x0, v), axis=0)
    assert np.linalg.norm(spin - at_start) < 0.3 * np.linalg.norm(at_start)  # backward Euler damps turns
    assert np.all(np.diff(energy) < 1e-9 * abs(energy[0]))


def test_a_block_rests_on_the_ground_with_its_weight(tmp_path):
    scene = SoftScene(tmp_path, friction=0.5, resistance=1e8)
    scene.add_soft(moved(block(2), 0, 0, 0.101))
    scene.add_ground()
    scene.start().run(150)
    contacts = scene.report.contacts
    mass = scene.engine.cpu.model.context.bodies.soft.bodies[0].mass.sum()
    assert np.abs(scene.v()).max() < 2e-3
    assert contacts.forces.sum(axis=0)[2] == pytest.approx(9.8 * mass, rel=2e-3)
    assert 0.0 < scene.report.minimum_distance < 0.002


def test_solids_of_all_kinds_stack(tmp_path):
    """Soft on rigid on soft: nothing passes, all rest."""
    scene = SoftScene(tmp_path, friction=0.5, resistance=1e8)
    transform = np.eye(4)
    transform[2, 3] = 0.303
    scene.add_soft(moved(block(2), 0, 0, 0.101))
    scene.add_box(transform)
    scene.add_soft(moved(block(1), 0.01, 0.02, 0.505))
    scene.add_ground()
    scene.start()
    for _ in range(60):
        scene.run()
        assert scene.report.result in (NewtonResult.CONVERGED, NewtonResult.SEMI_IMPLICIT)
        assert scene.report.minimum_distance > 0.0
    for which, height in ((0, 0.1), (1, 0.5)):
        middle = scene.x(which).mean(axis=0)
        assert abs(middle[2] - height) < 0.02
        assert np.linalg.norm(middle[:2]) < 0.05
    assert abs(scene.q[0, 2] - 0.3) < 0.02


def iterations_of_cloths(workspace):
    """Of two cloths that fall onto each other and onto the ground, with three resistances."""
    count = 0
    for resistance in (1e8, 1e9, 1e10):
        scene = SoftScene(workspace / f"{resistance:g}", friction=0.3, resistance=resistance)
        scene.add_soft(moved(cloth(8), 0, 0, 0.01))
        scene.add_soft(moved(cloth(8, 0.5), 0.05, 0.02, 0.02))
        scene.add_ground()
        scene.start()
        count += sum(scene.run().report.newton.iterations for _ in range(12))
    return count


@compiled
def forget(work):
    """Let nothing be foreseen."""
    work.now.stencils.foreseen[:] = np.nan


def test_forces_that_are_foreseen_save_iterations(tmp_path, monkeypatch):
    usual, decide = iterations_of_cloths(tmp_path / "usual"), stages.decide
    monkeypatch.setattr(stages, "decide", lambda work, *how: (forget(work), decide(work, *how))[1])
    assert usual < iterations_of_cloths(tmp_path / "without")


def cloth_on_ball(workspace, **settings):
    scene = SoftScene(workspace, friction=0.3, resistance=1e8, **settings)
    scene.add_soft(moved(cloth(8), 0, 0, 0.23), "cloth")
    points, faces = ball()
    import trimesh

    scene.add_mesh(trimesh.Trimesh(points, faces, process=False), np.eye(4), is_fixed=1)
    return scene.start()


def intersects(scene, which, points, faces):
    """Whether a cloth intersects itself or a mesh, by ipctk."""
    import ipctk

    topo = scene.soft[which].geometry().triangles().topo().view()[:, :, 0]
    x = np.concatenate([scene.x(which), points])
    all_faces = np.concatenate([topo, faces + len(scene.x(which))]).astype(np.int32)
    mesh = ipctk.CollisionMesh(np.asfortranarray(x), ipctk.edges(all_faces), np.asfortranarray(all_faces))
    return ipctk.has_intersections(mesh, np.asfortranarray(x))


@pytest.mark.slow
def test_cloth_falls_over_a_ball(tmp_path):
    scene = cloth_on_ball(tmp_path)
    for _ in range(60):
        scene.run()
        assert scene.report.result in (NewtonResult.CONVERGED, NewtonResult.SEMI_IMPLICIT)
        assert not intersects(scene, 0, *ball())
    x = scene.x()
    assert x[:, 2].min() < 0.05
    assert x[:, 2].max() > 0.199
    assert np.linalg.norm(x, axis=1).min() > 0.19


@pytest.mark.slow
def test_runs_have_the_same_bits_also_after_recovery(tmp_path):
    first = cloth_on_ball(tmp_path / "first").run(40)
    second = cloth_on_ball(tmp_path / "second").run(25)
    second.world.dump()
    third = cloth_on_ball(tmp_path / "second")
    assert third.world.recover(25)
    third.run(15)
    second.run(15)
    for other in (second, third):
        assert first.x().tobytes() == other.x().tobytes()
        assert first.v().tobytes() == other.v().tobytes()


@pytest.mark.slow
def test_cloth_folds_onto_itself_and_does_not_pass_through(tmp_path):
    """Two layers of one cloth: the upper half lies above the lower one."""
    scene = SoftScene(tmp_path, friction=0.2, resistance=1e8)
    mesh = cloth(10, 0.4, bending=1e-4)
    x = mesh.positions().view()[:, :, 0].copy()
    angle = np.pi * 0.9 * np.clip((x[:, 0] + 0.05) / 0.1, 0.0, 1.0)
    bent = np.where(x[:, :1] < -0.05, x, 0.0)
    along = np.clip(x[:, 0] + 0.05, 0.0, 0.1)
    radius = 0.1 / (0.9 * np.pi)
    curve = np.stack([-0.05 + radius * np.sin(angle), x[:, 1], radius * (1 - np.cos(angle))], axis=1)
    beyond = np.clip(x[:, 0] - 0.05, 0.0, None)
    curve[:, 0] += beyond * np.cos(0.9 * np.pi)
    curve[:, 2] += beyond * np.sin(0.9 * np.pi)
    placed = np.where(x[:, :1] < -0.05, bent, curve) + np.array([0, 0, 0.003])
    assert along.max() > 0.0
    view(mesh.positions())[:] = placed[:, :, None]
    scene.add_soft(mesh)
    scene.add_ground()
    scene.start()
    for _ in range(60):
        scene.run()
        assert not intersects(scene, 0, np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int32))
    assert scene.report.collisions > 10
    assert scene.x()[:, 2].max() < 0.1


def test_fixed_vertices_stay_to_the_last_bit_and_the_cloth_hangs(tmp_path):
    scene = SoftScene(tmp_path, contact__enable=False)
    mesh = cloth(6)
    edge = mesh.positions().view()[:, 0, 0] < -0.29
    scene.add_soft(vertices(mesh, is_fixed=edge.astype(np.int32)))
    scene.start()
    before = scene.x()
    for _ in range(80):
        scene.run()
        assert scene.report.result in (NewtonResult.CONVERGED, NewtonResult.SEMI_IMPLICIT)
    assert scene.x()[edge].tobytes() == before[edge].tobytes()
    assert scene.x()[~edge, 2].min() < -0.15


def test_vertices_are_pulled_to_their_aims_and_pushed_by_forces(tmp_path):
    scene = SoftScene(tmp_path, gravity=(0, 0, 0), contact__enable=False)
    mesh, force = block(1), np.array([3.0, 0.0, 0.0])
    SoftPositionConstraint().apply_to(mesh, 100.0)
    FiniteElementExternalForce().apply_to(mesh, force)
    aim = mesh.positions().view()[0, :, 0] + [0.0, 0.0, 0.05]
    on = np.zeros(8, dtype=np.int32)
    on[0] = 1
    vertices(mesh, is_constrained=on, aim_position=np.tile(aim, (8, 1)))
    scene.add_soft(mesh)
    scene.start().run()
    m = scene.engine.cpu.model.context.bodies.soft.bodies[0].mass
    assert scene.x()[0] == pytest.approx(aim, abs=0.01)
    pull = 100.0 * m[0] * (aim - scene.x()[0]) / DT**2
    np.testing.assert_allclose(m @ scene.v() / DT, 8 * force + pull, rtol=1e-6)


def test_creases_stay(tmp_path):
    """A plastic strip that was bent does not go back to flat; an elastic one does."""
    ends = []
    for yields_at in (0.05, 1e9):
        scene = SoftScene(tmp_path / str(yields_at), gravity=(0, 0, 0), contact__enable=False)
        mesh = cloth_mesh(4, 0.4)
        from uipc.constitution import ElasticModuli2D, NeoHookeanShell

        NeoHookeanShell().apply_to(mesh, ElasticModuli2D.youngs_poisson(1e5, 0.4), 200.0, 5e-4)
        StrainPlasticDiscreteShellBending().apply_to(mesh, 1e-2, yields_at, 0.0)
        SoftPositionConstraint().apply_to(mesh, 100.0)
        x = mesh.positions().view()[:, :, 0]
        fold = np.where(x[:, :1] > 0.0, x * [0.5, 1, 0] + np.abs(x[:, :1]) * [0, 0, 0.85], x)
        vertices(mesh, is_constrained=np.ones(len(x), dtype=np.int32), aim_position=fold)
        slot = scene.add_soft(mesh)
        scene.start().run(30)
        assert scene.x()[:, 2].max() > 0.15
        view(slot.geometry().vertices().find("is_constrained"))[:] = 0
        scene.run(150)
        normals = np.linalg.svd(scene.x() - scene.x().mean(axis=0))[2][2]
        ends.append(np.abs((scene.x() - scene.x().mean(axis=0)) @ normals).max())
    assert ends[0] > 0.03
    assert ends[1] < 0.01


def test_bodies_come_and_go_between_steps(tmp_path):
    scene = SoftScene(tmp_path)
    scene.add_soft(moved(block(1), 0, 0, 2.0))
    scene.start().run(5)
    object_of_second = scene.scene.objects().create("second")
    scene.soft.append(object_of_second.geometries().create(moved(cloth(2), 1, 0, 2.0))[0])
    scene.run(5)
    np.testing.assert_allclose(scene.v(0), np.tile(10 * DT * G, (8, 1)), rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(scene.v(1)[:, 2], 5 * DT * G[2], rtol=1e-8)
    scene.scene.objects().destroy(object_of_second.id())
    scene.run(5)
    np.testing.assert_allclose(scene.v(0), np.tile(15 * DT * G, (8, 1)), rtol=1e-8, atol=1e-9)


def test_gravity_of_single_vertices(tmp_path):
    scene = SoftScene(tmp_path)
    own = np.tile(G, (5, 1))
    own[2] = [1.0, 0.0, 0.0]
    mesh = particles(np.arange(15.0).reshape(5, 3))
    scene.add_soft(vertices(mesh, gravity=own))
    scene.start().run(3)
    np.testing.assert_allclose(scene.v(), 3 * DT * own, rtol=1e-9, atol=1e-11)


def test_bodies_that_intersect_at_the_start_are_refused(tmp_path):
    scene = SoftScene(tmp_path)
    scene.add_soft(block(1), "first")
    scene.add_soft(moved(block(1), 0.15, 0.02, 0.03), "second")
    with pytest.raises(SceneError, match="'first' and 'second' intersect at the start"):
        scene.start()
    cube = SoftScene(tmp_path)
    cube.add_soft(moved(cloth(3), 0, 0, 0.02), "cloth")
    cube.add_box(np.eye(4))
    with pytest.raises(SceneError, match=r"'(box 0|cloth)' and '(cloth|box 0)' intersect at the start"):
        cube.start()


@pytest.mark.parametrize("mass_density", [50.0, 5000.0])
def test_resistance_by_load_gives_gaps_that_are_a_share_of_d_hat(tmp_path, mass_density):
    scene = SoftScene(tmp_path, resistance=None, friction=0.5)
    scene.add_soft(moved(block(2, young=1e6, density=mass_density), 0, 0, 0.101))
    scene.add_ground()
    scene.start(resistance="load").run(100)
    assert 0.2 * 0.002 < scene.report.minimum_distance < 0.9 * 0.002


def test_light_particles_that_lie_have_their_forces_in_balance(tmp_path):
    """They weigh 0.3 mN, and lie at the edge of d̂, where steps of a hundredth of d̂ bring forces of 300 weights."""
    rng = np.random.default_rng(0)
    grid = np.stack(np.meshgrid(*[6e-3 * np.arange(3)] * 2, 6e-3 * np.arange(2) + 5e-3), axis=-1).reshape(-1, 3)
    scene = SoftScene(tmp_path, newton__semi_implicit__enable=0)
    scene.add_ground()
    scene.add_soft(particles(grid + rng.uniform(-5e-4, 5e-4, grid.shape), radius=2e-3))
    scene.start()
    weight, left = 1000.0 * 4.0 / 3.0 * np.pi * 2e-3**3 * 9.8 * DT**2, []
    for _ in range(12):
        scene.run(1)
        assert scene.report.newton.result is NewtonResult.CONVERGED
        core = core_of(scene)
        look_around(core)
        newton._assemble(core)
        left.append(np.abs(direction.gradient(core.work)).max() / weight)
    assert max(left) < 0.05
