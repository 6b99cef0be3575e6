import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco.states import (
    acceleration_from_mujoco,
    force_from_mujoco,
    force_to_mujoco,
    velocity_from_mujoco,
    velocity_map,
    velocity_to_mujoco,
)
from ipc_articulation.adapters.mujoco.to_mechanism import mechanism_from_mujoco

from ipc_articulation.errors import StateError
from tests.dynamics.random_mjcf import random_mjcf, random_state

SEEDS = range(5)


def tree(seed):
    return mujoco.MjModel.from_xml_string(random_mjcf(seed))


def moved_by_mujoco(model, qpos, qvel, dt):
    qpos = qpos.copy()
    mujoco.mj_integratePos(model, qpos, qvel, dt)
    return qpos


def moved_by_joints(model, qpos, v, dt):
    """Positions after a constant velocity of ours, joint by joint."""
    parts, at_q, at_v = [], 0, 0
    for joint in (placed.joint for placed in mechanism_from_mujoco(model).joints):
        q, w = qpos[at_q : at_q + joint.nq], v[at_v : at_v + joint.ndof]
        parts.append(joint.integrate(q, w, dt))
        at_q, at_v = at_q + joint.nq, at_v + joint.ndof
    return np.concatenate(parts)


@pytest.mark.parametrize("seed", SEEDS)
def test_velocities_move_the_joints_as_mujocos_do(seed):
    model = tree(seed)
    qpos, qvel = random_state(model, seed)
    ours = moved_by_joints(model, qpos, velocity_from_mujoco(model, qpos, qvel), 0.7)
    np.testing.assert_allclose(ours, moved_by_mujoco(model, qpos, qvel, 0.7), atol=1e-13)


@pytest.mark.parametrize("seed", SEEDS)
def test_way_there_and_back(seed):
    model = tree(seed)
    qpos, qvel = random_state(model, seed)
    v = velocity_from_mujoco(model, qpos, qvel)
    assert np.abs(v - qvel).max() > 0.1
    np.testing.assert_allclose(velocity_to_mujoco(model, qpos, v), qvel, atol=1e-14)
    np.testing.assert_allclose(force_to_mujoco(model, qpos, force_from_mujoco(model, qpos, qvel)), qvel, atol=1e-14)


@pytest.mark.parametrize("seed", SEEDS)
def test_forces_have_the_same_power(seed):
    model = tree(seed)
    qpos, qvel = random_state(model, seed)
    _, force = random_state(model, seed + 1000)
    ours = force_from_mujoco(model, qpos, force) @ velocity_from_mujoco(model, qpos, qvel)
    assert ours == pytest.approx(force @ qvel, rel=1e-13)


@pytest.mark.parametrize("seed", SEEDS)
def test_accelerations_are_rates_of_velocities(seed):
    """Along a motion of MuJoCo's with constant qacc, by central differences."""
    model, h = tree(seed), 1e-5
    qpos, qvel = random_state(model, seed)
    _, qacc = random_state(model, seed + 1000)

    def velocity_at(t):
        return velocity_from_mujoco(model, moved_by_mujoco(model, qpos, qvel + 0.5 * t * qacc, t), qvel + t * qacc)

    rate = (velocity_at(h) - velocity_at(-h)) / (2.0 * h)
    np.testing.assert_allclose(acceleration_from_mujoco(model, qpos, qacc), rate, atol=1e-8)


def test_leading_axes():
    model = tree(0)
    states = [random_state(model, k) for k in range(6)]
    qpos = np.array([q for q, _ in states]).reshape(2, 3, model.nq)
    qvel = np.array([v for _, v in states]).reshape(2, 3, model.nv)
    for convert in (velocity_from_mujoco, velocity_to_mujoco):
        each = [convert(model, q, v) for q, v in states]
        np.testing.assert_array_equal(convert(model, qpos, qvel).reshape(6, model.nv), each)
    assert velocity_map(model, qpos).shape == (2, 3, model.nv, model.nv)


def test_quaternions_of_any_length():
    model = tree(0)
    qpos, _ = random_state(model, 0)
    longer = qpos.copy()
    quaternions = np.zeros(model.nq)
    for j in np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_BALL):
        quaternions[model.jnt_qposadr[j] : model.jnt_qposadr[j] + 4] = 1.0
    longer[quaternions == 1.0] *= 2.0
    np.testing.assert_allclose(velocity_map(model, longer), velocity_map(model, qpos), atol=1e-15)


FREE = '<mujoco><worldbody><body><freejoint/><geom size="0.1"/></body></worldbody></mujoco>'
START = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((START[1:], np.zeros(6)), r"^qpos must have 7 numbers along its last axis; its shape is \(6,\)$"),
        ((START, np.zeros((2, 5))), r"^qvel must have 6 numbers along its last axis; its shape is \(2, 5\)$"),
        ((np.zeros(7), np.zeros(6)), "^qpos 3 to 6 are a quaternion and must not all be zero$"),
    ],
)
def test_wrong_states(arguments, message):
    model = mujoco.MjModel.from_xml_string(FREE)
    with pytest.raises(StateError, match=message):
        velocity_from_mujoco(model, *arguments)


def test_wrong_velocity_on_the_way_back():
    model = mujoco.MjModel.from_xml_string(FREE)
    with pytest.raises(StateError, match=r"^v must have 6 numbers along its last axis; its shape is \(7,\)$"):
        velocity_to_mujoco(model, START, np.zeros(7))
