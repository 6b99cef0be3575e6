import numpy as np
import pytest

from ipc_articulation.coupling.adapter import CoupledBody, CoupledJoint, CoupledRobot
from ipc_articulation.coupling.bodies import place_bodies
from ipc_articulation.coupling.contact_elements import make_contact_elements
from ipc_articulation.coupling.joints import place_articulation, place_joints
from ipc_articulation.errors import ArticulationError
from ipc_articulation.frontend.attributes import read
from tests.coupling.worlds import at, cube, make_scene

UP = np.array([0.0, 0.0, 1.0])
JOINTS = (
    CoupledJoint("a", "revolute", -1, 0, np.zeros(3), UP),
    CoupledJoint("b", "prismatic", 0, 1, np.array([1.0, 0.0, 0.0]), UP),
    CoupledJoint("c", "revolute", 1, 2, np.array([2.0, 0.0, 0.0]), UP),
)


def place():
    scene = make_scene()
    links = tuple(CoupledBody(name, at(i, 0, 0), cube(0.1)) for i, name in enumerate(("x", "y", "z")))
    robot = CoupledRobot(links, JOINTS)
    bodies = place_bodies(scene, robot, [make_contact_elements(scene, robot)], lambda _: 1e8, 1e8)
    return scene, bodies, place_joints(scene, JOINTS, bodies, [10.0, 20.0, 30.0])


def test_joints_keep_their_order_and_their_bodies():
    _, bodies, places = place()
    parents = [bodies.world, bodies.links[0], bodies.links[1]]
    for k, (slot, edge) in enumerate(places):
        edges = slot.geometry().edges()
        assert read(edges, "l_geo_id")[edge] == parents[k].id()
        assert read(edges, "r_geo_id")[edge] == bodies.links[k].id()
        assert read(edges, "strength_ratio")[edge] == 10.0 * (k + 1)


def test_axes_are_short_edges_about_the_anchor_without_surface():
    _, _, places = place()
    for joint, (slot, edge) in zip(JOINTS, places, strict=True):
        ends = read(slot.geometry().vertices(), "position")[read(slot.geometry().edges(), "topo")[edge]]
        np.testing.assert_allclose(ends, [joint.anchor - 0.1 * UP, joint.anchor + 0.1 * UP])
        assert slot.geometry().edges().find("is_surf") is None


def test_articulation_lists_all_joints_in_order():
    scene, _, places = place()
    _, slot = place_articulation(scene, JOINTS, places)
    joint = slot.geometry()["joint"]
    assert read(joint, "geo_id").tolist() == [place[0].id() for place in places]
    assert read(joint, "index").tolist() == [0, 0, 1]
    assert len(read(slot.geometry()["joint_joint"], "mass")) == 9


def test_an_unknown_kind_is_refused_by_the_joints_name():
    scene, bodies, _ = place()
    saddle = CoupledJoint("thumb", "saddle", -1, 0, np.zeros(3), UP)
    message = "joint 'thumb': kind 'saddle' is unknown; kinds of joints: revolute, prismatic, fixed, spherical"
    with pytest.raises(ArticulationError, match=message):
        place_joints(scene, [JOINTS[0], saddle], bodies, [1.0, 1.0])


def test_no_joints_no_constraint():
    assert place_articulation(make_scene(), [], [])[1] is None
