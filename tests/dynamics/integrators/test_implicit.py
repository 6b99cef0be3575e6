"""The implicit step: its equation, its stability, and the matrix that it hands to the IPC step."""

import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation import spatial
from ipc_articulation.dynamics import joints
from ipc_articulation.dynamics.integrators.tree_kernels import UNSOLVED
from ipc_articulation.errors import SolverError

DT = 0.01


def arm(**properties):
    """Two hinges in series."""
    mechanism = dyn.Mechanism("arm")
    for name, parent in (("upper", "world"), ("lower", "upper")):
        mechanism.add_link(name, 1.0, (0, 0, -0.25), 0.02)
        place = spatial.pose(p=(0, 0, -0.5 * (parent != "world")))
        mechanism.add_joint(f"to {name}", joints.RevoluteJoint((0, 1, 0)), parent, name, origin=place, **properties)
    return mechanism


def test_the_step_solves_its_equation():
    """M̂ Δv = dt (τ - h - D v - K (x + dt v) - Kp (e + dt v) - Kd v), with force and gains at the end of the step."""
    model = arm(damping=2.0, stiffness=30.0, spring_mount=0.2).build()
    q, v, tau = np.array([0.5, -0.3]), np.array([1.0, 2.0]), np.array([0.4, 0.1])
    pd = dyn.PD.to(model, [0.1, 0.2], kp=50.0, kd=3.0)
    end = dyn.implicit(model, q, v, DT, dyn.Drive(tau=tau, pd=pd))
    M, h = dyn.mass_matrix(model, q), dyn.bias_forces(model, q, v)
    passive = -2.0 * end.v - 30.0 * (end.q - 0.2)
    control = 50.0 * (np.array([0.1, 0.2]) - end.q) - 3.0 * end.v
    np.testing.assert_allclose(M @ (end.v - v), DT * (tau - h + passive + control), atol=1e-14)
    np.testing.assert_allclose(end.mass, M + np.eye(2) * (DT * (2.0 + 3.0) + DT**2 * (30.0 + 50.0)), atol=1e-15)
    np.testing.assert_allclose(end.q, q + DT * end.v, atol=1e-16)


@pytest.mark.parametrize(
    ("scheme", "added"),
    [(dyn.Scheme.DAMPING, DT * 2.0), (dyn.Scheme.VELOCITY, DT * 5.0), (dyn.Scheme.FULL, DT * 5.0 + DT**2 * 80.0)],
)
def test_what_each_scheme_is_implicit_in(scheme, added):
    model = arm(damping=2.0, stiffness=30.0).build()
    q, v = np.array([0.5, -0.3]), np.array([1.0, 2.0])
    drive = dyn.Drive(pd=dyn.PD.to(model, [0.1, 0.2], kp=50.0, kd=3.0))
    end = dyn.implicit(model, q, v, DT, drive, scheme)
    M = dyn.mass_matrix(model, q)
    np.testing.assert_allclose(end.mass, M + added * np.eye(2), atol=1e-14)
    explicit = v + DT * dyn.acceleration(model, q, v, drive)
    if scheme is not dyn.Scheme.FULL:
        np.testing.assert_allclose(end.mass @ (end.v - v), M @ (explicit - v), atol=1e-13)


def test_any_stiffness_and_damping_is_stable():
    """Gains at which an explicit step explodes at once; the robot goes to its target instead."""
    model = arm().build()
    drive = dyn.Drive(pd=dyn.PD.to(model, [0.7, -0.4], kp=1e7, kd=1e5))
    q, v = np.zeros(2), np.zeros(2)
    for _ in range(200):
        end = dyn.implicit(model, q, v, DT, drive)
        q, v = end.q, end.v
    np.testing.assert_allclose(q, [0.7, -0.4], atol=1e-5)
    np.testing.assert_allclose(v, 0.0, atol=1e-6)


