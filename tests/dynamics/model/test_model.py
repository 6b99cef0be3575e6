import numpy as np
import pytest

from ipc_articulation.dynamics import frame_poses, joints
from ipc_articulation.errors import ModelError
from tests.dynamics.model.chains import chain
from tests.dynamics.random_trees import random_mechanism, random_states


def mixed():
    mechanism = chain(joints.FixedJoint(), joints.FloatingJoint(), joints.RzRyJoint(), joints.RzJoint())
    mechanism.add_frame("tool", "c")
    return mechanism


def test_index_maps():
    model = mixed().build()
    assert (model.nq, model.nv) == (10, 9)
    assert model.body_q.tolist() == [0, 0, 7, 9, 10]
    assert model.body_v.tolist() == [0, 0, 6, 8, 9]
    assert [model.dofs(name) for name in model.joint_names] == [slice(0, 0), slice(0, 6), slice(6, 8), slice(8, 9)]
    assert [model.positions(name) for name in model.joint_names] == [
        slice(0, 0),
        slice(0, 7),
        slice(7, 9),
        slice(9, 10),
    ]
    assert [body.parent for body in model.bodies] == [-1, 0, 1, 2]


def test_names():
    model = mixed().build()
    assert model.name == "chain"
    assert model.joint_names == ("to_a", "to_b", "to_c", "to_d")
    assert model.body_names == ("a", "b", "c", "d")
    assert model.dof_names == (*(f"to_b[{k}]" for k in range(6)), "to_c[0]", "to_c[1]", "to_d")
    assert model.q_names == (*(f"to_b[{k}]" for k in range(7)), "to_c[0]", "to_c[1]", "to_d")
    assert model.frame_names == ("a", "b", "c", "d", "tool")


def test_links_joints_and_frames_are_found_by_name():
    model = mixed().build()
    assert [model.body(name) for name in "abcd"] == [0, 1, 2, 3]
    assert [model.joint(name) for name in model.joint_names] == [0, 1, 2, 3]
    assert [model.frame(name) for name in ("a", "d", "tool")] == [0, 3, 4]
    assert model.frame("to_c") == model.frame("c")
    assert model.frame_body.tolist() == [0, 1, 2, 3, 2]


def test_frames_of_bodies(model):
    """`body_frame` is the frame of the link that the body's joint moves."""
    assert [model.frame_names[i] for i in model.body_frame] == list(model.body_names)


@pytest.mark.parametrize(
    ("find", "message"),
    [
        (lambda model: model.frame("toll"), "no frame 'toll'; did you mean 'tool'? valid: a, b, c, d, to_a, to_b, "),
        (lambda model: model.body("tool"), "no link 'tool'; valid: a, b, c, d"),
        (lambda model: model.joint("to_e"), "no joint 'to_e'; did you mean 'to_d'? valid: to_a, to_b, to_c, to_d"),
        (lambda model: model.dofs("x"), "no joint 'x'; valid: to_a, to_b, to_c, to_d"),
        (lambda model: model.positions("x"), "no joint 'x'; valid: to_a, to_b, to_c, to_d"),
    ],
)
def test_unknown_names(find, message):
    with pytest.raises(ModelError) as error:
        find(mixed().build())
    assert str(error.value).startswith(f"model 'chain' has {message}")


def test_mass_is_that_of_what_moves():
    assert mixed().build().mass == 3.0


def test_neutral_is_where_frames_coincide(mechanism, model):
    expected = [placed.joint.neutral() for placed in mechanism.joints]
    np.testing.assert_array_equal(model.neutral, np.concatenate(expected))


def test_rotations_and_other_coordinates_are_told_apart():
    model = chain(joints.RzJoint(), joints.SphericalJoint(), joints.FloatingJoint()).build()
    assert model.rotations == ((slice(1, 5), slice(1, 4)), (slice(8, 12), slice(7, 10)))
    assert model.plain_q.tolist() == [0, 5, 6, 7]
    assert model.plain_v.tolist() == [0, 4, 5, 6]


def arrays_of(thing):
    return {name: value for name, value in vars(thing).items() if isinstance(value, np.ndarray)}


def test_a_model_does_not_change():
    model = mixed().build()
    found = arrays_of(model) | arrays_of(model.coordinates) | arrays_of(model.followers)
    for body in model.bodies:
        found |= {f"{name} of {body.name}": value for name, value in arrays_of(body).items()}
    assert len(found) > 30
    assert [name for name, value in found.items() if value.flags.writeable] == []
    with pytest.raises(AttributeError):
        model.name = "other"
    neutral = model.neutral
    neutral[:] = 7.0
    assert model.neutral[0] == 0.0


def test_a_model_does_not_change_with_its_mechanism():
    mechanism = random_mechanism(3, floating=False)
    model = mechanism.build()
    q = random_states(model, 3).q
    before = frame_poses(model, q), [body.mass for body in model.bodies], [body.centre.copy() for body in model.bodies]
    for placed in mechanism.joints:
        placed.origin[:] = np.eye(4)
    for link in mechanism.links:
        link.mass = 5.0
        np.asarray(link.centre)[:] = 5.0
    for frame in mechanism.frames:
        frame.pose[:] = np.eye(4)
    after = frame_poses(model, q), [body.mass for body in model.bodies], [body.centre for body in model.bodies]
    for x, y in zip(before, after, strict=True):
        np.testing.assert_array_equal(x, y)
