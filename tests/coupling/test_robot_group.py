"""Which engines get the input of a step directly, and what else they take besides."""

import numpy as np
import pytest
import uipc

from ipc_articulation import couple, couple_many
from ipc_articulation.coupling.constraint import ExternalArticulationConstraint
from ipc_articulation.errors import AdapterError, ArticulationError
from tests.coupling.test_coupling import CallbacksOnly
from tests.coupling.test_many import started, with_broken
from tests.coupling.worlds import Turntable, make_scene, make_world
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