def test_dry_friction_holds_what_it_can_and_brakes_what_it_cannot():
    model = arm(friction=10.0).build()
    still = dyn.implicit(model, np.array([0.5, 0.2]), np.zeros(2), DT)
    np.testing.assert_array_equal(still.v, 0.0)
    slipping = arm(friction=0.3).build()
    q, v = np.array([0.0, 0.0]), np.array([0.0, 4.0])
    end = dyn.implicit(slipping, q, v, DT)
    force = dyn.mass_matrix(slipping, q) @ (end.v - v) / DT + dyn.bias_forces(slipping, q, v)
    np.testing.assert_allclose(force, -0.3 * np.sign(end.v), atol=1e-12)


def test_a_joint_stops_at_its_limit_without_bouncing():
    """The upper arm falls from rest onto its limit; the lower one stays free."""
    mechanism = arm()
    mechanism.joints[0].lower, mechanism.joints[0].upper = 0.2, 1.0
    model = mechanism.build()
    q, v, lowest = np.array([0.8, 0.0]), np.zeros(2), []
    for _ in range(300):
        end = dyn.implicit(model, q, v, DT)
        q, v = end.q, end.v
        lowest.append(q[0])
    assert min(lowest) == pytest.approx(0.2, abs=1e-12)
    assert max(lowest) <= 0.8
    assert abs(v[1]) > 1e-3


def test_a_mimic_joint_follows_exactly():
    mechanism = arm()
    mechanism.joints[1].mimic = dyn.Mimic("to upper", multiplier=-2.0, offset=0.3)
    model = mechanism.build()
    q, v = np.array([0.5, 0.0]), np.zeros(2)  # out of place: put right in one step
    for _ in range(100):
        end = dyn.implicit(model, q, v, DT, dyn.Drive(tau=(1.0, 0.5)))
        q, v = end.q, end.v
        assert q[1] == pytest.approx(-2.0 * q[0] + 0.3, abs=1e-13)


def test_a_mimic_joint_out_of_place_catches_up_with_the_least_effort():
    """Minimise ½ vᵀMv - pᵀv so that v₂ + 2 v₁ = c: the multiplier's equations."""
    mechanism = arm()
    mechanism.joints[1].mimic = dyn.Mimic("to upper", multiplier=-2.0, offset=0.3)
    model = mechanism.build()
    q, v = np.array([0.5, 0.1]), np.array([0.2, 0.4])
    M, A, c = dyn.mass_matrix(model, q), np.array([[2.0, 1.0]]), (0.3 - 2.0 * 0.5 - 0.1) / DT
    p = M @ v - DT * dyn.bias_forces(model, q, v)
    expected = np.linalg.solve(np.block([[M, A.T], [A, np.zeros((1, 1))]]), [*p, c])
    np.testing.assert_allclose(dyn.implicit(model, q, v, DT).v, expected[:2], rtol=1e-12)


def test_a_mimic_joint_moves_as_the_reduced_robot_does():
    """GᵀM̂G Δy = dt Gᵀ (τ - h): with G = (1, 2)ᵀ."""
    mechanism = arm()
    mechanism.joints[1].mimic = dyn.Mimic("to upper", multiplier=2.0)
    model = mechanism.build()
    q, v, G = np.array([0.3, 0.6]), np.array([1.0, 2.0]), np.array([1.0, 2.0])
    M, h, tau = dyn.mass_matrix(model, q), dyn.bias_forces(model, q, v), np.array([0.2, 0.7])
    speed = 1.0 + DT * (G @ (tau - h)) / (G @ M @ G)
    np.testing.assert_allclose(dyn.implicit(model, q, v, DT, dyn.Drive(tau=tau)).v, speed * G, rtol=1e-13)


def test_friction_that_does_not_converge_is_named(monkeypatch):
    model = arm(friction=0.3).build()
    monkeypatch.setattr(
        "ipc_articulation.dynamics.integrators.tree_step.end_steps", lambda *given: given[-1].fill(UNSOLVED)
    )
    with pytest.raises(
        SolverError, match="dry friction and joint limits of model 'arm' did not converge in 100000 sweeps"
    ):
        dyn.implicit(model, np.zeros(2), np.ones(2), DT)
