"""Many environments in one scene: each moves as if it were alone."""

from dataclasses import replace

import numpy as np
import pytest

from ipc_articulation import RobotState, couple, couple_many
from ipc_articulation.coupling.adapter import HalfPlane
from ipc_articulation.errors import AdapterError, EngineError, StateError
from tests.coupling.robots import BOTH, add_box, by_mujoco, by_native
from tests.coupling.worlds import Turntable, at, make_scene, make_world

STEPS = 60


def offset(robot, number):
    """The crate somewhat nearer to the hand in each environment, and the ground below."""
    crates = []
    for crate in robot.free:
        pose = crate.pose.copy()
        pose[1, 3] -= 0.002 * number
        crates.append(replace(crate, pose=pose))
    ground = HalfPlane("ground", np.array([0.0, 0.0, -0.06]), np.array([0.0, 0.0, 1.0]), 0.4)
    return replace(robot, free=tuple(crates), planes=(*robot.planes, ground))


def roped(robot, number):
    """As many tendons as the number of the environment."""
    return replace(robot, rows=("rope",) * number)


def run(folder, make, numbers, steps=STEPS, others=()):
    """Trajectories (steps, N, b, 4, 4) and contact forces (steps, N, m) of some environments."""
    scene = make_scene(gravity=(0.0, 0.0, -9.81))
    for pose in others:
        add_box(scene, pose)
    adapters = [make(gravity=(0.0, 0.0, -9.81)) for _ in numbers]
    many = couple_many(scene, adapters, complete=lambda robot, k: offset(robot, numbers[k]))
    world = make_world(scene, folder)
    poses, forces = [], []
    for _ in range(steps):
        many.step(world)
        poses.append(many.body_poses)
        forces.append(many.contact_force)
    return np.array(poses), np.array(forces)


@pytest.mark.parametrize("make", BOTH)
def test_an_environment_has_the_same_bits_alone_and_among_others(make, tmp_path):
    together, forces = run(tmp_path / "all", make, range(5))
    for k in range(5):
        alone, own = run(tmp_path / str(k), make, [k])
        np.testing.assert_array_equal(together[:, k], alone[:, 0])
        np.testing.assert_array_equal(forces[:, k], own[:, 0])
    assert (np.abs(forces).max(axis=(0, 2)) > 0.01).all(), "nothing was touched"
    assert len(np.unique(together[-1, :, -1, 1, 3])) == 5, "all are the same"


@pytest.mark.slow
@pytest.mark.parametrize("make", BOTH)
def test_one_environment_moves_like_a_coupling(make, tmp_path):
    poses, forces = run(tmp_path / "many", make, [3])
    scene = make_scene(gravity=(0.0, 0.0, -9.81))
    coupling = couple(scene, make(gravity=(0.0, 0.0, -9.81)), complete=lambda robot: offset(robot, 3))
    world = make_world(scene, tmp_path / "one")
    for k in range(STEPS):
        coupling.step(world)
        np.testing.assert_allclose(coupling.body_poses, poses[k, 0], atol=1e-12)
        np.testing.assert_allclose(coupling.contact_force, forces[k, 0], rtol=1e-9, atol=1e-12)


def test_other_bodies_of_the_scene_touch_all_environments(tmp_path):
    poses, _ = run(tmp_path, by_mujoco, range(2), 12, others=[at(0.6, 0.1, 0.11)])
    free, _ = run(tmp_path / "free", by_mujoco, range(2), 12)
    assert (np.abs(poses[-1, :, -1] - free[-1, :, -1]).max(axis=(1, 2)) > 1e-4).all()


def started(folder, make=by_native, count=3):
    scene = make_scene(gravity=(0.0, 0.0, -9.81))
    adapters = [make(gravity=(0.0, 0.0, -9.81)) for _ in range(count)]
    many = couple_many(scene, adapters, complete=offset)
    return many, make_world(scene, folder)


