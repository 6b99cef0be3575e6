"""Scheme.MOMENTUM in a coupled scene: a floating robot gains what contacts give it, in all six components."""

import numpy as np
import pytest
import uipc
from ipc_articulation.adapters.native import NativeAdapter
from ipc_articulation.adapters.native.kept_momentum import inverse_right_jacobian

from ipc_articulation import Engine, couple, spatial
from ipc_articulation.coupling.adapter import CoupledBody
from ipc_articulation.dynamics.integrators import Drive, Scheme
from ipc_articulation.dynamics.integrators.momentum import momentum
from tests.adapters.native.floating import floating_press, flying_arm
from tests.adapters.native.linkages import PIN, START
from tests.adapters.native.mechanisms import Run, at, own_motion
from tests.coupling.worlds import cube, make_scene

DT, MASS, SPEED = 0.005, 2.0, 3.0
ROLLING = np.r_[0.0, 0.0, 0.0, 0.2, 0.3, 0.1, 0.5, -0.4]  # the arm turns and swings while it is hit
MOTORS = np.r_[np.zeros(6), 0.15, -0.05]


@pytest.mark.parametrize("angle", [0.0, 1e-4, 0.9e-3, 1.1e-3, 0.5, 3.0])
def test_the_slope_of_rotation_vectors_is_that_of_turns(angle: float) -> None:
    turn, h = angle * np.array([0.48, 0.6, 0.64]), 1e-6
    R = spatial.rotation_from_quaternion(spatial.quaternion_exp(turn))

    def vector(eta: np.ndarray) -> np.ndarray:
        turned = R @ spatial.rotation_from_quaternion(spatial.quaternion_exp(eta))
        return spatial.quaternion_log(spatial.quaternion_from_rotation(turned))

    slope = np.transpose([(vector(h * eta) - vector(-h * eta)) / (2.0 * h) for eta in np.eye(3)])
    np.testing.assert_allclose(inverse_right_jacobian(turn), slope, atol=1e-8)


def arm() -> NativeAdapter:
    adapter = NativeAdapter(flying_arm().build(), DT, v=ROLLING, scheme=Scheme.MOMENTUM)
    adapter.drive = Drive(tau=MOTORS)
    return adapter


def press() -> NativeAdapter:
    model = floating_press()
    q = model.spanning_tree.neutral
    q[7:10] = START
    v = 0.5 * np.random.default_rng(1).normal(size=model.nv)
    return NativeAdapter(model, DT, q=model.position(q), v=v, pins=[PIN], scheme=Scheme.MOMENTUM)


@pytest.mark.slow
@pytest.mark.parametrize("make", [arm, press])
def test_a_second_without_contact_keeps_momentum_as_the_engine_does(make, tmp_path) -> None:
    adapter = make()
    before = momentum(adapter.model, adapter.q, adapter.v)
    q, v = own_motion(adapter, 200)
    Run(adapter, tmp_path).step(200)
    np.testing.assert_allclose(adapter.q, q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(adapter.v, v, rtol=0, atol=1e-8)
    after = momentum(adapter.model, adapter.q, adapter.v)
    np.testing.assert_allclose(after, before, rtol=0, atol=1e-9 * np.abs(before).max())


def hit(scheme: Scheme, friction: float, folder) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A flying arm is hit by a cube: the robot's gain [L; p], that by the contact forces, what the cube has lost."""
    rate = np.zeros((4, 4))
    rate[0, 3] = SPEED
    inertia = 0.008 * np.eye(3)
    ball = CoupledBody("ball", at(-0.4, 0.02, 1.01), cube(0.08), MASS, np.zeros(3), inertia, friction, velocity=rate)
    model = flying_arm().build()
    adapter = NativeAdapter(model, DT, v=ROLLING, scheme=scheme, free=[ball], friction=friction)
    adapter.drive = Drive(tau=MOTORS)
    scene, engine = make_scene(DT), Engine("cpu", str(folder))
    coupling, world = couple(scene, adapter), uipc.World(engine)
    world.init(scene)
    before, given = momentum(model, adapter.q, adapter.v), np.zeros(6)
    for _ in range(60):
        coupling.step(world)
        contacts, names = engine.statistics.contacts, engine.cpu.contact_names
        for k, (first, second) in enumerate(contacts.bodies):
            assert "ball" in (names[first], names[second])
            point, sign = (contacts.points, 1) if names[second] == "ball" else (contacts.opposite_points, -1)
            moment = np.cross(point[k], contacts.forces[k]) + contacts.couples[k]
            given += sign * DT * np.concatenate([moment, contacts.forces[k]])
    lost = MASS * (rate[:3, 3] - adapter.free[0].velocity[:3, 3])
    return momentum(model, adapter.q, adapter.v) - before, given, lost


@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_a_robot_that_is_hit_gains_the_momentum_of_the_contacts(friction: float, tmp_path) -> None:
    gained, given, lost = hit(Scheme.MOMENTUM, friction, tmp_path)
    assert lost[0] > 3.0
    np.testing.assert_allclose(gained, given, rtol=0, atol=1e-7 * lost[0])
    np.testing.assert_allclose(gained[3:], lost, rtol=0, atol=1e-9 * lost[0])


def test_without_it_the_total_is_kept_to_the_order_of_the_step(tmp_path) -> None:
    gained, given, _ = hit(Scheme.FULL, 0.0, tmp_path)
    assert 1e-4 < np.abs(gained - given).max() < 1e-2
