"""What the integrators keep: energy and momentum of robots that nothing damps or drives."""

import re

import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation import spatial
from ipc_articulation.dynamics import joints
from ipc_articulation.dynamics.loops import FourBar, gear
from ipc_articulation.errors import SolverError, StateError

DT = 1e-3


def chain():
    """Four rods in series, let go from the side: they swing through each other's planes."""
    mechanism, parent = dyn.Mechanism("chain"), "world"
    for k, joint in enumerate([joints.RxJoint(), joints.RyJoint()] * 2):
        mechanism.add_link(f"rod{k}", 1.0, (0, 0, -0.25), (0.02, 0.02, 1e-3))
        mechanism.add_joint(f"hinge{k}", joint, parent, f"rod{k}", origin=spatial.pose(p=(0, 0, -0.5 if k else 0.0)))
        parent = f"rod{k}"
    model = mechanism.build()
    return model, np.array([1.5, 0.7, -0.9, 0.5]), np.zeros(4)


def spinning():
    """A free body that spins about no principal axis, and an arm that it swings."""
    mechanism = dyn.Mechanism("spinner", gravity=(0, 0, 0))
    mechanism.add_link("body", 2.0, (0.05, 0.02, 0), (0.03, 0.05, 0.06))
    mechanism.add_link("arm", 1.0, (0, 0.1, -0.2), (0.02, 0.02, 1e-3))
    mechanism.add_joint("free", joints.FloatingJoint(), "world", "body")
    mechanism.add_joint("hinge", joints.RxJoint(), "body", "arm", origin=spatial.pose(p=(0.1, 0, -0.3)))
    model = mechanism.build()
    return model, model.neutral, np.array([0.3, -0.2, 0.5, 3.0, -2.0, 4.0, 1.0])


def linkage():
    """A four-bar linkage that swings, with a geared flywheel on its driver: a robot with two loops."""
    mechanism = dyn.Mechanism("linkage", gravity=(0, -9.81, 0))
    for name, parent, at in (("driver", "world", 0.0), ("support", "world", 0.07), ("output", "driver", 0.4)):
        mechanism.add_link(name, 1.0, (0.2, 0, 0), (1e-3, 0.02, 0.02))
        mechanism.add_joint(f"{name}_joint", joints.RzJoint(), parent, name, origin=spatial.pose(p=(at, 0, 0)))
    mechanism.joints[1].origin = spatial.pose(p=(0.07, 0.24, 0))
    mechanism.add_loop(["driver_joint", "support_joint", "output_joint"], FourBar((0.4, 0.25, 0.4), (0.07, 0.24)))
    for name in ("wheel", "motor"):
        mechanism.add_link(name, 0.5, inertia=(1e-3, 1e-3, 2e-3))
        mechanism.add_joint(f"{name}_joint", joints.RzJoint(), "output", name)
    mechanism.add_loop(["wheel_joint", "motor_joint"], gear(-3.0))
    model = mechanism.build()
    return model, dyn.normalised(model, np.array([0.6, 0.5, 0.8, 0.0])), np.array([1.0, 2.0])


ROBOTS = [chain, spinning, linkage]


def energy(model, q, v):
    return float(dyn.kinetic_energy(model, q, v) + dyn.potential_energy(model, q))


def drifts(step, robot, duration):
    """Largest change of energy and of momentum about the centre, relative to what moves."""
    model, q, v = robot()
    start, momentum = energy(model, q, v), dyn.centroidal_momentum(model, q, v)
    change = fastest = turned = 0.0
    for count in range(round(duration / DT)):
        q, v = step(model, q, v, DT)
        if count % 10 == 0:
            change = max(change, abs(energy(model, q, v) - start))
            fastest = max(fastest, float(dyn.kinetic_energy(model, q, v)))
            turned = max(turned, np.abs(dyn.centroidal_momentum(model, q, v) - momentum).max())
    return change / fastest, turned / max(1.0, np.abs(momentum).max())


@pytest.mark.parametrize(
    ("robot", "duration"),
    [
        *((robot, 1.0) for robot in ROBOTS),
        *(pytest.param(robot, 10.0, marks=pytest.mark.slow) for robot in (chain, spinning)),
    ],
)
def test_midpoint_keeps_energy_and_momentum(robot, duration):
    """Measured over 10 s: 1e-5 of the chain's energy; 4e-5 of energy and 6e-5 of momentum of the free robot."""
    lost, turned = drifts(dyn.midpoint, robot, duration)
    assert lost < 1e-4
    assert turned < 1e-4 or robot is not spinning  # the world holds the others


@pytest.mark.slow
@pytest.mark.parametrize("robot", [chain, spinning])
def test_semi_implicit_euler_drifts_where_the_mass_matrix_moves(robot):
    """What its docstring says: some percent in 10 s at 1 ms."""
    assert 0.01 < drifts(dyn.semi_implicit_euler, robot, 10.0)[0] < 0.5


@pytest.mark.parametrize("robot", ROBOTS)
def test_midpoint_is_symmetric(robot):
    """Back along the same way: the rule itself, not only its order."""
    model, q, v = robot()
    q_end, v_end = q, v
    for _ in range(200):
        q_end, v_end = dyn.midpoint(model, q_end, v_end, DT)
    v_end = -v_end
    for _ in range(200):
        q_end, v_end = dyn.midpoint(model, q_end, v_end, DT)
    np.testing.assert_allclose(q_end, q, rtol=0.0, atol=1e-10)
    np.testing.assert_allclose(-v_end, v, rtol=0.0, atol=1e-9)


def test_a_stiff_damper_is_told_of():
    mechanism = dyn.Mechanism("stiff")
    mechanism.add_link("rod", 1.0, (0, 0, -0.5), 0.02)
    mechanism.add_joint("hinge", joints.RxJoint(), "world", "rod", damping=1e4)
    model = mechanism.build()
    with pytest.raises(
        SolverError, match=r"^the midpoint step of model 'stiff' did not converge in 50 iterations; use a"
    ):
        dyn.midpoint(model, [0.0], [1.0], 0.01)


@pytest.mark.parametrize("count", [None, 3])
def test_a_midpoint_step_that_diverges_says_what_to_do(count):
    model, q, v = chain()
    leading = () if count is None else (count, 1)
    with pytest.raises(SolverError, match=r"did not converge in 50 iterations; use a time step smaller than 1000 s"):
        dyn.midpoint(model, np.tile(q, leading), np.tile(v, leading), 1e3)


def test_midpoint_takes_batches():
    model, q, v = chain()
    ends = dyn.midpoint(model, np.stack([q, q]), np.stack([v, -v]), DT)
    for k, end in enumerate((dyn.midpoint(model, q, v, DT), dyn.midpoint(model, q, -v, DT))):
        np.testing.assert_allclose([ends.q[k], ends.v[k]], [*end], rtol=0.0, atol=1e-12)


def test_implicit_takes_one_state():
    model, q, v = chain()
    message = f"q has shape (2, {model.nq}); give one state, ({model.nq},), and no batch"
    with pytest.raises(StateError, match=f"^{re.escape(message)}$"):
        dyn.implicit(model, np.stack([q, q]), v, DT)
