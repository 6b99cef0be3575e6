import numpy as np

from ipc_articulation import spatial
from ipc_articulation.dynamics import inverse_dynamics, joint_wrenches
from tests.dynamics.by_hand import assert_near, body_motions, moved
from tests.dynamics.random_trees import link_poses, random_states


def joint_frames(mechanism, model, q):
    """Pose in the world of the frame that each body's joint moves."""
    poses = link_poses(mechanism, model, q)
    placed = {joint.name: joint for joint in mechanism.joints}
    joints = [placed[name] for name in model.joint_names]
    return [poses[joint.child] @ spatial.inverse(joint.child_origin) for joint in joints]


def carried_by(model, b):
    """Bodies that hang on one, with itself."""
    found = {b}
    for i, body in enumerate(model.bodies):
        if body.parent in found:
            found.add(i)
    return found


def test_joints_transmit_what_they_carry_needs(mechanism, model):
    state = random_states(model, 1)
    frames = joint_frames(mechanism, model, state.q)
    motions = body_motions(model, state)
    transmitted = joint_wrenches(model, *state[:3], state.wrenches)
    for b, node in enumerate(model.body_node):
        if node < 0:
            assert not transmitted[b].any()
            continue
        x = frames[b][:3, 3]
        needed = sum(
            moved(motions[i].needs(model.gravity), motions[i].x, x) - moved(state.wrenches[i], np.zeros(3), x)
            for i in carried_by(model, b)
        )
        assert_near(transmitted[b], needed)


def test_along_its_freedoms_a_joint_transmits_the_force_of_its_motor(mechanism, model):
    """τ = Xᵀ [n; f] in the child's axes, + rotor inertia · a."""
    state = random_states(model, 2)
    tau = inverse_dynamics(model, *state[:3], state.wrenches) - model.coordinates.rotor_inertia * state.a
    transmitted = joint_wrenches(model, *state[:3], state.wrenches)
    for body, frame, wrench in zip(model.bodies, joint_frames(mechanism, model, state.q), transmitted, strict=True):
        X = body.joint.subspace(state.q[model.positions(body.joint_name)])
        in_child = (wrench.reshape(2, 3) @ frame[:3, :3]).ravel()
        assert_near(X.T @ in_child, tau[model.dofs(body.joint_name)], 1e-10)


def test_without_wrenches_from_outside(model):
    state = random_states(model, 3)
    none = joint_wrenches(model, *state[:3], np.zeros_like(state.wrenches))
    np.testing.assert_array_equal(joint_wrenches(model, *state[:3]), none)
