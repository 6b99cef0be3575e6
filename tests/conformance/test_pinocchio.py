"""Published robots beside Pinocchio, a hundred random states each.

Pinocchio's floating base has the quaternion as (x, y, z, w) and velocities (v, ω) in the base's axes. With R the base's
rotation and T = diag(R, R, 1),

    v_ours = T v,   a_ours = T (a + [ω × v; 0; 0]),   M_ours = T M Tᵀ,   h_ours = T (h - M [ω × v; 0; 0])

because d/dt (R v) = R (v̇ + ω × v). All other coordinates are the same, joint by joint.
"""

from typing import NamedTuple

import numpy as np
import pytest
from ipc_articulation.adapters.mujoco.model import find_package
from lxml import etree

from ipc_articulation import dynamics as dyn
from ipc_articulation import spatial
from ipc_articulation.dynamics.reading.repairing import repaired
from ipc_articulation.repairs import collected

pin = pytest.importorskip("pinocchio")

STATES = 100
TOLERANCE = 1e-10  # relative to the largest entry of one state
ROBOTS = {
    "panda": ("panda_description/urdf/panda.urdf", False),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", False),
    "allegro": ("allegro_hand_description/urdf/allegro_right_hand.urdf", False),
    "anymal": ("anymal_b_simple_description/robots/anymal.urdf", True),
    "go2": ("go2_description/urdf/go2.urdf", True),
    "g1": ("g1_description/urdf/g1_29dof_rev_1_0.urdf", True),
    "talos": ("talos_data/robots/talos_full_v2.urdf", True),
}


class Pinocchio(NamedTuple):
    """Pinocchio's results in our coordinates and order."""

    model: dyn.Model
    pin_model: object
    q: np.ndarray  # (s, nq), and so on with s states
    v: np.ndarray
    a: np.ndarray
    tau: np.ndarray  # of inverse dynamics
    force: np.ndarray  # any, and the acceleration that it gives
    acceleration: np.ndarray
    M: np.ndarray
    h: np.ndarray
    g: np.ndarray
    energies: np.ndarray  # (s, 2) kinetic, potential
    J: dict  # frame -> (s, 6, nv)


@pytest.fixture(scope="module", params=ROBOTS)
def robot(request):
    file, floating = ROBOTS[request.param]
    path = find_package("example-robot-data") / "robots" / file
    with collected() as repairs:
        model, after = dyn.read_urdf(path, floating_base=floating).build(), repaired(path)
    text = etree.tostring(after.element, encoding="unicode") if repairs else path.read_text()
    pin_model = pin.buildModelFromXML(text, *([pin.JointModelFreeFlyer()] if floating else []))
    return results(model, pin_model, floating)


pytestmark = pytest.mark.filterwarnings("ignore:.*belong to no body")


def results(model, pin_model, floating):
    """Random states, and what Pinocchio says of them."""
    rng = np.random.default_rng(model.nv)
    names = [body.joint_name for body in model.bodies if body.joint.ndof]
    moving = [pin_model.joints[pin_model.getJointId(name)] for name in names]
    at_q = np.concatenate([np.arange(joint.idx_q, joint.idx_q + joint.nq) for joint in moving])
    at_v = np.concatenate([np.arange(joint.idx_v, joint.idx_v + joint.nv) for joint in moving])
    assert sorted(at_q) == list(range(pin_model.nq))
    q = dyn.random_position(model, rng, STATES)
    rows = [state(model, pin_model, x, at_q, at_v, floating, rng) for x in q]
    columns = [np.array(column) for column in zip(*(row[:-1] for row in rows), strict=True)]
    J = {name: np.array([row[-1][name] for row in rows]) for name in rows[0][-1]}
    return Pinocchio(model, pin_model, q, *columns, J)


def state(model, pin_model, q, at_q, at_v, floating, rng):
    v, a, force = rng.normal(size=(3, pin_model.nv))
    q_pin = np.empty(pin_model.nq)
    q_pin[at_q] = q
    T, turned = np.eye(pin_model.nv), np.zeros(pin_model.nv)
    if floating:
        q_pin[3:7] = q[[4, 5, 6, 3]]
        R = spatial.rotation_from_quaternion(q[3:7])
        T[:3, :3] = T[3:6, 3:6] = R
        turned[:3] = np.cross(v[3:6], v[:3])
    data = pin_model.createData()
    pin.computeAllTerms(pin_model, data, q_pin, v)
    M = np.triu(data.M) + np.triu(data.M, 1).T
    h = data.nle - M @ turned
    tau, g = pin.rnea(pin_model, data, q_pin, v, a).copy(), pin.computeGeneralizedGravity(pin_model, data, q_pin)
    acceleration = pin.aba(pin_model, data, q_pin, v, force) + turned
    vectors = [T @ x for x in (v, a + turned, tau, force, acceleration)]
    energies = pin.computeKineticEnergy(pin_model, data, q_pin, v), pin.computePotentialEnergy(pin_model, data, q_pin)
    J = frame_jacobians(model, pin_model, q_pin, T, at_v)
    M, h, g = (T @ M @ T.T)[np.ix_(at_v, at_v)], (T @ h)[at_v], (T @ g)[at_v]
    return *(x[at_v] for x in vectors), M, h, g, energies, J


def frame_jacobians(model, pin_model, q, T, at_v):
    """Of a few frames, [angular; linear]."""
    data = pin_model.createData()
    J = {}
    for name in model.frame_names[1 :: max(1, len(model.frame_names) // 4)]:
        frame = pin_model.getFrameId(name, pin.BODY)
        theirs = pin.computeFrameJacobian(pin_model, data, q, frame, pin.LOCAL_WORLD_ALIGNED)
        J[name] = (theirs[[3, 4, 5, 0, 1, 2]] @ T.T)[:, at_v]
    return J


def assert_same(got, want):
    """Each state to a tolerance relative to its largest entry."""
    got, want = np.reshape(got, (STATES, -1)), np.reshape(want, (STATES, -1))
    error = np.abs(got - want).max(axis=1) / np.abs(want).max(axis=1)
    assert error.max() < TOLERANCE


def test_mass_matrix(robot):
    assert_same(dyn.mass_matrix(robot.model, robot.q), robot.M)


def test_bias_and_gravity_forces(robot):
    assert_same(dyn.bias_forces(robot.model, robot.q, robot.v), robot.h)
    assert_same(dyn.gravity_forces(robot.model, robot.q), robot.g)


def test_inverse_dynamics(robot):
    assert_same(dyn.inverse_dynamics(robot.model, robot.q, robot.v, robot.a), robot.tau)


def test_forward_dynamics(robot):
    assert_same(dyn.forward_dynamics(robot.model, robot.q, robot.v, robot.force), robot.acceleration)


def test_energies(robot):
    assert_same(dyn.kinetic_energy(robot.model, robot.q, robot.v), robot.energies[:, 0])
    assert_same(dyn.potential_energy(robot.model, robot.q), robot.energies[:, 1])


def test_frame_jacobians(robot):
    assert len(robot.J) >= 4
    for name, J in robot.J.items():
        assert_same(dyn.jacobian(robot.model, robot.q, name), J)
