import re

import numpy as np
import pytest
from ipc_articulation.adapters.native import NativeAdapter, Pin

from ipc_articulation import couple, spatial
from ipc_articulation import dynamics as dyn
from ipc_articulation.dynamics import mass_matrix as tree_mass_matrix
from ipc_articulation.dynamics.algorithms.projection import mass_matrix
from ipc_articulation.dynamics.joints import RevoluteJoint, TxTyTzJoint
from ipc_articulation.dynamics.loops import CoordinateFunctions, FourBar, Implicit, gear
from ipc_articulation.dynamics.model import Box, Link, Mechanism, Mimic, Shape
from ipc_articulation.dynamics.model.cluster_joint import ClusterJoint, hinged
from ipc_articulation.dynamics.model.cluster_joints import Generic, TelloHip, TelloKneeAnkle
from ipc_articulation.errors import AdapterError, ModelError, StateError, UnsupportedError
from tests.adapters.native.linkages import (
    DT,
    KD,
    KP,
    LENGTHS,
    OFFSET,
    PIN,
    START,
    X,
    Y,
    Z,
    linkage,
    linkage_adapter,
    press_model,
    start_of,
)
from tests.adapters.native.mechanisms import Run
from tests.coupling.worlds import make_scene, make_world

NONE = np.zeros((0, 4, 4))
LOOP = ["crank joint", "rocker joint", "coupler joint"]


def _at(*position: float) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, 3] = position
    return pose


def geared() -> NativeAdapter:
    return linkage_adapter(press_model(rotor=True))


def test_driven_joints_come_first_and_all_others_are_passive():
    mechanism = geared().describe()
    assert [joint.name for joint in mechanism.joints] == ["crank joint", "flap joint"]
    passive = {joint.name: (joint.parent, joint.child) for joint in mechanism.passive_joints}
    assert [link.name for link in mechanism.links] == ["crank", "rocker", "coupler", "flap"]
    assert passive == {"coupler joint": (0, 2), "rocker joint": (-1, 1), "pin": (2, 1)}
    assert frozenset({"coupler", "rocker"}) in mechanism.untouchable
    assert frozenset({"crank", "rocker"}) not in mechanism.untouchable


def test_the_pin_is_where_the_bars_meet():
    adapter = geared()
    (pin,) = [joint for joint in adapter.describe().passive_joints if joint.name == "pin"]
    angle = adapter.q[1]
    tip = np.array([OFFSET[0] + LENGTHS[2] * np.cos(angle), 0.0, OFFSET[1] + LENGTHS[2] * np.sin(angle)])
    np.testing.assert_allclose(pin.anchor, tip, atol=1e-12)
    np.testing.assert_allclose(pin.axis, [0.0, -1.0, 0.0], atol=1e-15)


def test_effective_mass_holds_rotors_and_gains():
    adapter = geared()
    added = adapter.predict().mass - mass_matrix(adapter.model, adapter.q)
    np.testing.assert_allclose(added, np.diag([DT * KD + DT**2 * KP, DT * 0.3]), atol=1e-14)
    bare = press_model(rotor=True)
    flap = tree_mass_matrix(bare.spanning_tree, bare.spanning(adapter.q))[3, 3]
    np.testing.assert_allclose(mass_matrix(adapter.model, adapter.q)[1, 1], flap + 5.0**2 * 1e-4, rtol=1e-12)


