"""Robots beside nimblephysics, whose values `tests/reference/nimble_values.py` wrote."""

import json
from pathlib import Path

import numpy as np
import pytest
from ipc_articulation.adapters.mujoco.model import find_package

from ipc_articulation import dynamics as dyn
from ipc_articulation.dynamics import conventions as conv
from tests.derivatives import relative_error

VALUES = json.loads(Path(__file__).parents[1].joinpath("reference", "nimble_values.json").read_text())
ROBOTS = {group["robot"]: group for group in VALUES["without_springs"]} | {"springs": VALUES["with_springs"][0]}
TOLERANCE = 1e-10  # relative to the largest entry


@pytest.fixture(scope="module", params=ROBOTS)
def robot(request):
    """Our model, with its dofs in nimble's order, and nimble's values."""
    values = ROBOTS[request.param]
    path = find_package("example-robot-data") / "robots" / values["urdf"]
    floating = floats(values)
    names = [name for name in values["dofs"] if not name.startswith("rootJoint")]
    order = ["root_joint", *names] if floating else names
    mechanism = dyn.read_urdf(path, floating_base=floating)
    mechanism.gravity = VALUES["gravity"]
    for joint in mechanism.joints:
        joint.mimic = None
    return mechanism.build(joint_order=order), values


def floats(values):
    return values["joints"][0]["type"] == "FreeJoint"


def states(robot):
    """Our q, v, a, τ, M, c and gravity's forces of each state."""
    model, values = robot
    for state in values["states"]:
        x = {key: np.array(value) for key, value in state.items()}
        q = conv.position_from(conv.NIMBLE_URDF, model, x["q"])
        v = conv.velocity_from(conv.NIMBLE_URDF, model, q, x["u"])
        a = conv.acceleration_from(conv.NIMBLE_URDF, model, q, v, x["acceleration"])
        T, r = conv.velocity_map(conv.NIMBLE_URDF, model, q, v)
        tau, c, g = (T.T @ x[key] for key in ("tau", "coriolis_and_gravity", "gravity"))
        M = T.T @ x["mass_matrix"] @ T
        yield q, v, a, tau, M, c + T.T @ x["mass_matrix"] @ r, g


def test_mass_matrix(robot):
    for q, _, _, _, M, *_ in states(robot):
        assert relative_error(dyn.mass_matrix(robot[0], q), M) < TOLERANCE


def test_coriolis_and_gravity_forces(robot):
    for q, v, *_, c, g in states(robot):
        assert relative_error(dyn.bias_forces(robot[0], q, v), c) < TOLERANCE
        assert relative_error(dyn.gravity_forces(robot[0], q), g) < TOLERANCE


def test_accelerations(robot):
    """With nimble's springs and dampers handed over as forces, -d u - k (q - q0 + h u)."""
    model, values = robot
    d, k, q0 = (np.array(values[key]) for key in ("damping", "stiffness", "rest"))
    for q, v, a, tau, *_ in states(robot):
        passive = -d * v
        if k.any():
            passive -= k * (q - q0 + VALUES["time_step"] * v)
        assert relative_error(dyn.forward_dynamics(model, q, v, tau + passive), a) < TOLERANCE


def test_masses(robot):
    model, values = robot
    fixed = sum(body.mass for body, node in zip(model.bodies, model.body_node, strict=True) if node < 0)
    assert model.mass + fixed == pytest.approx(values["mass"], rel=1e-12)
