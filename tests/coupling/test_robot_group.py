"""Which engines get the input of a step directly, and what else they take besides."""

from dataclasses import replace

import numpy as np
import pytest
import uipc

from ipc_articulation import couple, couple_many
from ipc_articulation.coupling.adapter import Prediction
from ipc_articulation.coupling.constraint import ExternalArticulationConstraint
from ipc_articulation.coupling.properties import RobotProperties
from ipc_articulation.errors import AdapterError, ArticulationError
from tests.coupling.robots import add_box
from tests.coupling.test_coupling import CallbacksOnly
from tests.coupling.test_many import started, with_broken
from tests.coupling.worlds import Turntable, at, make_scene, make_world
from tests.hinged_boxes import hinged_boxes


def without_engine(scene, folder):
    """A world whose engine runs callbacks as libuipc's own do."""
    overrider = CallbacksOnly()
    engine = uipc.Engine("callbacks", overrider, str(folder))
    world = uipc.World(engine)
    world.init(scene)
    return world, engine, overrider


def written_mass(coupling):
    return np.array(coupling.placed.articulation.geometry()["joint_joint"].find("mass").view())


def test_attributes_are_written_for_other_engines_only(tmp_path):
    scene = make_scene()
    coupling = couple(scene, Turntable(inertia=3.0))
    coupling.step(make_world(scene, tmp_path))
    np.testing.assert_allclose(coupling.delta_theta, [0.01], atol=1e-6)
    np.testing.assert_array_equal(written_mass(coupling), [0.0])
    scene = make_scene()
    coupling = couple(scene, Turntable(inertia=3.0))
    world, *kept = without_engine(scene, tmp_path)
    world.advance()
    np.testing.assert_array_equal(written_mass(coupling), [3.0])
    assert kept


@pytest.mark.parametrize("many", [False, True])
def test_an_articulation_of_the_users_own_steps_beside_robots(many, tmp_path):
    boxes, table = hinged_boxes(np.zeros(12)), Turntable(wish=0.03)
    constraint = ExternalArticulationConstraint.from_geometry(boxes.articulation, boxes.scene)
    boxes.scene.animator().insert(boxes.owner, constraint.animate(lambda info: (64.0 * np.eye(2), [0.01, 0.002])))
    robot = couple_many(boxes.scene, [table]) if many else couple(boxes.scene, table)
    world = make_world(boxes.scene, tmp_path)
    for _ in range(3):
        robot.step(world)
    if many:
        robot.retrieve(world)
    np.testing.assert_allclose(np.ravel(robot.delta_theta), [0.03], atol=1e-6)
    np.testing.assert_allclose(boxes.slot.geometry()["joint"].find("delta_theta").view(), [0.01, 0.002], atol=1e-6)


def test_a_joint_too_fast_is_named_with_its_environment_which_is_put_back(tmp_path):
    many, world = started(tmp_path)
    many.adapters[1].v = np.array([400.0, 0.0])
    message = r"^environment 1: joint 'wrist' \(revolute\): \|delta_theta_tilde\|"
    with pytest.raises(ArticulationError, match=message):
        many.step(world)
    assert world.frame() == 0
    many.step(world, "reset")
    assert (list(many.failures), world.frame()) == ([1], 1)
    assert np.abs(many.theta_dot).max() < 400.0


@pytest.mark.parametrize("number", range(3))
def test_on_other_engines_every_failure_is_raised(number, tmp_path):
    many, _ = with_broken(tmp_path, number, step=1)
    world, *kept = without_engine(many.scene, tmp_path)
    with pytest.raises(AdapterError, match="the step is unstable"):
        many.step(world, "reset")
    assert kept
    assert not many.failures


def test_environments_that_are_advanced_by_hand_step_like_others(tmp_path):
    by_hand, world = started(tmp_path)
    stepped, other = started(tmp_path / "stepped")
    for _ in range(3):
        stepped.step(other)
        world.advance()
        world.retrieve()
        for coupling in by_hand.couplings:
            coupling.commit()
    np.testing.assert_array_equal(by_hand.theta, stepped.theta)
    np.testing.assert_array_equal(by_hand.body_poses, stepped.body_poses)