def test_a_joint_that_turns_as_a_multiple_of_the_independent_velocity():
    """q = (2 y, 6 y) instead of (y, 3 y): the same robot, the same M̂ and δθ̃ of its joint."""
    predictions = []
    for scale in (1.0, 2.0):
        robot = press_model(rotor=True)
        constraint = gear(5.0)
        constraint = type(constraint)(scale * constraint.matrix)
        robot = robot.spanning_tree.with_loops(
            [(LOOP, FourBar(LENGTHS, OFFSET)), (["flap joint", "rotor joint"], constraint)]
        )
        x = np.r_[start_of(press_model()), 0.4 / scale]
        adapter = NativeAdapter(robot, DT, q=x, pins=[PIN], v=[0.2, 1.0 / scale])
        predictions.append(adapter.predict())
        adapter.commit(predictions[-1].delta_theta_tilde + np.array([0.0, 1e-3]), NONE, NONE)
        np.testing.assert_allclose(adapter.theta()[1], 0.4 + predictions[-1].delta_theta_tilde[1] + 1e-3, atol=1e-14)
        expected = (predictions[-1].delta_theta_tilde[1] + 1e-3) / DT
        np.testing.assert_allclose(adapter.theta_dot()[1], expected, rtol=1e-12)
    np.testing.assert_allclose(predictions[0].mass, predictions[1].mass, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(predictions[0].delta_theta_tilde, predictions[1].delta_theta_tilde, rtol=1e-10)


def test_a_correction_closes_the_loop():
    adapter = geared()
    start = adapter.theta()
    wanted = adapter.predict().delta_theta_tilde + np.array([0.05, 0.0])
    adapter.commit(wanted, NONE, NONE)
    np.testing.assert_allclose(adapter.theta(), start + wanted, atol=1e-14)
    np.testing.assert_allclose(adapter.theta_dot(), wanted / DT, atol=1e-11)
    assert np.abs(adapter.model.loops[0].constraint.phi(adapter.q[:3])).max() < 1e-12
    assert adapter.describe().passive_joints  # the pin meets


def test_commit_needs_a_prediction():
    with pytest.raises(AdapterError, match="commit without a prediction: call predict first, once for each step"):
        geared().commit(np.zeros(2), NONE, NONE)


def test_an_open_loop_is_told():
    robot = press_model()
    with pytest.raises(StateError, match=r"'crank joint', 'rocker joint', 'coupler joint' is open: \|φ\| = "):
        NativeAdapter(robot, DT, q=[1.7, 1.6, -1.6], pins=[PIN])
    adapter = linkage_adapter(robot)
    adapter.q = adapter.q + 0.01
    with pytest.raises(StateError, match="close it with Model"):
        adapter.predict()


def test_joints_that_the_scene_does_not_have_are_refused():
    mechanism = linkage()
    mechanism.add_link("hand", 0.1, inertia=1e-3)
    mechanism.add_joint("wrist", TxTyTzJoint(), "coupler", "hand")
    robot = mechanism.build().with_loops([(LOOP, FourBar(LENGTHS, OFFSET))])
    with pytest.raises(UnsupportedError, match="joint 'wrist' of body 'hand' is a TxTyTzJoint; revolute, prismatic"):
        NativeAdapter(robot, DT, q=robot.closed([1.7, 1.6, -1.65, 0.0, 0.0, 0.0]), pins=[PIN])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"on_first": (0.36, 0.0, 0.0)},
            "pin 'pin': its ends on 'coupler' and 'rocker' are 0.01 m apart; they must meet at the start",
        ),
        ({"first": "lever"}, "pin 'pin' is on 'lever', which is no link of the scene; there are ['crank', 'rocker',"),
        ({"first": "rotor"}, "pin 'pin' is on 'rotor', which is no link of the scene"),
        ({"second": "world"}, "pin 'pin': its second link is 'world'; give 'world' as the first"),
        ({"axis": (0.0, 0.0, 0.0)}, "pin 'pin': its axis has no length"),
        ({"axis": (1.0, 0.0, 0.0)}, "pin 'pin' hinders its loop: its ends part when the robot moves as its loops do"),
    ],
)
def test_wrong_pins_are_told(changes, message):
    fields = {name: getattr(PIN, name) for name in ("name", "first", "second", "on_first", "on_second", "axis")}
    with pytest.raises(AdapterError, match=re.escape(message)):
        linkage_adapter(press_model(rotor=True), [Pin(**fields | changes)])


def test_a_pin_that_holds_too_little_is_told():
    """One loop of the linkage and of a flag that waves as the crank turns: the pin closes the linkage only."""

    def phi(q):
        (a, b, c), angles = LENGTHS, (q[0], q[0] + q[2], q[1])
        closed = [a * f(angles[0]) + b * f(angles[1]) - c * f(angles[2]) for f in (np.cos, np.sin)]
        return [closed[0] - OFFSET[0], closed[1] - OFFSET[1], q[3] - np.sin(q[0])]

    mechanism = linkage()
    mechanism.links.append(shaped("flag"))
    mechanism.add_joint("flag joint", RevoluteJoint(Z), "world", "flag")
    robot = mechanism.build().with_loops([([*LOOP, "flag joint"], Implicit(phi, 4, [0]))])
    with pytest.raises(AdapterError, match="the links of model 'press' can move in 1 ways more than its loops allow"):
        NativeAdapter(robot, DT, q=robot.closed([*START, np.sin(START[0])]), pins=[PIN])


def test_a_gear_between_links_with_geometry_ties_them(tmp_path):
    """A torque τ on the left link, whose joint is θ, moves both: with G = -1, M̂ e = τ dt² and e_d = -e."""
    mechanism = Mechanism("fingers", gravity=(0, 0, 0))
    for name, y in (("left", 0.1), ("right", -0.1)):
        mechanism.add_link(name, 1.0, inertia=0.01).collision = (Shape(Box((0.1, 0.02, 0.02))),)
        mechanism.add_joint(f"{name} joint", RevoluteJoint((0, 0, 1)), "world", name, origin=_at(0.0, y, 0.0))
    robot = mechanism.build().with_loops([(["left joint", "right joint"], gear(-1.0))])
    adapter = NativeAdapter(robot, DT, q=[0.0], v=[2.0])
    [tied] = adapter.describe().tied_joints
    assert tied.name == "right joint"
    prediction = adapter.predict()
    np.testing.assert_allclose(prediction.tied.rates, [[-1.0]])
    np.testing.assert_allclose(prediction.tied.delta_theta_tilde, [-2.0 * DT])
    scene = make_scene(DT)
    coupling = couple(scene, adapter)
    world = make_world(scene, tmp_path)
    for _ in range(5):
        coupling.step(world)
    left, right = (np.arctan2(pose[1, 0], pose[0, 0]) for pose in coupling.body_poses)
    assert coupling.joint_names == ("left joint",)
    np.testing.assert_allclose([left, right], [10.0 * DT, -10.0 * DT], atol=1e-9)


