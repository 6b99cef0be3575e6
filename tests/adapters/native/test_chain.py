import re

import numpy as np
import pytest
from ipc_articulation.adapters.native.chain import make_chain

from ipc_articulation.dynamics import frame_poses
from ipc_articulation.dynamics.joints import (
    HelicalJoint,
    RevoluteJoint,
    RzRyRxJoint,
    SphericalJoint,
    TxTyTzJoint,
)
from ipc_articulation.dynamics.joints.elements import Screw
from ipc_articulation.dynamics.model import Mechanism
from ipc_articulation.errors import UnsupportedError
from tests.adapters.native.floating import oblique
from tests.adapters.native.mechanisms import add, arm, joint_zoo


def test_every_screw_has_a_link_and_the_last_one_is_the_body():
    chain = make_chain(joint_zoo().build())
    assert chain.names == ("fork/0", "fork", "shaft/0", "shaft", "puck/0", "puck/1", "puck")
    assert chain.kinds == ("revolute",) * 3 + ("prismatic",) * 3 + ("revolute",)
    assert chain.parents == (-1, 0, 1, 2, 3, 4, 5)
    assert chain.bodies == (-1, 0, -1, 1, -1, -1, 2)


def test_links_are_where_the_model_has_them():
    model = joint_zoo().build()
    q = np.random.default_rng(1).uniform(-1.0, 1.0, model.nq)
    poses = make_chain(model).link_poses(q)
    np.testing.assert_allclose(poses[[1, 3, 6]], frame_poses(model, q, ["fork", "shaft", "puck"]), atol=1e-14)


def test_each_joint_turns_or_slides_its_link_about_its_axis():
    model = joint_zoo().build()
    chain, q, h = make_chain(model), np.random.default_rng(2).uniform(-1.0, 1.0, model.nq), 1e-6
    poses = chain.link_poses(q)
    anchors, axes = chain.axes(poses)
    for k, kind in enumerate(chain.kinds):
        motion = (chain.link_poses(q + h * np.eye(model.nq)[k]) - chain.link_poses(q - h * np.eye(model.nq)[k])) / 2 / h
        expected = np.zeros((3, 4))
        if kind == "prismatic":
            expected[:, 3] = axes[k]
        else:
            expected = np.cross(axes[k], poses[k, :3] - np.c_[np.zeros((3, 3)), anchors[k]], axisb=0, axisc=0)
        np.testing.assert_allclose(motion[k, :3], expected, atol=1e-8)


def test_the_base_takes_no_part_in_the_chain():
    chain = make_chain(arm().build())
    assert chain.names == ("upper", "lower")
    assert chain.parents == (-1, 0)


def test_rotations_and_free_motions_are_one_joint_each():
    chain = make_chain(oblique().build())
    assert chain.names == ("trunk", "arm", "hand", "tail", "kite", "nut")
    assert chain.joints == ("to trunk", "to arm", "to hand", "to tail", "to kite", "to nut")
    assert chain.kinds == ("free", "spherical", "revolute", "prismatic", "free", "helical")
    assert chain.pitches.tolist() == [0.0, 0.0, 0.0, 0.0, 0.0, 0.05]
    assert chain.parents == (-1, 0, 1, 0, 2, 0)
    assert chain.of_dof.tolist() == [0] * 6 + [1] * 3 + [2, 3] + [4] * 6 + [5]
    assert chain.position.tolist() == [0, 1, 2, -1, -1, -1, -1, -1, -1, 11, 12, 13, 14, 15, -1, -1, -1, 20]


def test_a_joint_of_turns_and_a_rotation_has_links_between_them():
    mechanism = arm()
    add(mechanism, "wrist", None)
    joint = RevoluteJoint((0, 1, 0))
    joint.elements = (*joint.elements, *SphericalJoint().elements, *joint.elements)
    mechanism.add_joint("cup", joint, "lower", "wrist")
    chain = make_chain(mechanism.build())
    assert chain.names[2:] == ("wrist/0", "wrist/1", "wrist")
    assert chain.joints[2:] == ("cup[0]", "cup[1]", "cup[4]")
    assert chain.kinds[2:] == ("revolute", "spherical", "revolute")
    assert chain.bodies[2:] == (-1, -1, 3)


def _twice_as_fast() -> RevoluteJoint:
    joint = RevoluteJoint((0, 0, 1))
    joint.elements = (Screw((0.0, 0.0, 1.0), turn=2.0),)
    return joint


@pytest.mark.parametrize("joint", [TxTyTzJoint(), _twice_as_fast()])
def test_other_joints_are_refused_by_name_and_kind(joint):
    mechanism = arm()
    add(mechanism, "stray", None)
    mechanism.add_joint("loose", joint, "lower", "stray")
    kind = type(joint).__name__
    message = (
        f"joint 'loose' of body 'stray' is a {kind}; revolute, prismatic, helical, spherical and floating joints can "
        "be coupled, and joints made of them (universal, cylindrical, planar, Cardan)"
    )
    with pytest.raises(UnsupportedError, match=re.escape(message)):
        make_chain(mechanism.build())


def test_cardan_joints_and_screws_without_pitch_are_turns():
    mechanism = Mechanism("m")
    add(mechanism, "a", None)
    add(mechanism, "b", None)
    mechanism.add_joint("cardan", RzRyRxJoint(), "world", "a")
    mechanism.add_joint("flat", HelicalJoint((0, 0, 1), 0.0), "a", "b")
    assert make_chain(mechanism.build()).kinds == ("revolute",) * 4
