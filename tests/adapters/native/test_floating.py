"""Floating bases and ball joints of our own dynamics: the engine's own motion without contact, momentum with it."""

import numpy as np
import pytest
from ipc_articulation.adapters.native import NativeAdapter

from ipc_articulation.coupling.adapter import CoupledBody, HalfPlane
from ipc_articulation.dynamics import centre_of_mass, centroidal_momentum, frame_poses, read_urdf
from ipc_articulation.dynamics.algorithms.manifold import displacement, random_position
from ipc_articulation.dynamics.integrators import PD, Drive, Scheme, implicit
from ipc_articulation.errors import AdapterError, ArticulationError
from tests.adapters.native.floating import ball_arm, drone, floating_press, flying_arm, flying_gripper, oblique
from tests.adapters.native.linkages import PIN, START
from tests.adapters.native.mechanisms import Run, at, own_motion
from tests.coupling.worlds import cube

DT = 0.005
NONE = np.zeros((0, 4, 4))
GO2 = "package://example-robot-data/robots/go2_description/urdf/go2.urdf"


def moving(model, q=None, seed: int = 1, speed: float = 1.0, **options) -> NativeAdapter:
    v = speed * np.random.default_rng(seed).normal(size=model.nv)
    return NativeAdapter(model, DT, q=q, v=v, **options)


def quadruped() -> NativeAdapter:
    """A Go2 in the air whose legs follow springs; its shapes, which are in each other, touch nothing."""
    try:
        mechanism = read_urdf(GO2, floating_base=True)
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    for link in mechanism.links:
        link.collision = ()
    model = mechanism.build()
    q, gains = model.neutral, np.repeat([0.0, 20.0], [6, 12])
    q[7:] = np.tile([0.0, 0.8, -1.55], 4)
    adapter = moving(model, q, speed=0.3)
    adapter.drive = Drive(pd=PD.to(model, q, gains, 0.04 * gains))
    return adapter


def hanging_arm() -> NativeAdapter:
    return moving(ball_arm().build())


def everything() -> NativeAdapter:
    model = oblique().build()
    return moving(model, random_position(model, np.random.default_rng(2)))


def press() -> NativeAdapter:
    model = floating_press()
    q = model.spanning_tree.neutral
    q[7:10] = START
    return moving(model, model.position(q), speed=0.5, pins=[PIN])


def gripper() -> NativeAdapter:
    model = flying_gripper().build()
    adapter = moving(model, [*model.neutral[:7], 0.0, 0.01], speed=0.5)
    adapter.v[6:] = 0.02, -0.02
    return adapter


def difference(adapter: NativeAdapter, q: np.ndarray) -> float:
    return float(np.abs(displacement(adapter.model, q, adapter.q)).max())


@pytest.mark.slow
@pytest.mark.parametrize("make", [quadruped, hanging_arm, everything, press, gripper])
def test_a_second_without_contact_is_the_engines_own(make, tmp_path) -> None:
    adapter = make()
    start = adapter.q.copy()
    q, v = own_motion(adapter, 200)
    run = Run(adapter, tmp_path)
    run.step(200)
    assert difference(adapter, start) > 0.1
    assert difference(adapter, q) < 1e-9
    np.testing.assert_allclose(adapter.v, v, rtol=0, atol=1e-8)
    assert run.coupling.drift.max() < 1e-8


def thrust(adapter: NativeAdapter, q: np.ndarray) -> Drive:
    """Four rotors push along the frame's z axis at their hubs; their motors turn them against each other."""
    poses = frame_poses(adapter.model, q, [f"rotor{k}" for k in range(4)])
    force = poses[:, :3, 2] * np.array([[3.2], [3.1], [3.2], [3.15]])
    wrenches = np.zeros((5, 6))
    wrenches[1:] = np.hstack([np.cross(poses[:, :3, 3], force), force])
    return Drive(np.repeat([0.0, 1.0], [6, 4]) * 4e-4 * [1, 1, 1, 1, 1, 1, 1, -1, 1, -1], wrenches=wrenches)


@pytest.mark.slow
def test_a_drone_flies_as_its_engine_lets_it(tmp_path) -> None:
    adapter = moving(drone().build(), speed=0.5)
    run, (q, v) = Run(adapter, tmp_path), (adapter.q, adapter.v)
    for _ in range(200):
        q, v = implicit(adapter.model, q, v, DT, thrust(adapter, q))
        adapter.drive = thrust(adapter, adapter.q)
        run.step()
    assert abs(adapter.q[2] - adapter.model.neutral[2]) < 1.0  # the rotors carry it
    assert difference(adapter, q) < 1e-9
    np.testing.assert_allclose(adapter.v, v, rtol=0, atol=1e-8)


@pytest.mark.parametrize("scheme", Scheme)
def test_committing_the_prediction_is_the_engines_own_run(scheme) -> None:
    adapter = everything()
    adapter.scheme = scheme
    q, v = own_motion(adapter, 50)
    for _ in range(50):
        adapter.commit(adapter.predict().delta_theta_tilde, NONE, NONE)
    assert difference(adapter, q) < 1e-12
    np.testing.assert_allclose(adapter.v, v, rtol=0, atol=1e-11)


def test_a_corrected_step_goes_where_the_scene_has_gone() -> None:
    """The links are where δθ puts them, and the velocity gains (δθ-δθ̃)/dt in the scene's coordinates."""
    adapter = everything()
    before, free = adapter.theta(), adapter.link_poses()[0]
    predicted = everything()
    predicted.commit(predicted.predict().delta_theta_tilde, NONE, NONE)
    correction = np.full(adapter.model.nv, 1e-3)
    delta = adapter.predict().delta_theta_tilde + correction
    adapter.commit(delta, NONE, NONE)
    np.testing.assert_allclose(adapter.theta()[:3] - before[:3], delta[:3], atol=1e-15)
    assert adapter.link_poses()[0, :3, 3] == pytest.approx(free[:3, 3] + delta[:3])
    coordinates, q = adapter._coordinates, everything().q
    gained = coordinates.velocity_to_scene(q, adapter.v) - coordinates.velocity_to_scene(q, predicted.v)
    np.testing.assert_allclose(gained, correction / DT, atol=1e-12)


