"""Equations of motion by hand: each getter, and that together they are the step."""

import json
from pathlib import Path

import numpy as np
import pytest
from ipc_articulation.adapters.mujoco.model import find_package

from ipc_articulation import dynamics as dyn
from ipc_articulation.dynamics import joints
from ipc_articulation.errors import StateError

VALUES = json.loads((Path(__file__).parents[2] / "reference" / "nimble_values.json").read_text())


def robot(name="robot"):
    """A floating link with a sprung arm."""
    mechanism = dyn.Mechanism(name)
    mechanism.add_link("base", 2.0, (0.1, 0, 0), (0.2, 0.3, 0.4))
    mechanism.add_link("arm", 1.0, (0, 0, 0.3), (0.02, 0.03, 0.01))
    mechanism.add_joint("free", joints.FloatingJoint(), "world", "base", damping=0.1)
    mechanism.add_joint(
        "hinge", joints.RevoluteJoint((0, 1, 0)), "base", "arm", stiffness=5.0, spring_mount=0.2, damping=0.3
    )
    return mechanism.build()


@pytest.fixture
def skeleton():
    rng = np.random.default_rng(0)
    skeleton = dyn.Skeleton(robot())
    skeleton.positions = dyn.random_position(skeleton.model, rng)
    skeleton.velocities, skeleton.control_forces = rng.normal(size=(2, 7))
    return skeleton


def test_the_parts_are_the_whole(skeleton):
    """`solve(M, tau - C)`, as nimblephysics' page has it."""
    skeleton.push("arm", force=(1.0, 2.0, 3.0), point=(0, 0, 0.5), moment=(0, 0.1, 0))
    M, tau = skeleton.mass_matrix, skeleton.control_forces
    C = (
        skeleton.coriolis_and_gravity_forces
        - skeleton.external_forces
        + skeleton.damping_forces
        + skeleton.spring_forces
    )
    np.testing.assert_allclose(skeleton.accelerations, np.linalg.solve(M, tau - C), rtol=1e-14)
    np.testing.assert_allclose(
        skeleton.coriolis_and_gravity_forces, skeleton.coriolis_forces + skeleton.gravity_forces, atol=1e-12
    )
    np.testing.assert_allclose(M @ skeleton.accelerations + C, tau, atol=1e-12)


def test_each_getter(skeleton):
    model, q, v = skeleton.model, skeleton.positions, skeleton.velocities
    np.testing.assert_array_equal(skeleton.mass_matrix, dyn.mass_matrix(model, q))
    np.testing.assert_array_equal(skeleton.coriolis_and_gravity_forces, dyn.bias_forces(model, q, v))
    np.testing.assert_array_equal(skeleton.gravity_forces, dyn.bias_forces(model, q, 0 * v))
    np.testing.assert_array_equal(skeleton.damping_forces, [*(0.1 * v[:6]), 0.3 * v[6]])
    np.testing.assert_allclose(skeleton.spring_forces, [0, 0, 0, 0, 0, 0, 5.0 * (q[7] - 0.2 + 1e-3 * v[6])], rtol=1e-14)
    np.testing.assert_array_equal(skeleton.external_forces, 0.0)


def test_a_push_works_as_a_wrench_does(skeleton):
    model, q = skeleton.model, skeleton.positions
    force, point = np.array([1.0, -2.0, 3.0]), np.array([0.1, 0.2, 0.3])
    skeleton.push("arm", force, point)
    H = dyn.frame_poses(model, q, ["arm"])[0]
    wrenches = np.zeros((2, 6))
    wrenches[model.body("arm")] = np.r_[np.cross(H[:3, :3] @ point + H[:3, 3], force), force]
    with_wrench = dyn.inverse_dynamics(model, q, np.zeros(7), np.zeros(7), wrenches)
    np.testing.assert_allclose(skeleton.external_forces, skeleton.gravity_forces - with_wrench, atol=1e-12)
    skeleton.step()
    np.testing.assert_array_equal(skeleton.external_forces, 0.0)


