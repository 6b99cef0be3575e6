"""Bodies that have come to rest sleep: not a bit of them changes, and Newton has nothing to do, until something wakes
them.
"""

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation
from uipc import Matrix4x4, view
from uipc.constitution import AffineBodyExternalBodyForce

from ipc_articulation.compiled import compiled
from ipc_articulation.engine.newton import line_search, stages
from ipc_articulation.engine.newton.core import Core
from ipc_articulation.engine.newton.newton_report import NewtonResult
from ipc_articulation.engine.workspace import make_workspace
from tests.engine.joints import TIGHT, add_hinge
from tests.engine.random_scenes import RandomScene
from tests.engine.scenes import BoxScene, translation, twist_rate

G = 9.8


def bits(scene):
    return [values.tobytes() for values in scene.engine.cpu.state]


def iterations(scene):
    return scene.run().engine.statistics.newton.iterations


def sleeps(scene, steps=3):
    """Whether steps change nothing at all and cost no Newton iteration."""
    before = bits(scene)
    return all(iterations(scene) == 0 and bits(scene) == before for _ in range(steps))


def settle(scene, limit=300):
    """Run until all sleep."""
    for _ in range(limit):
        if iterations(scene) == 0:
            return scene
    raise AssertionError(f"still awake after {limit} steps; velocities up to {np.abs(scene.qdot).max():g}")


def resting(workspace, **config):
    scene = BoxScene(workspace, **config)
    scene.add_ground()
    scene.add_box(translation(0, 0, 0.12))
    return scene


@pytest.fixture(params=["bdf1", "bdf2"])
def asleep(tmp_path, request):
    """A box that has fallen on the ground."""
    return settle(resting(tmp_path, integrator__type=request.param).start())


def write_state(scene, body, **values):
    geometry = scene.engine.state_accessor.create_geometry(body, 1)
    for name in ("transform", "velocity"):
        geometry.instances().create(name, Matrix4x4.Identity())
    scene.engine.state_accessor.copy_to(geometry)
    for name, value in values.items():
        view(geometry.instances().find(name))[0] = value
    scene.engine.state_accessor.copy_from(geometry)
    return scene


def test_a_box_on_the_ground_falls_asleep_in_balance(asleep):
    assert sleeps(asleep, 20)
    assert np.abs(asleep.qdot).max() < 1e-12
    gap = asleep.engine.statistics.minimum_distance
    assert 0.0 < gap < 0.01
    write_state(asleep, 0)
    assert iterations(asleep) > 0
    assert np.abs(asleep.qdot).max() < 1e-6, "it was in balance"


def test_a_pile_falls_asleep(tmp_path):
    """Boxes exactly above each other: any others creep, for friction gives way below eps_velocity."""
    scene = BoxScene(tmp_path)
    scene.add_ground()
    for k in range(3):
        scene.add_box(translation(0, 0, 0.11 + 0.22 * k))
    assert sleeps(settle(scene.start()))


def test_what_falls_wakes_what_it_hits_and_nobody_else(tmp_path):
    scene = resting(tmp_path)
    scene.add_box(translation(3, 0, 0.12))
    scene.add_box(translation(0.05, 0, 2.0))
    scene.start().run(40)
    before = scene.q
    while scene.q[2, 2] > 0.5:
        scene.run()
        np.testing.assert_array_equal(scene.q[:2], before[:2])
    scene.run(30)
    assert np.abs(scene.q[0] - before[0]).max() > 1e-5
    np.testing.assert_array_equal(scene.q[1], before[1])
    assert scene.minimum_distance() > 0.0


def test_what_is_hit_in_a_step_wakes_in_that_step(tmp_path):
    """A box at 20 m/s comes from afar within one step; all goes as if nobody had slept."""
    scene, awake = (resting(tmp_path, newton__semi_implicit__enable=0, **TIGHT) for _ in range(2))
    for each in (scene, awake):
        each.add_box(translation(0.03, 0.02, 3.0))
        each.start().run(40)
        above = translation(0.03, 0.02, 0.7)
        write_state(each, 1, transform=above, velocity=twist_rate(above, linear=(0, 0, -20.0)))
    before = scene.run().q[0]
    awake.run()
    for _ in range(4):
        scene.run()
        wake(awake.engine.cpu)
        np.testing.assert_allclose(scene.q, awake.run().q, rtol=0.0, atol=1e-7)
    assert np.abs(scene.q[0] - before).max() > 1e-3


def test_slow_motion_is_not_rest(tmp_path):
    scene = BoxScene(tmp_path, gravity=(0, 0, 0))
    scene.add_box(np.eye(4), velocity=twist_rate(np.eye(4), linear=(1e-9, 0, 0)))
    scene.start().run(50)
    assert scene.q[0, 0] == pytest.approx(0.5e-9, rel=1e-3)