def shaped(name: str, mass: float = 1.0) -> Link:
    """A link that is a short bar along z."""
    bar = Shape(Box((0.02, 0.02, 0.1)), spatial.pose(p=(0.0, 0.0, -0.1)))
    return Link(name, mass, (0.0, 0.0, -0.1), 0.01 * np.eye(3), collision=(bar,))


def differential(kind) -> ClusterJoint:
    rotors = [hinged(Link(f"r{k}", 0.1, inertia=1e-4 * np.eye(3)), Z, _at(0.0, 0.2 * k, 0.2)) for k in range(2)]
    return kind(rotors, [hinged(shaped("upper"), X), hinged(shaped("lower"), Y, _at(0.0, 0.0, -0.2))])


CLUSTERS = {
    "hip": differential(TelloHip),
    "knee and ankle": differential(TelloKneeAnkle),
    "wave": Generic(
        [hinged(shaped("a"), X), hinged(shaped("b"), Y, _at(0.3, 0.0, 0.0))],
        Implicit(lambda q: [q[1] - 0.4 * np.sin(q[0])], 2, [0]),
    ),
    "linkage": None,
}


@pytest.mark.parametrize("name", CLUSTERS)
def test_loops_that_no_pin_closes_are_tied_and_move_as_the_engines_own(name, tmp_path):
    if CLUSTERS[name] is None:
        robot = press_model()
        q = start_of(robot)
    else:
        mechanism = Mechanism(name)
        CLUSTERS[name].add_to(mechanism, "leg", "world")
        robot = mechanism.build()
        q = robot.closed(0.1 * np.ones(robot.nq))
    adapter, v = NativeAdapter(robot, DT, q=q), np.zeros(robot.nv)
    for _ in range(20):
        step = dyn.implicit(robot, q, v, DT)
        q, v = step.q, step.v
    run = Run(adapter, tmp_path)
    run.step(20)
    assert adapter.describe().tied_joints
    assert np.abs(adapter.v).max() > 0.05
    np.testing.assert_allclose(adapter.q, q, atol=1e-8)
    np.testing.assert_allclose(run.coupling.body_poses[: len(adapter.link_poses())], adapter.link_poses(), atol=1e-6)


def pair(constraint) -> dyn.Model:
    """Two links without geometry on hinges of their own."""
    mechanism = Mechanism("pair")
    for name in ("a", "b"):
        mechanism.add_link(name, 1.0, inertia=0.01)
        mechanism.add_joint(name, RevoluteJoint((0, 0, 1)), "world", name)
    return mechanism.build().with_loops([(["a", "b"], constraint)])


def test_of_two_rotors_the_first_is_in_the_scene():
    adapter = NativeAdapter(pair(gear(2.0)), DT, q=[0.0], pins=[])
    assert [link.name for link in adapter.describe().links] == ["a"]
    np.testing.assert_allclose(adapter.predict().mass, [[0.01 + 4 * 0.01]], rtol=1e-12)


class Cubic:
    """f(x) = a x + x³."""

    def __init__(self, a: float) -> None:
        self.a = a

    def __call__(self, x: float) -> float:
        return self.a * x + x**3

    def first(self, x: float) -> float:
        return self.a + 3.0 * x**2

    def second(self, x: float) -> float:
        return 6.0 * x


def test_an_independent_velocity_of_no_joint_is_told():
    message = "the loop of joints 'a', 'b': independent velocity 0 is that of none of these joints, so contact cannot"
    with pytest.raises(AdapterError, match=message):
        NativeAdapter(pair(CoordinateFunctions([Cubic(1.0), Cubic(2.0)], [0, 0])), DT, q=[0.0])


def test_limits_and_friction_hinder_the_predicted_step():
    """The crank is pulled to 1.7 rad: it stops at a limit on the way, and does not leave when it rubs enough."""
    begin = linkage_adapter(press_model()).theta()[0]
    end = begin + 0.5 * (1.7 - begin)
    for properties, expected in (({"lower": -3.0, "upper": end}, end), ({"friction": 1e3}, begin)):
        adapter = linkage_adapter(press_model(**properties))
        for _ in range(100):
            adapter.commit(adapter.predict().delta_theta_tilde, NONE, NONE)
        assert adapter.theta()[0] == pytest.approx(expected, abs=1e-9)


def test_a_mimic_joint_is_refused():
    with pytest.raises(ModelError, match="joint 'crank joint' of model 'press', which has loops, mimics another one"):
        press_model(mimic=Mimic("rocker joint"))