def test_a_step_is_made_of_its_acceleration(skeleton):
    q, v, a = skeleton.positions, skeleton.velocities, skeleton.accelerations
    skeleton.step()
    np.testing.assert_array_equal(skeleton.velocities, v + 1e-3 * a)
    np.testing.assert_allclose(dyn.difference(skeleton.model, q, skeleton.positions), 1e-3 * v, atol=1e-15)


@pytest.mark.parametrize("group", ["without_springs", "with_springs"])
def test_steps_are_nimbles(group):
    """The Panda's accelerations and next states by nimblephysics, with and without its springs and dampers."""
    values = next(entry for entry in VALUES[group] if entry["robot"] == "panda")
    mechanism = dyn.read_urdf(find_package("example-robot-data") / "robots" / values["urdf"])
    for number, name in enumerate(values["dofs"]):
        joint = next(joint for joint in mechanism.joints if joint.name == name)
        joint.mimic, joint.damping, joint.stiffness = None, values["damping"][number], values["stiffness"][number]
        joint.spring_mount = values["rest"][number]
    skeleton = dyn.Skeleton(mechanism.build(joint_order=values["dofs"]), VALUES["time_step"])
    for state in values["states"]:
        skeleton.positions, skeleton.velocities, skeleton.control_forces = state["q"], state["u"], state["tau"]
        scale = np.abs(state["acceleration"]).max()
        np.testing.assert_allclose(skeleton.accelerations, state["acceleration"], atol=1e-10 * scale)
        skeleton.step()
        np.testing.assert_allclose(skeleton.positions, state["q_next"], atol=1e-13)
        np.testing.assert_allclose(skeleton.velocities, state["u_next"], atol=1e-13 * scale)


def test_a_world_is_its_skeletons_in_blocks(skeleton):
    other = dyn.Skeleton(robot("other"))
    world = dyn.World([skeleton, other])
    world.velocities = np.arange(14.0)
    world.control_forces = -np.arange(14.0)
    q = world.positions
    np.testing.assert_array_equal(skeleton.velocities, np.arange(7.0))
    np.testing.assert_array_equal(other.control_forces, -np.arange(7.0, 14.0))
    M, tau, C = world.mass_matrix, world.control_forces, world.resisting_forces
    assert not M[:7, 7:].any()
    np.testing.assert_allclose(world.accelerations, np.linalg.solve(M, tau - C), rtol=1e-12)
    parts = world.coriolis_and_gravity_forces - world.external_forces + world.damping_forces + world.spring_forces
    np.testing.assert_allclose(C, parts, rtol=1e-14)
    np.testing.assert_allclose(
        world.coriolis_and_gravity_forces, world.coriolis_forces + world.gravity_forces, atol=1e-11
    )
    world.step()
    assert not np.array_equal(world.positions, q)
    world.positions = q
    np.testing.assert_array_equal(other.positions, q[8:])


def test_bad_input_is_refused(skeleton):
    with pytest.raises(StateError, match=r"^positions has shape \(3,\), but model '\w+' \(.*\) needs \(8\)"):
        skeleton.positions = np.zeros(3)
    with pytest.raises(StateError, match=r"^velocities\[0\] \('[\w\[\]]+'\) is nan; it must be finite$"):
        skeleton.velocities = np.full(7, np.nan)
    with pytest.raises(StateError, match=r"^dt must be positive; it is 0$"):
        dyn.Skeleton(skeleton.model, 0)
    with pytest.raises(StateError, match=r"a world needs skeletons of one time step; there are \[0.001, 0.01\]"):
        dyn.World([skeleton, dyn.Skeleton(skeleton.model, 0.01)])
    with pytest.raises(StateError, match="a world needs skeletons of one time step; there are none"):
        dyn.World([])
    with pytest.raises(StateError, match=r"control forces have shape \(2,\); give \(7,\)"):
        dyn.World([skeleton]).control_forces = np.zeros(2)
