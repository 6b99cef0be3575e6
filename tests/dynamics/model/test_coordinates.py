import numpy as np
import pytest

from ipc_articulation.dynamics import joints
from ipc_articulation.errors import ModelError
from tests.dynamics.model.chains import chain

NUMBERS = ("damping", "stiffness", "rotor_inertia", "friction", "lower", "upper", "effort", "velocity")


def with_properties(joint, **properties):
    mechanism = chain(joints.RzJoint(), joint)
    for name, value in properties.items():
        setattr(mechanism.joints[1], name, value)
    return mechanism


@pytest.mark.parametrize("name", NUMBERS)
def test_one_number_for_all_coordinates_or_one_for_each(name):
    default = {"lower": -np.inf, "upper": np.inf, "effort": np.inf, "velocity": np.inf}.get(name, 0.0)
    for given, expected in ((2.0, [2.0, 2.0]), ([1.0, 3.0], [1.0, 3.0])):
        coordinates = with_properties(joints.RzRyJoint(), **{name: given}).build().coordinates
        assert getattr(coordinates, name).tolist() == [default, *expected]


def test_springs_are_at_rest_at_neutral_unless_mounted_otherwise():
    mechanism = chain(joints.RzJoint(), joints.SphericalJoint(), joints.FloatingJoint(), joints.TxJoint())
    neutral = mechanism.build().neutral
    np.testing.assert_array_equal(mechanism.build().coordinates.spring_mount, neutral)
    mechanism.joints[1].spring_mount = (0.6, 0.0, 0.8, 0.0)
    mechanism.joints[3].spring_mount = 0.25
    mount = mechanism.build().coordinates.spring_mount
    np.testing.assert_array_equal(mount, [0.0, 0.6, 0.0, 0.8, 0.0, *neutral[5:12], 0.25])
    np.testing.assert_array_equal(mechanism.build().neutral, neutral)


@pytest.mark.parametrize(
    ("joint", "before", "message"),
    [
        (joints.SphericalJoint(), [], "the quaternion [0.0, 3.0, 0.0, 4.0] has length 5; normalised"),
        (joints.FloatingJoint(), [0.1, 0.2, 0.3], "the quaternion [0.0, 3.0, 0.0, 4.0] has length 5; normalised"),
    ],
)
def test_a_spring_mount_of_another_length_is_normalised(joint, before, message):
    given = [*before, 0.0, 3.0, 0.0, 4.0]
    with pytest.warns(UserWarning, match="normalised") as warned:
        model = with_properties(joint, spring_mount=given).build()
    assert [str(w.message) for w in warned] == [f"mechanism 'chain': joint 'to_b': spring mount: {message}"]
    np.testing.assert_allclose(model.coordinates.spring_mount[1:], [*before, 0.0, 0.6, 0.0, 0.8], atol=1e-16)
    assert given == [*before, 0.0, 3.0, 0.0, 4.0]


def test_the_callers_spring_mount_is_left_alone():
    given = np.array([0.0, 3.0, 0.0, 4.0])
    with pytest.warns(UserWarning, match="normalised"):
        with_properties(joints.SphericalJoint(), spring_mount=given).build()
    assert given.tolist() == [0.0, 3.0, 0.0, 4.0]


@pytest.mark.parametrize(
    ("joint", "properties", "message"),
    [
        (
            joints.RzRyJoint(),
            {"damping": [1.0] * 3},
            "damping has 3 numbers; give one, or one for each of 2 coordinates",
        ),
        (
            joints.RzJoint(),
            {"rotor_inertia": [[1.0]]},
            "rotor inertia has 1 numbers; give one, or one for each of 1 coordinates",
        ),
        (joints.RzJoint(), {"lower": np.nan}, "lower is not a number"),
        (joints.RzJoint(), {"friction": np.nan}, "friction is not a number"),
        (joints.RzRyJoint(), {"damping": [1.0, -2.0]}, "damping -2 is negative; give zero or more"),
        (joints.RzJoint(), {"rotor_inertia": -0.5}, "rotor inertia -0.5 is negative; give zero or more"),
        (joints.RzJoint(), {"effort": -1.0}, "effort -1 is negative; give zero or more"),
        (joints.RzJoint(), {"lower": 1.0, "upper": 0.5}, "lower limit [1.0] above upper limit [0.5]"),
        (joints.RzJoint(), {"spring_mount": [1.0, 2.0]}, "spring mount [1.0, 2.0] must be 1 finite numbers"),
        (joints.RzJoint(), {"spring_mount": np.inf}, "spring mount [inf] must be 1 finite numbers"),
        (
            joints.SphericalJoint(),
            {"spring_mount": np.zeros(4)},
            "spring mount: the quaternion is zero; give (w, x, y, z) of length one",
        ),
    ],
)
def test_wrong_properties(joint, properties, message):
    with pytest.raises(ModelError) as error:
        with_properties(joint, **properties).build()
    assert str(error.value) == f"mechanism 'chain': joint 'to_b': {message}"
