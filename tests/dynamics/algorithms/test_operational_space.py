"""Contacts of robots with loops: Jacobians and accelerations by differences, and how contacts yield."""

import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation.dynamics import frame_poses
from ipc_articulation.dynamics.algorithms.operational_space import (
    apply_test_force,
    inverse_operational_space_inertia,
)
from ipc_articulation.dynamics.loops.motion import times
from ipc_articulation.errors import ModelError, StateError
from tests.dynamics.by_hand import assert_near
from tests.dynamics.loops.by_clusters import assert_each
from tests.dynamics.loops.robots import robot_of, stacked
from tests.dynamics.loops.symbolic import Tree

POINT = np.array([0.1, -0.2, 0.3])
STEP = 1e-5


def rate(f):
    return (f(STEP) - f(-STEP)) / (2.0 * STEP)


def acceleration(model, x, y_dot, y_ddot, *contact):
    """J ÿ + J̇ ẏ."""
    return dyn.jacobian(model, x, *contact) @ y_ddot + dyn.jacobian_rate(model, x, y_dot, *contact) @ y_dot


def contacts_of(robot):
    """The last link, and one in the middle: rotors come too."""
    names = [link.name for link in robot.mechanism.links]
    return [(names[-1], POINT), (names[len(names) // 2], -POINT)]


def test_inverse_inertia_at_contacts(robots):
    """Λ⁻¹ = J H⁻¹ Jᵀ of two contacts together."""
    for robot, some in robots:
        contacts = contacts_of(robot)
        for state in some:
            J = np.concatenate([dyn.jacobian(robot.model, state.x, *contact) for contact in contacts])
            want = J @ np.linalg.solve(dyn.mass_matrix(robot.model, state.x), J.T)
            got = inverse_operational_space_inertia(robot.model, state.x, contacts)
            assert_near(got, want, 5e-8)
            assert_near(got, got.T, 1e-9)
            assert np.linalg.eigvalsh(0.5 * (got + got.T))[0] > -1e-9 * np.abs(got).max()


def test_test_forces(robots):
    """(fᵀ Λ⁻¹ f, H⁻¹ Jᵀ f)."""
    for robot, some in robots:
        [contact, _] = contacts_of(robot)
        for number, state in enumerate(some):
            force = np.roll([1.0, -2.0, 0.5], number)
            J = dyn.jacobian(robot.model, state.x, *contact)[3:]
            y_ddot = np.linalg.solve(dyn.mass_matrix(robot.model, state.x), J.T @ force)
            work, got = apply_test_force(robot.model, state.x, force, *contact)
            assert_near(got, y_ddot, 5e-8)
            assert_near(work, force @ J @ y_ddot, 5e-8)


@pytest.mark.slow
def test_contact_jacobian_and_acceleration_by_differences(robots):
    for robot, some in robots:
        for x, y_dot, y_ddot, *_ in some:
            _check_contact(robot.model, contacts_of(robot)[0], x, 0.1 * y_dot, 0.1 * y_ddot)


def _check_contact(model, contact, x, y_dot, y_ddot):
    def place(h):
        return frame_poses(model.spanning_tree, model.spanning(dyn.integrate(model, x, y_dot, h)), [contact[0]])[0, :3]

    def velocity(h):
        at = dyn.integrate(model, x, y_dot + 0.5 * h * y_ddot, h)
        return dyn.jacobian(model, at, *contact) @ (y_dot + h * y_ddot)

    H, H_dot = place(0.0), rate(place)
    spin = H_dot[:, :3] @ H[:, :3].T
    want = [spin[2, 1], spin[0, 2], spin[1, 0], *(H_dot @ [*contact[1], 1.0])]
    assert_near(dyn.jacobian(model, x, *contact) @ y_dot, np.array(want), 1e-6)
    assert_near(acceleration(model, x, y_dot, y_ddot, *contact), rate(velocity), 1e-6)


@pytest.mark.slow
def test_contact_jacobian_and_acceleration_by_casadi(robots):
    """[ω; ẋ] = J ẏ, its derivative by ẏ and its rate, differentiated exactly from where the frame is."""
    for robot, some in robots:
        x, y_dot, y_ddot, *_ = stacked(some)
        q, v, G, g = robot.model.motion(x, y_dot)
        a = times(G, y_ddot) + g
        for contact in contacts_of(robot):
            twist, J, twist_rate = (part.full().T for part in Tree(robot).contact(*contact)(q.T, v.T, a.T))
            ours = dyn.jacobian(robot.model, x, *contact)
            assert_each(ours, J.reshape(len(x), -1, 6).swapaxes(1, 2) @ G, 1e-12)
            assert_each(times(ours, y_dot), twist, 1e-12)
            ours = [acceleration(robot.model, *state, *contact) for state in zip(x, y_dot, y_ddot, strict=True)]
            assert_each(np.array(ours), twist_rate, 1e-12, np.abs(v).max(axis=1) ** 2)


def test_gravity_and_loads_do_not_matter():
    """Λ⁻¹ is that of the robot at rest without gravity, which stays as it was."""
    robot = robot_of("mini cheetah", 0).model
    x = dyn.random_position(robot, np.random.default_rng(0))
    gravity = robot.tree["gravity"].copy()
    inverse = inverse_operational_space_inertia(robot, x, [("base_trunk", POINT)])
    np.testing.assert_array_equal(robot.tree["gravity"], gravity)
    assert gravity.any()
    assert inverse.shape == (6, 6)
    assert inverse_operational_space_inertia(robot, x, []).shape == (0, 0)


def test_bad_contacts():
    robot = robot_of("humanoid leg", 0).model
    x = np.zeros(robot.nq)
    with pytest.raises(
        ModelError, match=r"^model 'humanoid leg' has no frame 'shank_kne'; did you mean 'shank_knee'\?"
    ):
        dyn.jacobian(robot, x, "shank_kne")
    with pytest.raises(StateError) as error:
        apply_test_force(robot, x, [1.0, 2.0], "shank_knee")
    assert str(error.value) == "force has shape (2,); give (3,) or (..., 3)"
    with pytest.raises(StateError) as error:
        dyn.jacobian(robot, x[1:], "shank_knee")
    assert str(error.value) == "q has shape (4,), but model 'humanoid leg' (nq = 5, nv = 5) needs (5) or (..., 5)"