def test_freedoms_have_the_names_that_mujocos_have(tmp_path) -> None:
    names = Run(NativeAdapter(flying_arm().build(), DT), tmp_path).coupling.joint_names
    assert names == (*(f"root/{axis}" for axis in ("x", "y", "z", "rx", "ry", "rz")), "shoulder", "elbow")


def test_motor_forces_do_the_work_of_forces_on_the_freedoms() -> None:
    adapter, forces = press(), np.arange(1.0, 9.0)
    tau = adapter.motor_forces(forces)
    G = adapter.model.G(adapter.q)
    assert (G.T @ tau) @ adapter.v == pytest.approx(forces @ adapter.theta_dot(), rel=1e-12)


def test_a_base_that_turns_by_half_a_turn_in_a_step_is_refused_by_name(tmp_path) -> None:
    model = flying_arm().build()
    adapter = NativeAdapter(model, DT, v=np.r_[np.zeros(5), 700.0, np.zeros(2)])
    run = Run(adapter, tmp_path)
    with pytest.raises(ArticulationError, match=r"joint 'root' \(free\): \|delta_theta_tilde\| is 3\.\d+ rad, must be"):
        run.step()
    np.testing.assert_array_equal(adapter.q, model.neutral)


def test_a_pin_that_holds_a_floating_base_is_refused_by_name() -> None:
    model = flying_arm().build()
    pin = type(PIN)("anchor", "world", "hull", (0, 0, 1), (0, 0, 0))
    with pytest.raises(AdapterError, match="pin 'anchor' hinders its loop: its ends part when the robot moves"):
        NativeAdapter(model, DT, pins=[pin])


def momentum(model, q, v) -> np.ndarray:
    """About the world's origin, [L; p]."""
    h = centroidal_momentum(model, q, v)
    return h + np.r_[np.cross(centre_of_mass(model, q), h[3:]), np.zeros(3)]


def test_a_flying_arm_keeps_its_momentum_as_its_engine_alone_does(tmp_path) -> None:
    """Motors are inner forces. Backward Euler is of order 1: halving the step halves what it loses."""
    model = flying_arm().build()
    adapter = NativeAdapter(model, DT, v=np.r_[0.3, 0.0, 0.1, 0.2, 0.5, 0.1, 0.0, 0.0])
    adapter.drive = Drive(tau=np.r_[np.zeros(6), 0.15, -0.05])
    start = momentum(model, adapter.q, adapter.v)
    own = momentum(model, *own_motion(adapter, 100)) - start
    run = Run(adapter, tmp_path)
    run.step(100)
    kept = momentum(model, adapter.q, adapter.v) - start
    assert np.abs(adapter.v[6:]).min() > 0.1
    np.testing.assert_allclose(kept, own, atol=1e-9)
    assert np.abs(kept).max() < 0.02 * np.abs(start).max()


def test_a_ball_gives_a_floating_robot_the_momentum_that_it_loses(tmp_path) -> None:
    """Linear momentum is that of M̂: the impulse on the root is what Newton's method balances."""
    speed = np.zeros((4, 4))
    speed[0, 3] = 3.0
    ball = CoupledBody("ball", at(-0.4, 0.02, 1.01), cube(0.08), 2.0, np.zeros(3), 0.008 * np.eye(3), velocity=speed)
    adapter = NativeAdapter(flying_arm().build(), DT, free=[ball])
    run, gained = Run(adapter, tmp_path), np.zeros(3)
    for _ in range(60):
        run.step()
        gained += run.coupling.contact_force[:3] * DT
    lost = 2.0 * (speed[:3, 3] - adapter.free[0].velocity[:3, 3])
    assert lost[0] > 1.0
    np.testing.assert_allclose(gained, lost, atol=1e-9 * lost[0])


def test_a_floating_robot_on_the_ground_weighs_what_it_weighs(tmp_path) -> None:
    model = flying_arm(gravity=(0.0, 0.0, -9.81)).build()
    q, gains = model.neutral, np.repeat([0.0, 200.0], [6, 2])
    q[:3] = 0.0, 0.0, -0.948
    floor = HalfPlane("floor", np.zeros(3), np.array([0.0, 0.0, 1.0]), 0.5)
    adapter = NativeAdapter(model, DT, q=q, planes=[floor])
    adapter.drive = Drive(pd=PD.to(model, q, gains, 0.1 * gains))
    run = Run(adapter, tmp_path)
    for _ in range(100):
        run.step()
        assert run.coupling.minimum_distance > 0.0
    weight = 9.81 * model.mass
    assert run.coupling.contact_force[2] == pytest.approx(weight, rel=0.01)
    np.testing.assert_allclose(run.coupling.contact_force[:2], 0.0, atol=0.01 * weight)


def test_a_run_that_is_restored_gives_the_same_bits(tmp_path) -> None:
    run = Run(everything(), tmp_path)
    run.step(5)
    assert run.world.dump()
    kept = run.adapter.state()
    run.step(5)
    again = Run(everything(), tmp_path)
    assert again.world.recover(5)
    again.adapter.restore(kept)
    again.world.retrieve()
    again.step(5)
    np.testing.assert_array_equal(again.adapter.q, run.adapter.q)
    np.testing.assert_array_equal(again.adapter.v, run.adapter.v)