class Shared(Turntable):
    """Robots that all write their predictions into the same arrays, and spoil them when a step is over."""

    mass, tilde, poses = np.zeros((1, 1)), np.zeros(1), np.zeros((1, 4, 4))

    def __init__(self, wish, height):
        super().__init__(wish)
        self.height = height

    def describe(self):
        robot = super().describe()
        (link,), (hinge,) = robot.links, robot.joints
        anchor = np.array([0.0, 0.0, self.height])
        return replace(robot, links=(replace(link, pose=at(*anchor)),), joints=(replace(hinge, anchor=anchor),))

    def link_poses(self):
        poses = super().link_poses()
        poses[:, 2, 3] = self.height
        return poses

    def predict(self):
        given = super().predict()
        self.mass[:], self.tilde[:], self.poses[:] = given.mass, given.delta_theta_tilde, given.link_poses
        return Prediction(self.mass, self.tilde, self.poses)

    def commit(self, *ends):
        super().commit(*ends)
        self.mass[:], self.tilde[:], self.poses[:] = 7.0, 9.0, 0.0


def test_arrays_of_a_prediction_are_the_adapters_again_when_it_has_given_them(tmp_path):
    scene = make_scene()
    robots = [couple(scene, Shared(wish, height)) for wish, height in ((0.01, 0.0), (0.03, 2.0))]
    world = make_world(scene, tmp_path)
    for _ in range(2):
        world.advance()
        world.retrieve()
        for robot, wish in zip(robots, (0.01, 0.03), strict=True):
            robot.commit()
            np.testing.assert_allclose(robot.delta_theta, [wish], atol=1e-6)
            np.testing.assert_allclose(robot.contact_force, [0.0], atol=1e-3)


@pytest.mark.parametrize("spoiled", [0.0, np.diag([1.0, 1.0, -1.0, 1.0])])
def test_link_poses_that_are_no_rotation_are_refused(spoiled, tmp_path):
    class Spoiled(Turntable):
        is_spoiled = True

        def link_poses(self):
            return super().link_poses() * spoiled if self.is_spoiled else super().link_poses()

    scene, adapter = make_scene(), Spoiled()
    adapter.is_spoiled = False
    coupling = couple(scene, adapter)
    world = make_world(scene, tmp_path)
    coupling.step(world)
    adapter.is_spoiled = True
    with pytest.raises(ArticulationError, match=r"^body 'cube': ref_dof_prev has A = .* which is no rotation"):
        coupling.step(world)
    adapter.is_spoiled = False
    coupling.step(world)
    np.testing.assert_allclose(coupling.delta_theta, [0.01], atol=1e-6)


def test_what_a_users_callback_raises_is_of_no_environment(tmp_path):
    boxes, said = hinged_boxes(np.zeros(12)), AdapterError("of the user")

    class Failing(Turntable):
        fails = False

        def predict(self):
            if self.fails:
                raise AdapterError("of the robot")
            return super().predict()

    def users(_):
        raise said

    robots = [Failing(), Failing()]
    many = couple_many(boxes.scene, robots)
    constraint = ExternalArticulationConstraint.from_geometry(boxes.articulation, boxes.scene)
    boxes.scene.animator().insert(boxes.owner, constraint.animate(users))
    world = make_world(boxes.scene, tmp_path)
    for robots[1].fails in (False, True):
        with pytest.raises(AdapterError) as raised:
            many.step(world, "reset")
        assert raised.value is said or str(raised.value) == "environment 1: of the robot"
        assert not many.failures


def test_a_robot_that_cannot_be_stopped_is_named(tmp_path):
    many, _ = started(tmp_path)
    many.adapters[1].predict = lambda: None
    with pytest.raises(AdapterError, match=r"^environment 1: .*predict is None"):
        many.stop([1])
    assert not many.stopped


def test_poses_are_right_after_a_body_has_gone(tmp_path):
    scene = make_scene()
    add_box(scene, at(0.0, 3.0, 0.0))
    many = couple_many(scene, [Turntable()])
    world = make_world(scene, tmp_path)
    for _ in range(3):
        many.step(world)
    before = many.body_poses
    (box,) = scene.objects().find("box")
    scene.objects().destroy(box.id())
    many.set_properties(world, {0: RobotProperties(friction={"cube": 0.3})})
    np.testing.assert_array_equal(many.body_poses, before)
