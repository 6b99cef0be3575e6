"""Joints that hold links together without being part of the articulation."""

from dataclasses import replace

import numpy as np

from ipc_articulation import couple
from ipc_articulation.coupling.adapter import CoupledBody, CoupledJoint, CoupledRobot
from ipc_articulation.coupling.bodies import joined_masses
from tests.coupling.worlds import Turntable, cube, make_scene, make_world


class Towing(Turntable):
    """A turntable whose cube carries a tail of 5 kg on two hinges across each other, which hold it fast."""

    def describe(self) -> CoupledRobot:
        alone = super().describe()
        tail = CoupledBody(
            "tail", np.eye(4), cube(0.1, (0.9, 0.0, 0.0)), 5.0, np.array([0.9, 0.0, 0.0]), 0.03 * np.eye(3)
        )
        anchor = np.array([0.7, 0.0, 0.0])
        hinges = tuple(CoupledJoint(f"hinge {k}", "revolute", 0, 1, anchor, np.eye(3)[k]) for k in (0, 1))
        wall = CoupledBody("wall", np.eye(4), cube(0.2, (0.9, 0.34, 0.0)))
        return CoupledRobot((*alone.links, tail), alone.joints, static=(wall,) * self.walled, passive_joints=hinges)

    def __init__(self, walled: bool = False, **options) -> None:
        self.walled = int(walled)
        super().__init__(**options)

    def link_poses(self):
        return np.repeat(super().link_poses(), 2, axis=0)


def test_they_carry_links_along_and_are_no_joints_of_the_coupling(tmp_path):
    scene, adapter = make_scene(), Towing()
    coupling = couple(scene, adapter)
    world = make_world(scene, tmp_path)
    for _ in range(30):
        coupling.step(world)
    assert coupling.joint_names == ("hinge",)
    assert coupling.mass.shape == (1, 1)
    np.testing.assert_allclose(adapter.angle, 0.3, atol=1e-9)
    np.testing.assert_allclose(coupling.body_poses, adapter.link_poses(), atol=1e-6)
    np.testing.assert_allclose(coupling.contact_force, 0.0, atol=1e-3)


def test_contact_on_a_link_that_they_hold_reaches_the_joint(tmp_path):
    """The wall stands 4 cm beside the tail, 0.9 m off the axis."""
    scene, adapter = make_scene(), Towing(walled=True)
    coupling = couple(scene, adapter)
    world = make_world(scene, tmp_path)
    for _ in range(10):
        coupling.step(world)
        assert coupling.minimum_distance > 0.0
    assert 0.03 < adapter.angle < 0.05
    np.testing.assert_allclose(coupling.contact_force, [-2.0 * 0.01 / adapter.dt**2], rtol=1e-2)
    assert coupling.drift.max() < 1e-4


def test_a_ball_without_freedom_of_the_articulation_holds_a_link(tmp_path):
    """The tail hangs on one ball instead of the hinges: pulled along, it keeps its distance from the anchor."""

    class OnABall(Towing):
        def describe(self):
            hinges = super().describe()
            ball = replace(hinges.passive_joints[0], name="ball", kind="spherical")
            return replace(hinges, passive_joints=(ball,))

    scene, adapter = make_scene(), OnABall()
    coupling = couple(scene, adapter)
    world = make_world(scene, tmp_path)
    for _ in range(10):
        coupling.step(world)
    anchors = [pose @ [0.7, 0.0, 0.0, 1.0] for pose in coupling.body_poses]
    np.testing.assert_allclose(anchors[0], anchors[1], atol=1e-4)
    np.testing.assert_allclose(adapter.angle, 0.1, atol=1e-6)


def test_their_masses_come_last():
    np.testing.assert_allclose(joined_masses(Towing().describe()), [3.0 + 1.0, 8.0, 8.0])
