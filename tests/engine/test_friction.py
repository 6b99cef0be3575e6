"""Anchored friction in whole scenes: what is below the cone does not move, what is beyond it slides by μ g."""

import itertools
import warnings

import numpy as np
import pytest
import uipc
from scipy.spatial.transform import Rotation

from ipc_articulation import EngineError
from ipc_articulation.engine import Engine
from ipc_articulation.frontend.friction_law import choose_friction, choose_friction_iterations, has_anchors
from tests.engine.scenes import BoxScene, translation, twist_rate
from tests.engine.test_changes import destroy
from tests.engine.test_dump import assert_same_bits

G, MU, SIDE = 9.8, 0.5, 0.2


def slope(workspace, tangent, d_hat=0.001, dt=0.01, on_body=False, friction="anchored", side=SIDE, **options):
    """A box on a slope, beside the edges of its triangles, over which the barrier is not flat; and the way down it."""
    scene = BoxScene(workspace, friction=MU, contact__d_hat=d_hat, dt=dt)
    R = Rotation.from_rotvec([0.0, np.arctan(tangent), 0.0]).as_matrix()
    T, under = np.eye(4), np.eye(4)
    T[:3, :3] = under[:3, :3] = R
    T[:3, 3], under[:3, 3] = R @ (0.0, 0.6, side / 2 + 0.5 * d_hat), -0.05 * R[:, 2]
    if on_body:
        scene.add_box(under, (2.0, 2.0, 0.1), is_fixed=1)
    else:
        scene.add_ground(normal=R[:, 2])
    scene.add_box(T, (side,) * 3)
    return scene.start(friction=friction, **options), R[:, 0]


def put_at_rest(scene):
    """Take the last body's velocity away until it has found its gaps: else it slides for seconds, and off the slope."""
    last = len(scene.slots) - 1
    for _ in range(5):
        q = scene.run(40).q
        scene.engine.state_accessor.write(np.array([last]), q[last:], np.zeros((1, 12)))


def settle(scene, seconds, dt):
    """Until nothing moves by a micrometre in a second."""
    for _ in range(seconds):
        before = scene.q[-1].copy()
        if np.abs(scene.run(round(1.0 / dt)).q[-1] - before).max() < 1e-6:
            return
    raise AssertionError("it still moves")


def rises(values):
    return np.max(values - np.minimum.accumulate(values))