def test_where_all_sleep_a_step_begins_nothing(asleep, monkeypatch):
    begun, begin = [], Core.begin_step
    monkeypatch.setattr(Core, "begin_step", lambda *given: (begun.append(1), begin(*given)))
    asleep.run(20)
    assert len(begun) <= 1
    view(asleep.scene.config().find("dt"))[0] = 0.005
    asleep.run(1)
    assert begun
    begun.clear()
    write_state(settle(asleep), 0, velocity=twist_rate(np.eye(4), linear=(1.0, 0, 0)))
    assert iterations(asleep) > 0


def test_another_dt_wakes(asleep):
    view(asleep.scene.config().find("dt"))[0] = 0.005
    assert iterations(asleep) > 0
    assert sleeps(settle(asleep))
    view(asleep.scene.config().find("dt"))[0] = 0.01
    assert iterations(asleep) > 0


def test_a_body_that_is_put_into_the_air_falls(asleep):
    write_state(asleep, 0, transform=translation(0, 0, 1.0), velocity=np.zeros((4, 4)))
    assert iterations(asleep) > 0
    share = 1.0 if asleep.engine.cpu.model.config.integrator == "bdf1" else 4.0 / 9.0
    assert asleep.q[0, 2] == pytest.approx(1.0 - share * G * 1e-4, abs=1e-12)
    asleep.run(10)
    assert asleep.q[0, 2] < 0.97


def test_a_push_wakes(asleep):
    write_state(asleep, 0, velocity=twist_rate(np.eye(4), linear=(1.0, 0, 0)))
    assert iterations(asleep) > 0
    assert asleep.q[0, 0] > 0.001
    assert sleeps(settle(asleep))


def test_a_state_that_is_put_back_goes_on_as_before(asleep):
    before, transform = asleep.q, asleep.slots[0].geometry().transforms().view()[0].copy()
    write_state(asleep, 0, transform=translation(0, 0, 1.0))
    write_state(asleep, 0, transform=transform)
    asleep.run(5)
    np.testing.assert_allclose(asleep.q, before, atol=1e-9)


def test_a_force_wakes(tmp_path):
    """An animator switches it on long after the body has come to rest; one that is off lets it rest."""
    scene = resting(tmp_path, friction=0.1)
    AffineBodyExternalBodyForce().apply_to(scene.slots[0].geometry(), np.zeros(12), True)

    def push(info):
        force = view(info.geo_slots()[0].geometry().instances().find("external_force"))
        force[0] = 0.0
        force[0, 0] = 100.0 * (info.frame() > 200)

    scene.scene.animator().insert(scene.scene.objects().find(1), push)
    before = scene.start().run(190).q
    np.testing.assert_array_equal(scene.run(10).q, before)
    assert scene.run(1).q[0, 0] == pytest.approx((100.0 / 8.0 - 0.1 * G) * 1e-4, rel=0.05)


def test_an_object_that_comes_into_the_scene_wakes_what_it_hits(asleep):
    before = asleep.q
    asleep.add_box(translation(0.05, 0, 0.5))
    asleep.run(60)
    assert np.abs(asleep.q[0] - before[0]).max() > 1e-5
    assert asleep.minimum_distance() > 0.0


def test_support_that_is_taken_away(tmp_path):
    """A box sleeps on another one; when that is destroyed it falls."""
    scene = resting(tmp_path)
    scene.add_box(translation(0, 0, 0.34))
    settle(scene.start())
    top = scene.q[1]
    scene.scene.objects().destroy(1)
    scene.slots.pop(0)
    scene.run()
    assert scene.q[0, 2] == pytest.approx(top[2] - G * 1e-4, abs=1e-9)


def wake(cpu):
    """Forget who rested."""
    cpu._now = cpu._now._replace(rested=None)


def forget(scene):
    """Forget what a recovered run would not know: who rested, and all that a core keeps of the steps before."""
    cpu = scene.engine.cpu
    wake(cpu)
    cpu.workspace = make_workspace(cpu.model, "once more")


@pytest.mark.parametrize("x", [0.0, 1000.0])
def test_small_steps_in_a_wide_scene_are_not_rest(tmp_path, x):
    """After n steps from rest v = -n g dt, though the first step is less than the rounding of 1 km."""
    scene = BoxScene(tmp_path, dt=1e-6)
    scene.add_box(translation(x, 0, 5))
    scene.add_box(translation(1000.0 - x, 0, 9), is_fixed=1)
    scene.start().run(100)
    assert scene.qdot[0, 2] == pytest.approx(-100 * G * 1e-6, rel=1e-2)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "steps"), [(13, 20), (21, 30), (31, 20)])
