import numpy as np
import pytest

from ipc_articulation import spatial
from ipc_articulation.dynamics import (
    frame_accelerations,
    frame_poses,
    frame_velocities,
    integrate,
    jacobian,
    jacobian_rate,
)
from ipc_articulation.errors import ModelError
from tests.derivatives import central_difference
from tests.dynamics.by_hand import assert_near, rate_along
from tests.dynamics.random_trees import link_poses, random_states

POINT = np.array([0.3, -0.5, 0.7])


def turning(R, R_dot):
    """ω of ω~ = Ṙ Rᵀ, over any last axes of Ṙ: (3, 3), (3, 3, ...) -> (3, ...)."""
    S = np.einsum("ik...,jk->ij...", R_dot, R)
    return np.array([S[2, 1], S[0, 2], S[1, 0]])


def test_poses_are_joint_after_joint(mechanism, model):
    q = random_states(model, 1).q
    poses = link_poses(mechanism, model, q)
    frames = frame_poses(model, q)
    for name in (link.name for link in mechanism.links):
        assert_near(frames[model.frame(name)], poses[name])
    tool = mechanism.frames[0]
    assert_near(frames[model.frame("tool")], poses[tool.link] @ tool.pose)


def test_velocities_are_rates_of_poses(model):
    state = random_states(model, 2)
    H, rate = frame_poses(model, state.q), rate_along(model, lambda q, v: frame_poses(model, q), state)
    for got, pose, pose_rate in zip(frame_velocities(model, state.q, state.v), H, rate, strict=True):
        assert_near(got, [*turning(pose[:3, :3], pose_rate[:3, :3]), *pose_rate[:3, 3]], 1e-7)


def test_accelerations_are_rates_of_velocities(model):
    state = random_states(model, 3)
    rate = rate_along(model, lambda q, v: frame_velocities(model, q, v), state)
    assert_near(frame_accelerations(model, state.q, state.v, state.a), rate, 1e-7)


def test_jacobian_is_the_derivative_of_poses(model):
    q = random_states(model, 4).q
    H = frame_poses(model, q)
    by = central_difference(lambda step: frame_poses(model, integrate(model, q, step)), np.zeros(model.nv))
    for i in range(len(H)):
        J = jacobian(model, q, i, POINT)
        assert_near(J[:3], turning(H[i, :3, :3], by[i, :3, :3]), 1e-7)
        assert_near(J[3:], np.einsum("ikj,k->ij", by[i, :3], [*POINT, 1.0]), 1e-7)


def test_jacobian_rate_is_that_of_the_jacobian(model):
    state = random_states(model, 5)
    for frame in model.frame_names:
        rate = rate_along(model, lambda q, v, frame=frame: jacobian(model, q, frame, POINT), state)
        assert_near(jacobian_rate(model, state.q, state.v, frame, POINT), rate, 1e-7)


def test_jacobians_give_velocities_and_accelerations(model):
    state = random_states(model, 6)
    velocities = frame_velocities(model, state.q, state.v)
    accelerations = frame_accelerations(model, state.q, state.v, state.a)
    for i in range(len(model.frame_names)):
        J, J_dot = jacobian(model, state.q, i), jacobian_rate(model, state.q, state.v, i)
        assert_near(velocities[i], J @ state.v)
        assert_near(accelerations[i], J @ state.a + J_dot @ state.v)


def test_what_is_fixed_to_the_world_does_not_move(mechanism, model):
    fixed = [name for name, node in zip(model.frame_names, model.frame_node, strict=True) if node < 0]
    first = mechanism.joints[0]
    assert (first.child in fixed) == (first.joint.ndof == 0)
    state = random_states(model, 7)
    assert not frame_velocities(model, state.q, state.v, fixed).any()
    assert not frame_accelerations(model, state.q, state.v, state.a, fixed).any()
    for name in fixed:
        assert not jacobian(model, state.q, name, POINT).any()
        assert not jacobian_rate(model, state.q, state.v, name, POINT).any()
    if fixed:
        assert_near(frame_poses(model, state.q, [first.child])[0], first.origin @ first.child_origin)


def test_frames_are_chosen_by_name_or_index(model):
    state = random_states(model, 8)
    chosen = ["tool", 2, model.joint_names[-1]]
    index = [model.frame("tool"), 2, model.frame(model.bodies[-1].name)]
    for function, arrays in (
        (frame_poses, state[:1]),
        (frame_velocities, state[:2]),
        (frame_accelerations, state[:3]),
    ):
        np.testing.assert_array_equal(function(model, *arrays, chosen), function(model, *arrays)[index])
    np.testing.assert_array_equal(jacobian(model, state.q, "tool"), jacobian(model, state.q, model.frame("tool")))


@pytest.mark.parametrize(
    "call",
    [
        lambda model, q: frame_poses(model, q, ["tool", "tol"]),
        lambda model, q: jacobian(model, q, "tol"),
        lambda model, q: jacobian_rate(model, q, np.zeros(model.nv), "tol"),
    ],
    ids=["frame_poses", "jacobian", "jacobian_rate"],
)
def test_unknown_frame(free_model, call):
    with pytest.raises(ModelError, match=r"^model 'tree \d' has no frame 'tol'; did you mean 'tool'\? valid: Cyl"):
        call(free_model, free_model.neutral)


def test_spatial_velocity_of_a_link_is_its_joints_twist(mechanism, model):
    """In the child's axes: T_child = Ad(H⁻¹) T_parent + Ad(child_origin⁻¹) X ν."""
    state = random_states(model, 9)
    for placed in mechanism.joints:
        if placed.parent == "world" or not placed.joint.ndof:
            continue
        names = [placed.parent, placed.child]
        H, V = frame_poses(model, state.q, names), frame_velocities(model, state.q, state.v, names)
        parent, child = (spatial.adjoint(spatial.pose(h[:3, :3].T)) @ w for h, w in zip(H, V, strict=True))
        X = placed.joint.subspace(state.q[model.positions(placed.name)])
        own = spatial.adjoint(spatial.inverse(placed.child_origin)) @ X @ state.v[model.dofs(placed.name)]
        assert_near(child, spatial.adjoint(spatial.inverse(H[1]) @ H[0]) @ parent + own)
