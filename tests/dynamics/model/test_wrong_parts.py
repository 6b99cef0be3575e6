"""Parts of a mechanism refuse fields of wrong types when they are made, and the mechanism when it is built."""

import re

import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation.dynamics import Mechanism, Mimic, joints
from ipc_articulation.dynamics.loops import gear
from ipc_articulation.errors import ModelError


def toy(**fields):
    mechanism = Mechanism("toy", **fields)
    mechanism.add_link("a", 1.0, (0.1, 0.0, 0.0), 1.0)
    mechanism.add_joint("to_a", joints.RzJoint(), "world", "a")
    return mechanism


def link(**fields):
    toy().add_link(**{"name": "b", "mass": 1.0, **fields})


def joint(**fields):
    toy().add_joint(**{"name": "to_b", "joint": joints.RzJoint(), "parent": "a", "child": "b", **fields})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: link(name=None), "link None: name is None, must be a str"),
        (lambda: link(mass="x"), "link 'b': mass is 'x', must be a number"),
        (lambda: link(mass=10**400), f"link 'b': mass is 1{'0' * 79}, must be a number"),
        (lambda: link(centre="x"), "link 'b': centre is 'x', must be real numbers"),
        (lambda: link(inertia=None), "Mechanism.add_link: inertia is None, must be real numbers"),
        (lambda: link(inertia=1j), "Mechanism.add_link: inertia is 1j, must be real numbers"),
        (lambda: link(wheels=1), "Mechanism.add_link has no argument 'wheels'; valid: centre, inertia, mass, name"),
        (lambda: joint(name=["x"]), "joint ['x']: name is ['x'], must be a str"),
        (lambda: joint(joint="hinge"), "joint 'to_b': joint is 'hinge', must be a Joint"),
        (lambda: joint(parent=None), "joint 'to_b': parent is None, must be a str"),
        (lambda: joint(origin="x"), "joint 'to_b': origin is 'x', must be real numbers"),
        (lambda: joint(damping="x"), "joint 'to_b': damping is 'x', must be real numbers"),
        (lambda: joint(upper=None), "joint 'to_b': upper is None, must be real numbers"),
        (
            lambda: joint(mimic="to_a"),
            "joint 'to_b': mimic is 'to_a', must be a Mimic with a joint's name and finite numbers, or None",
        ),
        (
            lambda: joint(mimic=Mimic("to_a", np.nan)),
            "joint 'to_b': mimic is Mimic(joint='to_a', multiplier=nan, offset=0.0), must be a Mimic with a joint's "
            "name and finite numbers, or None",
        ),
        (lambda: toy().add_frame("f", 5), "frame 'f': link is 5, must be a str"),
        (lambda: toy().add_frame("f", "a", "x"), "frame 'f': pose is 'x', must be real numbers"),
        (lambda: toy().add_loop(None, gear(2.0)), "Mechanism.add_loop: joints is None, must be a list of str"),
        (lambda: toy().add_loop(["to_a"], 2.0), "Mechanism.add_loop: constraint is 2.0, must be a LoopConstraint"),
        (lambda: Mechanism("toy", gravity="x"), "mechanism 'toy': gravity is 'x', must be real numbers"),
        (lambda: Mechanism("toy", links=["a"]), "mechanism 'toy': links is ['a'], must be a list of Link"),
        (lambda: toy().build(unphysical="x"), "Mechanism.build: unphysical is 'x', must be one of 'refuse', 'warn'"),
        (lambda: toy().build("to_a"), "Mechanism.build: joint_order is 'to_a', must be a list of str, or None"),
        (
            lambda: toy().build().with_loops(None),
            "Model.with_loops: loops is None, must be a list of pairs (names of joints, LoopConstraint)",
        ),
        (lambda: toy().build().body([1]), "model 'toy' has no link [1]; valid: a"),
        (lambda: toy().build().joint({}), "model 'toy' has no joint {}; valid: to_a"),
        (lambda: toy().build().dofs(np.zeros(2)), "model 'toy' has no joint array([0., 0.]); valid: to_a"),
        (lambda: joints.RevoluteJoint("x"), "a joint axis is 'x', must be real numbers"),
        (lambda: joints.UniversalJoint((1, 0, 0), None), "a joint axis is None, must be real numbers"),
        (lambda: joints.HelicalJoint((1, 0, 0), "x"), "HelicalJoint: pitch is 'x', must be a finite number"),
        (lambda: dyn.read_urdf("<robot/>", package_dirs=5), "read_urdf: package_dirs is 5, must be a list of str or P"),
        (lambda: dyn.read_urdf("<robot/>", floating_base="no"), "read_urdf: floating_base is 'no', must be True or F"),
        (lambda: dyn.read_robot("<robot/>", package_dirs=None), "read_robot: package_dirs is None, must be a list of"),
        (lambda: dyn.read_osim("<a/>", couplers=1), "read_osim: couplers is 1, must be True or False"),
        (lambda: dyn.mechanism_from_mujoco(None), "mechanism_from_mujoco: model is None, must be a MjModel"),
        (lambda: dyn.robot_from_mujoco("x"), "robot_from_mujoco: model is 'x', must be a MjModel"),
    ],
)
def test_it_is_named(call, message):
    with pytest.raises(ModelError, match="^" + re.escape(message)):
        call()


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda toy: setattr(toy, "gravity", "x"), "mechanism 'toy': gravity is 'x', must be real numbers"),
        (lambda toy: setattr(toy, "loops", 5), "mechanism 'toy': loops is 5, must be a list of pairs"),
        (lambda toy: toy.links.append("b"), "mechanism 'toy': links is [Link(name='a', mass=1.0"),
        (lambda toy: setattr(toy.links[0], "mass", None), "link 'a': mass is None, must be a number"),
        (lambda toy: setattr(toy.links[0], "visual", "box"), "link 'a': visual is 'box', must be a list of Shape"),
        (lambda toy: setattr(toy.joints[0], "friction", "x"), "joint 'to_a': friction is 'x', must be real numbers"),
    ],
)
def test_an_edit_is_named_when_the_mechanism_is_built(edit, message):
    mechanism = toy()
    edit(mechanism)
    with pytest.raises(ModelError, match="^" + re.escape(f"mechanism 'toy': {message}")):
        mechanism.build()


def test_the_error_names_the_mechanisms_file():
    mechanism = toy(file="toy.urdf")
    mechanism.joints[0].effort = "x"
    with pytest.raises(ModelError, match=r"^toy\.urdf: joint 'to_a': effort is 'x', must be real numbers$"):
        mechanism.build()


def test_an_unphysical_link_is_reported_where_build_is_called():
    mechanism = toy()
    mechanism.links[0].inertia = np.diag([1.0, 1.0, 5.0])
    with pytest.warns(UserWarning, match="link 'a'") as caught:
        mechanism.build(unphysical="warn")
    assert caught[0].filename == __file__
