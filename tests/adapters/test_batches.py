"""Batches of robots: the numbers of each are those of the robot alone, bit for bit."""

from dataclasses import fields

import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import MujocoAdapter
from ipc_articulation.adapters.mujoco.batch import MujocoBatch
from ipc_articulation.adapters.native import NativeAdapter
from ipc_articulation.adapters.native.batch import NativeBatch

from ipc_articulation import cores
from ipc_articulation import dynamics as dyn
from ipc_articulation.coupling.adapter import CoupledBody, Prediction
from ipc_articulation.coupling.batches import OneByOne, batch_of
from ipc_articulation.dynamics import joints
from ipc_articulation.errors import AdapterError, StateError
from tests.adapters.mujoco.models import arm
from tests.coupling.worlds import cube

N, DT = 5, 0.005
STATE = mujoco.mjtState.mjSTATE_INTEGRATION


def restrained() -> dyn.Model:
    """A floating trunk with a ball joint, hinges, a slide and a mimic joint; limits, dry friction, limited motors."""
    mechanism = dyn.Mechanism("restrained")
    parts = {
        "trunk": ("world", joints.FloatingJoint(), {}),
        "head": ("trunk", joints.SphericalJoint(), {"damping": 0.1}),
        "arm": ("trunk", joints.RevoluteJoint((0, 1, 0)), {"lower": -0.2, "upper": 0.2, "effort": 3.0}),
        "hand": ("arm", joints.RevoluteJoint((1, 0, 0)), {"friction": 0.05, "effort": 2.0, "stiffness": 3.0}),
        "tail": ("trunk", joints.PrismaticJoint((0, 0, 1)), {"lower": -0.05, "upper": 0.05, "friction": 0.4}),
        "flap": ("hand", joints.RevoluteJoint((0, 0, 1)), {"mimic": dyn.Mimic("to hand", 0.5, 0.1)}),
    }
    for name, (parent, joint, properties) in parts.items():
        mechanism.add_link(name, 1.0, (0.05, 0.02, 0.1), 0.02)
        mechanism.add_joint(f"to {name}", joint, parent, name, **properties)
    return mechanism.build()


def native_robots(scheme=dyn.Scheme.FULL, count=N) -> list[NativeAdapter]:
    """Robots of one model in different states, some with control, one with wrenches."""
    model, rng, robots = restrained(), np.random.default_rng(3), []
    crate = CoupledBody("crate", np.eye(4), cube(0.1), 1.0)
    for k in range(count):
        q, target = dyn.random_position(model, rng, 2)
        robot = NativeAdapter(model, DT, q=q, v=rng.normal(size=model.nv), free=[crate], scheme=scheme)
        pd = dyn.PD.to(model, target, kp=20.0 * k, kd=0.5) if k % 2 else None
        wrenches = 0.1 * rng.normal(size=(len(model.bodies), 6)) if k == 2 else None
        robot.drive = dyn.Drive(tau=0.3 * k, pd=pd, wrenches=wrenches)
        robots.append(robot)
    return robots


def mujoco_robots() -> list[MujocoAdapter]:
    """States of one model."""
    model, _ = arm("implicitfast")
    robots = []
    for k in range(N):
        theirs, data = arm("implicitfast", seed=k)
        values, own = np.empty(mujoco.mj_stateSize(model, STATE)), mujoco.MjData(model)
        mujoco.mj_getState(theirs, data, values, STATE)
        mujoco.mj_setState(model, own, values, STATE)
        robots.append(MujocoAdapter(model, own))
        robots[-1].describe()
    return robots


MAKERS = {
    "mujoco": mujoco_robots,
    **{scheme.value: lambda scheme=scheme: native_robots(scheme) for scheme in dyn.Scheme},
}
EACH = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


def assert_same(ours: Prediction, theirs: Prediction) -> None:
    """Every number of two predictions is the same."""
    for name in ("mass", "delta_theta_tilde", "link_poses", "aims"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), err_msg=name)
    assert (ours.restraints is None) == (theirs.restraints is None)
    for part in (ours.restraints, ours.restraints and ours.restraints.motors):
        other = theirs.restraints if part is ours.restraints else theirs.restraints.motors
        if other is None:  # a robot without motors beside others with some
            assert part is None or not part.stiffness.any()
            continue
        for field in fields(part):
            if field.name != "motors":
                np.testing.assert_array_equal(getattr(part, field.name), getattr(other, field.name))


