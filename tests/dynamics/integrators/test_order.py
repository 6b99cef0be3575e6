"""The error of every integrator falls with its order when the step is halved."""

import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation import spatial
from ipc_articulation.dynamics import joints

TIME = 0.4
ORDERS = {dyn.semi_implicit_euler: 1, dyn.implicit: 1, dyn.trapezoid: 2, dyn.midpoint: 2, dyn.runge_kutta_4: 4}


@pytest.fixture(scope="module")
def model():
    """A tumbling body that carries a swinging one, with springs, dampers and a rotor."""
    mechanism = dyn.Mechanism("tumbler")
    mechanism.add_link("base", 1.0, (0, 0.1, 0.2), (0.05, 0.06, 0.07))
    mechanism.add_link("arm", 0.7, (0, 0.2, 0.3), (0.05, 0.04, 0.03))
    mechanism.add_link("hand", 0.5, (0.1, 0, 0.1), (0.005, 0.004, 0.003))
    mechanism.add_joint("free", joints.FloatingJoint(), "world", "base", damping=0.1)
    mechanism.add_joint(
        "ball", joints.SphericalJoint(), "base", "arm", origin=spatial.pose(p=(0, 0, 0.5)), stiffness=3.0, damping=0.1
    )
    mechanism.add_joint(
        "elbow",
        joints.UniversalJoint((1, 0, 0), (0, 1, 0)),
        "arm",
        "hand",
        stiffness=1.0,
        spring_mount=(0.3, 0),
        rotor_inertia=0.01,
    )
    return mechanism.build()


def travel(step, model, count):
    """Where a robot is after TIME in `count` steps."""
    rng = np.random.default_rng(0)
    q, v = dyn.random_position(model, rng), rng.normal(size=model.nv)
    pd = dyn.PD.to(model, model.neutral, kp=np.r_[np.zeros(6), np.full(5, 2.0)], kd=np.r_[np.zeros(6), np.full(5, 0.1)])
    drive = dyn.Drive(tau=np.linspace(-1, 1, model.nv), pd=pd, wrenches=np.full((3, 6), 0.2))
    for _ in range(count):
        q, v = step(model, q, v, TIME / count, drive)
    return q, v


@pytest.fixture(scope="module")
def truth(model):
    return travel(dyn.runge_kutta_4, model, 1600)


@pytest.mark.parametrize("step", ORDERS, ids=lambda step: step.__name__)
def test_order(step, model, truth):
    errors = []
    for count in (80, 160, 320):
        q, v = travel(step, model, count)
        errors.append(np.linalg.norm(np.r_[dyn.difference(model, truth[0], q), v - truth[1]]))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    np.testing.assert_allclose(orders, ORDERS[step], atol=0.25)


@pytest.mark.parametrize("step", [step for step in ORDERS if step is not dyn.implicit], ids=lambda step: step.__name__)
def test_steps_take_batches(step, model):
    rng = np.random.default_rng(2)
    q, v = dyn.random_position(model, rng, 4), rng.normal(size=(4, model.nv))
    q_end, v_end = step(model, q, v, 0.01)
    for k in range(4):
        one = step(model, q[k], v[k], 0.01)
        np.testing.assert_allclose(q_end[k], one.q, rtol=1e-12)
        np.testing.assert_allclose(v_end[k], one.v, rtol=1e-12)


@pytest.mark.slow
def test_energy_of_a_pendulum_stays_bounded():
    """Semi-implicit Euler is symplectic where the mass matrix is constant: no drift over 200 swings, only a ripple."""
    mechanism = dyn.Mechanism("pendulum")
    mechanism.add_link("rod", 1.0, (0, 0, -0.5), 0.02)
    mechanism.add_joint("hinge", joints.RevoluteJoint((0, 1, 0)), "world", "rod")
    model = mechanism.build()
    q, v, energies = np.array([1.0]), np.zeros(1), []
    for _ in range(30_000):
        q, v = dyn.semi_implicit_euler(model, q, v, 0.01)
        energies.append(dyn.kinetic_energy(model, q, v) + dyn.potential_energy(model, q))
    first, last = np.mean(energies[:3000]), np.mean(energies[-3000:])
    assert abs(last - first) < 1e-2 * np.ptp(energies)
    assert np.ptp(energies) < 0.2


@pytest.mark.parametrize("step", ORDERS, ids=lambda step: step.__name__)
def test_every_integrator_returns_a_step(step, model):
    end = step(model, model.neutral, np.zeros(model.nv), 1e-3)
    q, v = end
    assert isinstance(end, dyn.Step)
    assert q is end.q
    assert v is end.v
    assert isinstance(end, dyn.ImplicitStep) == (step is dyn.implicit)
