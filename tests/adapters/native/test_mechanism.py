import numpy as np
import pytest
from ipc_articulation.adapters.native import NativeAdapter

from ipc_articulation.coupling.adapter import HalfPlane
from ipc_articulation.coupling.bodies import mesh_volume
from ipc_articulation.dynamics import frame_poses
from tests.adapters.native.mechanisms import arm, at, block, joint_zoo

FLOOR = HalfPlane("floor", np.zeros(3), np.array([0.0, 0.0, 1.0]), 0.7)


def test_links_carry_the_bodies_mass_shape_and_pose():
    model = arm().build()
    q = np.array([0.3, 0.1])
    upper, lower = NativeAdapter(model, 0.01, q=q).describe().links
    assert (upper.name, upper.mass) == ("upper", 1.0)
    np.testing.assert_array_equal(lower.center, [0.25, 0.0, 0.0])
    np.testing.assert_array_equal(lower.inertia, np.diag([0.02, 0.03, 0.04]))
    assert mesh_volume(upper.mesh) == pytest.approx(0.4 * 0.06 * 0.06)
    np.testing.assert_allclose(upper.mesh.vertices.mean(axis=0), [0.4, 0.0, 0.0], atol=1e-15)
    np.testing.assert_allclose([upper.pose, lower.pose], frame_poses(model, q, ["upper", "lower"]))


def test_links_between_screws_are_empty():
    links = NativeAdapter(joint_zoo().build(), 0.01).describe().links
    assert [(link.name, link.mass, link.mesh) for link in links if "/" in link.name] == [
        (name, 0.0, None) for name in ("fork/0", "shaft/0", "puck/0", "puck/1")
    ]


def test_joints_are_named_as_the_models_degrees_of_freedom():
    joints = NativeAdapter(joint_zoo().build(), 0.01).describe().joints
    assert [joint.name for joint in joints][:3] == ["to fork[0]", "to fork[1]", "to shaft[0]"]
    assert [(joint.parent, joint.child) for joint in joints][:2] == [(-1, 0), (0, 1)]


def test_the_body_fixed_to_the_world_is_static_and_others_come_from_the_caller():
    model = arm().build()
    mechanism = NativeAdapter(
        model, 0.01, free=[block("crate", 3.0)], static=[block("wall", 5.0)], planes=[FLOOR]
    ).describe()
    assert [body.name for body in mechanism.static] == ["base", "wall"]
    np.testing.assert_allclose(mechanism.static[0].pose, frame_poses(model, model.neutral, ["base"])[0])
    assert [body.name for body in mechanism.free] == ["crate"]
    assert mechanism.planes == (FLOOR,)


def test_a_base_without_shape_is_no_body_of_the_scene():
    mechanism = arm()
    mechanism.links[0].collision = ()
    assert NativeAdapter(mechanism.build(), 0.01).describe().static == ()


def test_friction_is_one_number_or_by_body():
    model = arm().build()

    def friction(**given):
        mechanism = NativeAdapter(model, 0.01, **given).describe()
        return [body.friction for body in (*mechanism.links, *mechanism.static)]

    assert friction() == [1.0, 1.0, 1.0]
    assert friction(friction=0.2) == [0.2, 0.2, 0.2]
    assert friction(friction={"lower": 0.4, "base": 0.0}) == [1.0, 0.4, 0.0]


def test_links_touch_neither_parent_nor_base_but_wall_and_floor():
    adapter = NativeAdapter(
        arm().build(),
        0.01,
        free=[block("crate", 3.0)],
        static=[block("wall", 5.0)],
        planes=[FLOOR],
        untouchable=[frozenset({"crate", "wall"})],
    )
    assert {tuple(sorted(pair)) for pair in adapter.describe().untouchable} == {
        ("lower", "upper"),
        ("base", "upper"),
        ("base", "lower"),
        ("base",),
        ("floor",),
        ("wall",),
        ("base", "floor"),
        ("base", "wall"),
        ("floor", "wall"),
        ("crate", "wall"),
    }


def test_a_link_without_mass_and_shape_is_passed_over_on_the_way_to_the_parent():
    mechanism = arm()
    mechanism.add_link("cross")
    slide = mechanism.joints.pop()
    mechanism.add_joint("turn", type(mechanism.joints[-1].joint)((0, 0, 1)), "upper", "cross", origin=at(0.7, 0, 0))
    mechanism.add_joint("slide", slide.joint, "cross", "lower")
    untouchable = NativeAdapter(mechanism.build(), 0.01).describe().untouchable
    assert frozenset({"upper", "lower"}) in untouchable