@pytest.mark.slow
def test_an_environment_is_reset_and_the_others_go_on(tmp_path):
    many, world = started(tmp_path)
    first = []
    for _ in range(20):
        many.step(world)
        first.append(many.body_poses)
    undisturbed, other = started(tmp_path / "other")
    for _ in range(40):
        undisturbed.step(other)
    many.reset(world, [1])
    np.testing.assert_allclose(many.theta[1], 0.0, atol=1e-12)
    for k in range(20):
        many.step(world)
        np.testing.assert_array_equal(many.body_poses[1], first[k][1])
    np.testing.assert_array_equal(many.body_poses[[0, 2]], undisturbed.body_poses[[0, 2]])


def test_environments_get_states_of_their_own(tmp_path):
    many, world = started(tmp_path)
    many.step(world)
    before = many.theta
    many.set_state(world, {0: RobotState(theta=[-0.5, 0.2]), 2: RobotState(theta={"wrist": 0.1})})
    np.testing.assert_allclose(many.theta[0], [-0.5, 0.2], atol=1e-12)
    np.testing.assert_array_equal(many.theta[1], before[1])
    many.step(world)
    assert np.abs(many.theta[0] - [-0.5, 0.2]).max() < 0.1


def test_a_new_state_of_joints_leaves_the_free_body_where_it_is(tmp_path):
    """Also for the multibody engine, although the scene's geometries are those of the start."""
    many, world = started(tmp_path, by_mujoco)
    for _ in range(10):
        many.step(world)
    crate = many.body_poses[0, -1, :3, 3]
    many.set_state(world, {0: RobotState(theta=[-0.5, 0.2])})
    np.testing.assert_allclose(many.adapters[0].data.body("crate").xpos, crate, atol=1e-9)


def test_the_geometries_are_written_when_they_are_asked_for(tmp_path):
    many, world = started(tmp_path)
    slot = many.couplings[1].placed.bodies.links[0]

    def pose():
        return np.array(slot.geometry().transforms().view()[0])

    first = pose()
    for _ in range(3):
        many.step(world)
    np.testing.assert_array_equal(pose(), first)
    many.retrieve(world)
    np.testing.assert_array_equal(pose(), many.body_poses[1, 0])
    many.step(world)
    poses = many.body_poses
    np.testing.assert_array_equal(many.couplings[1].body_poses, poses[1])
    np.testing.assert_array_equal(many.body_poses, poses)
    many.step(world)
    assert many.couplings[2].drift.max() < 1e-3


def test_joints_lowered_to_chains_step_too(tmp_path):
    scene = make_scene(gravity=(0.0, 0.0, -9.81))
    many = couple_many(
        scene, [by_native(gravity=(0.0, 0.0, -9.81)) for _ in range(2)], complete=offset, joints="chains"
    )
    world = make_world(scene, tmp_path)
    for _ in range(5):
        many.step(world)
    assert (np.abs(many.theta) > 1e-4).all()


def test_bodies_that_come_later_are_touched(tmp_path):
    many, world = started(tmp_path, by_mujoco)
    many.step(world)
    add_box(many.scene, at(0.57, 0.3, 0.0))
    for _ in range(3):
        many.step(world)
    assert world.frame() == 4


def test_what_is_wrong_is_named(tmp_path):
    scene = make_scene()
    with pytest.raises(AdapterError, match=r"adapters is .*, must be a list of at least one adapter"):
        couple_many(scene, [])
    table = Turntable()
    with pytest.raises(AdapterError, match=r"adapters\[1\] moves the same state as an earlier one"):
        couple_many(scene, [table, table])
    with pytest.raises(AdapterError, match=r"environment 1 has the joints .*other.*environment 0"):
        couple_many(scene, [by_native(), by_native("other ")])
    with pytest.raises(AdapterError, match=r"environment 1 has the rows \['rope'\], environment 0 \[\]; all must have"):
        couple_many(make_scene(), [by_native(), by_native()], complete=roped)
    with pytest.raises(AdapterError, match="'crate' is in the environment 'mine'"):
        couple_many(
            make_scene(),
            [by_native()],
            complete=lambda robot, _: replace(robot, free=tuple(replace(b, environment="mine") for b in robot.free)),
        )
    many, world = started(tmp_path)
    with pytest.raises(StateError, match="reset: there is no environment 3; there are 3, from 0"):
        many.reset(world, [3])
    with pytest.raises(StateError, match="reset: which is 1, must be numbers of environments in a list"):
        many.reset(world, 1)
    with pytest.raises(AdapterError, match="complete gave None, must return the CoupledRobot"):
        couple_many(make_scene(), [by_native()], complete=lambda robot, number: None)
    with pytest.raises(StateError, match="set_state: there is no environment -1"):
        many.set_state(world, {-1: RobotState(theta=[0.0, 0.0])})