def test_bits_do_not_depend_on_what_a_dump_does_not_hold(tmp_path, seed, steps):
    scene, forgetful = (RandomScene(seed, tmp_path).start() for _ in range(2))
    for _ in range(steps):
        scene.run()
        forget(forgetful)
        forgetful.run()
        assert bits(scene) == bits(forgetful)


@pytest.mark.parametrize("frame", [5, 60, 250])
def test_a_recovered_run_has_the_same_bits_though_nobody_sleeps_in_it(tmp_path, frame):
    """A box comes to rest, another falls on it later."""

    def scene(name):
        made = resting(tmp_path / name)
        made.add_box(translation(0.05, 0.02, 9.0))
        return made.start()

    undisturbed, first, second = scene("undisturbed"), scene("dumping"), scene("dumping")
    undisturbed.run(300)
    assert first.run(frame).world.dump()
    assert second.world.recover(frame)
    for each in (first, second):
        each.run(300 - frame)
        assert bits(each) == bits(undisturbed)


def test_a_hanging_chain_comes_to_rest_and_wakes(tmp_path):
    scene = BoxScene(tmp_path, contact__enable=0)
    links = [scene.add_box(translation(0, 0, -0.25 * k), is_fixed=int(k == 0)) for k in range(3)]
    for k in range(2):
        add_hinge(scene, links[k], links[k + 1], [[0, -0.1, -0.125 - 0.25 * k], [0, 0.1, -0.125 - 0.25 * k]])
    settle(scene.start())
    assert sleeps(scene, 10)
    below = scene.q[2]
    write_state(scene, 2, velocity=twist_rate(translation(*below[:3]), linear=(0.5, 0, 0)))
    scene.run(3)
    assert (np.abs(scene.q[1:, 0]) > 1e-4).all(), "the push is felt above"


def rods(workspace, poses, **config):
    """Thin rods along y at heights above the ground."""
    scene = BoxScene(workspace, **config)
    scene.add_ground()
    rod = trimesh.creation.cylinder(0.02, 1.0, sections=6)
    for x, z in poses:
        T = translation(x, 0, z)
        T[:3, :3] = Rotation.from_rotvec([0.5 * np.pi, 0, 0]).as_matrix()
        scene.add_mesh(rod, T)
    return scene


def rod_on_a_parallel_rod(workspace, **config):
    return rods(workspace, [(0, 0.025), (0, 0.07)], **config)


def six_parallel_logs(workspace, **config):
    row = [(0.045 * k, 0.025) for k in range(3)]
    second = [(0.0225 + 0.045 * k, 0.065) for k in range(2)]
    return rods(workspace, [*row, *second, (0.045, 0.105)], **config)


def boxes_far_away(workspace, **config):
    scene = BoxScene(workspace, **config)
    scene.add_box(translation(1e8, 0, 0), is_fixed=1)
    for k in range(1, 4):
        scene.add_box(translation(1e8, 0, 0.21 * k))
    return scene


@pytest.mark.parametrize("make", [rod_on_a_parallel_rod, six_parallel_logs, boxes_far_away])
def test_a_step_that_did_not_converge_puts_nobody_to_rest(tmp_path, make):
    """Such a step leaves some bodies where they were; in the next one they are tried again."""
    scene = make(tmp_path, newton__velocity_tol=1e-9, newton__transrate_tol=1e-9, newton__max_iter=2).start()
    movable = np.count_nonzero(~scene.engine.cpu.model.context.bodies.is_fixed)
    unconverged = 0
    for _ in range(30):
        if not scene.run().engine.statistics.newton.converged:
            unconverged += 1
            assert scene.run().engine.statistics.awake == movable
    assert unconverged > 1


@compiled
def hold(work):
    """Let nobody go."""
    work.fraction[:] = work.taken[:] = 0.0
    work.done[:] = False
    line_search.go(work)


def test_bodies_that_collision_detection_held_fall_once_it_lets_them(tmp_path, monkeypatch):
    scene = resting(tmp_path, newton__max_iter=3).start()
    before, decide = scene.q, stages.decide
    with monkeypatch.context() as held:
        held.setattr(stages, "decide", lambda work, *how: (decide(work, *how), hold(work), (True, 0.0))[2])
        for _ in range(3):
            statistics = scene.run().engine.statistics
            assert (statistics.result, statistics.awake) == (NewtonResult.MAX_ITERATIONS, 1)
            np.testing.assert_array_equal(scene.q, before)
    scene.run()
    assert before[0, 2] - scene.q[0, 2] == pytest.approx(G * 1e-4, rel=1e-3)