CASES = list(itertools.product([False, True], [0.01, 0.001], [0.001, 0.01]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("on_body", "dt", "d_hat"),
    [pytest.param(*case, marks=() if case[1:] == (0.01, 0.001) else pytest.mark.slow) for case in CASES],
)
def test_a_box_at_99_percent_of_the_cone_stays_for_a_minute(tmp_path, on_body, dt, d_hat):
    scene, _ = slope(tmp_path, 0.99 * MU, d_hat, dt, on_body)
    put_at_rest(scene)
    settle(scene, 60, dt)
    before = scene.q[-1].copy()
    scene.run(round(60.0 / dt))
    assert np.abs(scene.q[-1] - before)[:3].max() < 1e-6


def test_lagged_friction_creeps(tmp_path):
    """By up to eps_velocity, here 1 cm/s: what the memory is good for."""
    scene, down = slope(tmp_path, 0.99 * MU, friction="lagged")
    scene.run(200)
    before = scene.q[-1][:3].copy()
    assert (scene.run(100).q[-1][:3] - before) @ down == pytest.approx(0.009, rel=0.02)


@pytest.mark.parametrize("on_body", [False, True], ids=["half-plane", "body"])
@pytest.mark.parametrize("tangent", [0.499, 0.501, 0.51])
def test_the_cone_is_exact(tmp_path, tangent, on_body):
    """What is beyond it slides, what is below it stays where it is put at rest."""
    scene, down = slope(tmp_path, tangent, on_body=on_body)
    put_at_rest(scene)
    v = np.array([scene.run(50).qdot[-1, :3] @ down for _ in range(3)])
    a = max(G * (tangent - MU) / np.hypot(1.0, tangent), 0.0)  # [m/s²]
    np.testing.assert_allclose(np.diff(v), 0.5 * a, rtol=0.01, atol=1e-9)


def sliding(workspace, speed=1.0, **options):
    """A flat box on the ground, at rest on it before it is pushed."""
    scene = BoxScene(workspace, friction=MU, contact__d_hat=0.001)
    scene.add_ground()
    scene.add_box(translation(0, 0, 0.0255), (0.2, 0.2, 0.05))
    scene.start(**options).run(100)
    accessor = scene.engine.state_accessor
    qdot = np.zeros((1, 12))
    qdot[0, 0] = speed
    accessor.write(np.array([0]), scene.q, qdot)
    return scene


def test_sliding_decelerates_by_mu_g_and_then_stands(tmp_path):
    scene = sliding(tmp_path, friction="anchored")
    v = [1.0]
    for _ in range(30):
        v.append(scene.run().qdot[0, 0])
    decelerations = -np.diff(v)[5:15] / 0.01
    assert decelerations.mean() == pytest.approx(MU * G, rel=1e-3)
    x = scene.q[0, 0]
    assert abs(scene.run(200).q[0, 0] - x) < 1e-9
    assert scene.engine.statistics.awake == 0


def test_stick_slip_gains_no_energy(tmp_path):
    """Tumbling and sliding boxes: their energy only falls, but for what raising a load takes up."""
    scene = BoxScene(tmp_path, friction=MU, contact__d_hat=0.001)
    scene.add_ground()
    rng = np.random.default_rng(1)
    for k in range(4):
        T = translation(*rng.uniform(-0.05, 0.05, 2), 0.2 + 0.36 * k)
        T[:3, :3] = Rotation.from_rotvec(rng.uniform(-1, 1, 3)).as_matrix()
        scene.add_box(T, (SIDE,) * 3, velocity=twist_rate(T, rng.uniform(-1, 1, 3), rng.uniform(-3, 3, 3)))
    scene.start(friction="anchored")
    energies = []
    for _ in range(200):
        scene.run()
        stored = scene.engine.statistics.energies
        kinetic = sum(
            0.5 * v @ M @ v + G * M[0, 0] * q[2] for M, q, v in zip(scene.masses(), scene.q, scene.qdot, strict=True)
        )
        energies.append(kinetic + (stored["contact"] + stored["ortho potential"]) / 0.01**2)
    assert rises(np.array(energies)) < 0.1 * scene.masses()[0][0, 0] * G * 0.001


def test_what_is_between_bodies_keeps_momentum(tmp_path):
    """Two boxes pressed together in free flight, one of them spinning: friction acts on both."""
    scene = BoxScene(tmp_path, gravity=(0, 0, 0), friction=MU, contact__d_hat=0.002)
    T = translation(0.01, 0.02, 0.2015)
    scene.add_box(translation(0, 0, 0))
    scene.add_box(T, velocity=twist_rate(T, (0.3, 0.1, -0.5), (0.0, 0.0, 2.0)))
    scene.start(friction="anchored")
    p, L = scene.linear_momentum(), scene.angular_momentum()
    scene.run(20)
    assert len(scene.engine.cpu.state.anchored) == 1 or scene.minimum_distance() > 0.002
    np.testing.assert_allclose(scene.linear_momentum(), p, atol=1e-9 * np.linalg.norm(p))
    np.testing.assert_allclose(scene.angular_momentum(), L, atol=0.01 * np.linalg.norm(L))  # as without friction


def test_the_state_holds_the_memory(tmp_path):
    """A dump of a box on a slope, and one step after it, bit for bit."""
    scene, _ = slope(tmp_path, 0.9 * MU, on_body=True)
    scene.run(150).world.dump()
    assert np.linalg.norm(scene.engine.cpu.state.anchors[0, :3]) > 1e-8
    end = scene.run(3).engine.cpu.state
    other, _ = slope(tmp_path, 0.9 * MU, on_body=True)
    assert other.world.recover()
    assert_same_bits(other.run(3).engine.cpu.state, end)


def test_a_body_that_is_put_elsewhere_has_forgotten(tmp_path):
    scene, _ = slope(tmp_path, 0.9 * MU)
    scene.run(150)
    accessor, q = scene.engine.state_accessor, scene.q
    accessor.write(np.array([0]), q, np.zeros((1, 12)))
    assert len(scene.engine.cpu.state.anchored) == 1, "it is where it was"
    q[0, 1] += 0.3
    accessor.write(np.array([0]), q, np.zeros((1, 12)))
    assert len(scene.engine.cpu.state.anchored) == 0


def test_memories_stay_when_bodies_come_and_go(tmp_path):
    scene = BoxScene(tmp_path, friction=MU, contact__d_hat=0.001, gravity=(3.0, 0.0, -9.8))
    scene.add_ground()
    for k in range(3):
        scene.add_box(translation(k, 0, 0.1005))
    scene.start(friction="anchored").run(100)
    before = scene.engine.cpu.state.anchors
    destroy(scene, scene.slots.pop(1))
    scene.run()
    after = scene.engine.cpu.state
    np.testing.assert_array_equal(after.anchored, [2, 5])
    np.testing.assert_allclose(after.anchors, before[[0, 2]], atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 36])