def test_another_coupling_of_the_scene_is_refused(tmp_path):
    scene = make_scene()
    many = couple_many(scene, [by_native()])
    other = couple(scene, by_native("other ", 3.0))
    assert other.joint_names
    with pytest.raises(EngineError, match="joints other shoulder, other wrist of this scene was left out"):
        many.step(make_world(scene, tmp_path))


class Broken(type(by_native())):
    """A robot whose prediction fails in one step."""

    broken_at = -1

    def predict(self):
        self.count = getattr(self, "count", 0) + 1
        if self.count == self.broken_at:
            raise AdapterError("the step is unstable")
        return super().predict()


def with_broken(folder, number=1, step=8):
    scene = make_scene(gravity=(0.0, 0.0, -9.81))
    adapters = [by_native(gravity=(0.0, 0.0, -9.81)) for _ in range(3)]
    adapters[number].__class__ = Broken
    many = couple_many(scene, adapters, complete=offset)
    world = make_world(scene, folder)
    adapters[number].broken_at = adapters[number].count + step
    return many, world


def test_a_failing_environment_is_named_and_nothing_changes(tmp_path):
    many, world = with_broken(tmp_path)
    for _ in range(7):
        many.step(world)
    before = many.body_poses
    with pytest.raises(AdapterError, match="environment 1: the step is unstable"):
        many.step(world)
    np.testing.assert_array_equal(many.body_poses, before)
    assert world.frame() == 7
    many.step(world)  # the robot fails only once


def test_environments_that_fail_in_the_same_step_are_put_back_together(tmp_path):
    many, world = with_broken(tmp_path, step=2)
    many.adapters[2].__class__, many.adapters[2].broken_at = Broken, 2
    many.step(world, "reset")
    before = [robot.count for robot in many.adapters[1:]]
    many.step(world, "reset")
    assert list(many.failures) == [1, 2]
    assert [robot.count for robot in many.adapters[1:]] == [count + 2 for count in before]
    assert world.frame() == 2


def test_an_environment_whose_state_is_not_finite_is_named(tmp_path):
    scene = make_scene(gravity=(0.0, 0.0, -9.81))
    many = couple_many(scene, [by_mujoco(gravity=(0.0, 0.0, -9.81)) for _ in range(3)])
    make_world(scene, tmp_path)
    many.adapters[1].data.qvel[0] = np.nan
    with pytest.raises(AdapterError, match=r"^environment 1: .*theta_dot"):
        _ = many.theta_dot
    assert many.theta.shape == (3, len(many.joint_names))
    assert np.isfinite([many.couplings[k].theta_dot for k in (0, 2)]).all()


@pytest.mark.slow
@pytest.mark.parametrize("failing", ["reset", "stop"])
def test_a_failing_environment_is_put_back_and_the_others_go_on_with_the_same_bits(failing, tmp_path):
    many, world = with_broken(tmp_path)
    undisturbed, other = started(tmp_path / "other")
    start = many.theta[1].copy()
    for k in range(20):
        many.step(world, failing)
        undisturbed.step(other)
        np.testing.assert_array_equal(many.body_poses[[0, 2]], undisturbed.body_poses[[0, 2]])
        assert list(many.failures) == ([1] if k == 7 else [])
    if failing == "stop":
        assert list(many.stopped) == [1]
        np.testing.assert_array_equal(many.theta[1], start)
        np.testing.assert_allclose(many.body_poses[1, :2], many.adapters[1].link_poses(), atol=1e-3)
        many.reset(world, [1])
        assert not many.stopped
    for _ in range(3):
        many.step(world, failing)
    assert np.abs(many.theta[1] - start).max() > 1e-3


def test_a_wrong_word_for_what_becomes_of_failures_is_refused(tmp_path):
    many, world = started(tmp_path)
    with pytest.raises(EngineError, match="failing is 'ignore', must be one of"):
        many.step(world, "ignore")