def motion(robots, step: int):
    """Corrections, poses and rates of the free bodies in a step."""
    rng, count = np.random.default_rng(step), len(robots)
    poses, rates = np.tile(np.eye(4), (count, 1, 1, 1)), np.zeros((count, 1, 4, 4))
    poses[..., :3, 3], rates[..., :3, 3] = rng.normal(size=(2, count, 1, 3))
    return 1e-3 * rng.normal(size=(count, len(robots[0].theta()))), poses, rates


def assert_same_state(ours, theirs) -> None:
    for one, other in zip(ours, theirs, strict=True):
        for name, values in one.state().items():
            np.testing.assert_array_equal(values, other.state()[name], err_msg=name)
        np.testing.assert_array_equal(one.link_poses(), other.link_poses())


@EACH
def test_each_robot_is_as_alone(make):
    together, alone = make(), make()
    batch = batch_of(together)
    for step in range(4):
        predictions = batch.predict()
        for k, robot in enumerate(alone):
            assert_same(predictions.of(k), robot.predict())
        change, poses, rates = motion(alone, step)
        delta = predictions.delta_theta_tilde + change
        batch.commit(delta, poses, rates)
        for k, robot in enumerate(alone):
            robot.commit(delta[k], poses[k], rates[k])
        assert_same_state(together, alone)


def spoil(robot) -> None:
    """Make the next step of a robot impossible."""
    if isinstance(robot, MujocoAdapter):
        robot.data.ctrl[0] = np.nan
    else:
        robot.v = np.full(robot.model.nv, np.inf)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (native_robots, StateError, r"v\[0\] .* is inf"),
        (mujoco_robots, AdapterError, "control of actuator 'servo'"),
    ],
)
def test_a_robot_that_fails_stays_and_the_others_go_on(make, error, message):
    together, alone = make(), make()
    spoil(together[1])
    before, batch = together[1].state(), batch_of(together)
    predictions = batch.predict()
    assert list(predictions.failures) == [1]
    assert np.isnan(predictions.mass[1]).all()
    with pytest.raises(error, match=message):
        predictions.of(1)
    others = [robot for k, robot in enumerate(alone) if k != 1]
    for k, robot in zip((0, 2, 3, 4), others, strict=True):
        assert_same(predictions.of(k), robot.predict())
        robot.commit(predictions.delta_theta_tilde[k], *(array[k] for array in motion(alone, 0)[1:]))
    batch.commit(predictions.delta_theta_tilde, *motion(alone, 0)[1:])
    assert_same_state([robot for k, robot in enumerate(together) if k != 1], others)
    for name, values in together[1].state().items():
        np.testing.assert_array_equal(values, before[name])


def test_the_numbers_do_not_depend_on_the_cores(monkeypatch):
    results = []
    for threads in ("1", "2"):
        monkeypatch.setenv(cores.THREADS, threads)
        robots = native_robots(count=130)
        predictions = batch_of(robots).predict()
        results.append(predictions)
    np.testing.assert_array_equal(results[0].mass, results[1].mass)
    np.testing.assert_array_equal(results[0].delta_theta_tilde, results[1].delta_theta_tilde)


def test_robots_may_be_used_alone_between_the_steps_of_a_batch():
    together, alone = native_robots(), native_robots()
    batch = batch_of(together)
    batch.predict()
    for robots in (together, alone):
        robots[0].drive = dyn.Drive(tau=1.0)
    tilde = np.array([robot.predict().delta_theta_tilde for robot in alone])
    together[0].predict()
    change, poses, rates = motion(alone, 0)
    batch.commit(tilde + change, poses, rates)
    for k, robot in enumerate(alone):
        robot.commit(tilde[k] + change[k], poses[k], rates[k])
    assert_same_state(together, alone)


def test_an_edit_of_the_model_is_refused_in_a_batch():
    robots = mujoco_robots()
    batch = batch_of(robots)
    batch.predict()
    batch.commit(np.zeros((N, 4)), *motion(robots, 0)[1:])
    robots[0].model.geom_size[1, 0] *= 2.0
    with pytest.raises(AdapterError, match="geom_size of geom 'wall' was changed"):
        batch.predict()


def test_a_commit_needs_a_prediction():
    robots = native_robots()
    with pytest.raises(AdapterError, match="commit without a prediction"):
        batch_of(robots).commit(*motion(robots, 0))


def test_the_kind_of_batch():
    native, others = native_robots(), mujoco_robots()
    assert isinstance(batch_of(native), NativeBatch)
    assert isinstance(batch_of(others), MujocoBatch)
    assert isinstance(batch_of([*native, *others]), OneByOne)
    assert isinstance(batch_of([native[0], native_robots()[0]]), OneByOne)  # two models
    for wrong in ([], [native[0], native[0]]):
        with pytest.raises(AdapterError, match="a batch has one robot at least, and each adapter once"):
            batch_of(wrong)