def test_a_stack_of_squeezed_boxes_falls_asleep(tmp_path, seed):
    """Seed 36 crept by 0.2 nm/s when anchors moved in what the load had squeezed."""
    rng = np.random.default_rng(seed)
    scene = BoxScene(tmp_path, gravity=(0, 0, -G), friction=rng.uniform(0.2, 1.0))
    scene.add_ground()
    scene.add_box(translation(0, 0, 0.102), (0.3, 0.3, 0.2))
    z = 0.2
    for _ in range(3):
        size, T = rng.uniform(0.1, 0.25, 3), np.eye(4)
        T[:3, :3] = Rotation.from_euler("z", rng.uniform(0.0, 6.0)).as_matrix()
        T[:3, 3] = *rng.uniform(-0.03, 0.03, 2), z + 0.5 * size[2] + 0.004
        scene.add_box(T, tuple(size), density=10 ** rng.uniform(2.0, 4.0))
        z += size[2] + 0.004
    scene.start(friction="anchored").run(500)
    assert scene.engine.statistics.newton.awake == 0


def test_a_scene_may_ask_for_it_too(tmp_path):
    scene = BoxScene(tmp_path)
    assert not has_anchors(scene.scene)
    choose_friction(scene.scene, True)
    choose_friction(scene.scene, False, unless_chosen=True)
    assert has_anchors(scene.scene)
    scene.scene.contact_tabular().create("later")
    assert scene.start().engine.cpu.model.rules.anchored
    other = BoxScene(tmp_path / "other")
    choose_friction(other.scene, True)
    assert not other.start(friction="lagged").engine.cpu.model.rules.anchored


def test_world_init_warns_of_the_friction_that_cuda_does_not_have(tmp_path, monkeypatch):
    scene = BoxScene(tmp_path)
    scene.add_ground()
    choose_friction(scene.scene, True)
    choose_friction_iterations(scene.scene, 8)
    monkeypatch.setattr(Engine, "backend_name", lambda _: "cuda")
    message = (
        r"asks for anchored friction and friction_iterations = 8, and libuipc's CUDA engine has lagged friction only"
    )
    with pytest.warns(UserWarning, match=message):
        uipc.World(Engine("none", tmp_path)).init(scene.scene)
    choose_friction(scene.scene, False)
    choose_friction_iterations(scene.scene, 1)
    with warnings.catch_warnings(action="error"):
        uipc.World(Engine("none", tmp_path)).init(scene.scene)


def test_libuipc_s_own_engines_have_lagged_friction_only(tmp_path):
    message = "^engine 'none' has lagged friction only; Engine\\('cpu'\\) knows friction='anchored'$"
    with pytest.raises(EngineError, match=message):
        Engine("none", tmp_path, friction="anchored")
