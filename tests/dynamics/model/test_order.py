import pytest

from ipc_articulation.dynamics import Mechanism, joints
from ipc_articulation.errors import ModelError
from tests.dynamics.model.chains import chain, hinges


def edited(count, **changes):
    """A chain on hinges, with one field of joints changed: `b_parent="x"`."""
    mechanism = hinges(count)
    for key, value in changes.items():
        name, field = key.split("_")
        setattr(next(joint for joint in mechanism.joints if joint.name == f"to_{name}"), field, value)
    return mechanism


def with_links(*names):
    mechanism = hinges(1)
    for name in names:
        mechanism.add_link(name)
    return mechanism


def with_frames(*names):
    mechanism = hinges(1)
    for name in names:
        mechanism.add_frame(name, "a")
    return mechanism


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [
        (with_links("b", "b"), "two links are called 'b'"),
        (edited(2, b_name="to_a"), "two joints are called 'to_a'"),
        (with_frames("tool", "tool"), "two frames are called 'tool'"),
        (with_links("world"), "no link may be called 'world': that is the world itself"),
        (with_links("b"), "link 'b' is the child of no joint; add a joint from another link or from 'world'"),
        (edited(1, a_parent="earth"), "joint 'to_a': parent 'earth' is no link; valid: a"),
        (edited(2, b_child="bb"), "joint 'to_b': child 'bb' is no link; did you mean 'b'? valid: a, b"),
        (edited(2, b_child="world"), "joint 'to_b': child 'world' is no link; valid: a, b"),
        (
            edited(2, b_child="a"),
            "link 'a' is the child of joints 'to_a' and 'to_b'; that closes a loop, and a tree has none: leave one "
            "joint out",
        ),
        (
            edited(3, b_parent="c"),
            "joints 'to_b', 'to_c' form a loop that no joint connects to the world; a tree has none: remove one",
        ),
    ],
)
def test_what_is_no_tree(mechanism, message):
    with pytest.raises(ModelError) as error:
        mechanism.build()
    assert str(error.value) == f"mechanism 'chain': {message}"


def half_fixed() -> Mechanism:
    return chain(joints.RzJoint(), joints.FixedJoint(), joints.RxJoint())


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (
            ["to_a", "to_d"],
            "joint order names 'to_d', which is no moving joint; did you mean 'to_c'? valid: to_a, to_c",
        ),
        (["to_a", "to_b", "to_c"], "joint order names 'to_b', which is no moving joint; did you mean 'to_c'? valid: "),
        (["to_a"], "joint order must name each moving joint once; left out: to_c"),
        (["to_a", "to_c", "to_a"], "joint order must name each moving joint once; left out: -"),
        ([], "joint order must name each moving joint once; left out: to_a, to_c"),
        (
            ["to_c", "to_a"],
            "joint order puts 'to_c' before the joints that move its parent link 'b'; list those first",
        ),
    ],
)
def test_what_is_no_order(order, message):
    with pytest.raises(ModelError) as error:
        half_fixed().build(joint_order=order)
    assert str(error.value).startswith(f"mechanism 'chain': {message}")


def test_the_order_blames_the_joint_that_is_needed_and_not_one_of_another_branch():
    mechanism = hinges(3)
    mechanism.joints[2].parent = "world"
    with pytest.raises(ModelError, match="'to_b' before the joints that move its parent link 'a'"):
        mechanism.build(joint_order=["to_b", "to_c", "to_a"])


def test_links_fixed_to_the_world_are_body_0_where_a_hinge_comes_first():
    mechanism = Mechanism("crane")
    for name, joint, parent in [
        ("swing", joints.RzJoint(), "world"),
        ("post", joints.FixedJoint(), "world"),
        ("lamp", joints.FixedJoint(), "post"),
    ]:
        mechanism.add_link(name, 1.0, (0.1, 0.0, 0.0), 0.1)
        mechanism.add_joint(f"to {name}", joint, parent, name)
    model = mechanism.build()
    assert [model.body(name) for name in ("post", "lamp", "swing")] == [0, 0, 1]
