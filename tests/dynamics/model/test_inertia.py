import numpy as np
import pytest

from ipc_articulation.dynamics import Mechanism, joints
from ipc_articulation.errors import ModelError
from tests.dynamics.random_trees import random_inertia


def build(**properties):
    mechanism = Mechanism("one")
    mechanism.add_link("a", **properties)
    mechanism.add_joint("to_a", joints.RzJoint(), "world", "a", rotor_inertia=1.0)
    return mechanism.build()


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ({"mass": 1.0, "centre": (1.0, 2.0)}, "centre and inertia have shapes (2,) and (3, 3); give (3,), (3, 3)"),
        (
            {"mass": 1.0, "inertia": np.ones((2, 2))},
            "centre and inertia have shapes (3,) and (2, 2); give (3,), (3, 3)",
        ),
        ({"mass": np.nan}, "mass, centre and inertia must be finite"),
        ({"mass": 1.0, "centre": (0.0, np.inf, 0.0)}, "mass, centre and inertia must be finite"),
        ({"mass": 1.0, "inertia": np.nan}, "mass, centre and inertia must be finite"),
        ({"mass": -2.0}, "mass -2 kg; it must be positive, or zero with no inertia at all"),
        ({"mass": 0.0, "inertia": 1.0}, "mass 0 kg; it must be positive, or zero with no inertia at all"),
        (
            {"mass": 1.0, "inertia": [[1.0, 0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]},
            "the inertia is not symmetric: [[1.0, 0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]",
        ),
    ],
)
def test_what_no_body_has(properties, message):
    with pytest.raises(ModelError) as error:
        build(**properties)
    assert str(error.value) == f"mechanism 'one': link 'a': {message}"


@pytest.mark.parametrize("inertia", [0.0, (0.0, 1.0, 1.0), (1.0, 1.0, 2.0), (1.0, 1.0, 2.0 + 1e-7)])
def test_point_masses_rods_and_plates_are_bodies(inertia):
    body = build(mass=1.0, inertia=inertia).bodies[0]
    np.testing.assert_array_equal(body.inertia, np.diag(np.broadcast_to(inertia, 3)))


def test_inertia_may_be_a_matrix():
    inertia = random_inertia(np.random.default_rng(0))
    np.testing.assert_array_equal(build(mass=1.0, inertia=inertia).bodies[0].inertia, inertia)


def welded(*inertias, base=False):
    """Links of 1 kg joined rigidly, on a hinge or fixed to the world."""
    mechanism = Mechanism("welded")
    parent = "world"
    for name, inertia in zip("abc", inertias, strict=False):
        mechanism.add_link(name, 1.0, inertia=inertia)
        joint = joints.RzJoint() if parent == "world" and not base else joints.FixedJoint()
        mechanism.add_joint(f"to_{name}", joint, parent, name)
        parent = name
    mechanism.add_link("hand", 1.0, inertia=1.0)
    mechanism.add_joint("to_hand", joints.RzJoint(), parent, "hand")
    return mechanism


IMPOSSIBLE = (
    "principal moments of inertia {} kg·m² belong to no body: none may be negative, and none larger than the sum of "
    "the other two (is the inertia about the centre of mass?)"
)


@pytest.mark.parametrize(
    ("inertias", "links", "moments"),
    [
        ([(-0.5, 1.0, 1.0)], "'a'", "-0.5, 1, 1"),
        ([(1.0, 1.0, 2.01)], "'a'", "1, 1, 2.01"),
        ([(-1.0, -1.0, -1.0)], "'a'", "-1, -1, -1"),
        ([0.25, (0.0, 0.0, 2.0)], "'a' with 'b'", "0.25, 0.25, 2.25"),
    ],
)
def test_moments_that_no_body_has(inertias, links, moments):
    with pytest.raises(ModelError) as error:
        welded(*inertias).build()
    advice = "build(unphysical='warn') takes it as it is"
    assert str(error.value) == f"mechanism 'welded': link {links}: {IMPOSSIBLE.format(moments)}; {advice}"


def test_a_link_that_cannot_be_may_be_part_of_a_body_that_can():
    message = f"mechanism 'welded': link 'b': {IMPOSSIBLE.format('0, 0, 2')}"
    for mechanism in (welded(5.0, (0.0, 0.0, 2.0)), welded(0.25, (0.0, 0.0, 2.0), base=True)):
        with pytest.warns(UserWarning, match="belong to no body") as warned:
            mechanism.build()
        assert [str(w.message) for w in warned] == [message]


def test_bodies_that_cannot_be_are_taken_with_a_warning_if_one_asks_for_it():
    with pytest.warns(UserWarning, match=r"link 'a': principal moments of inertia 1, 1, 3 kg·m² belong to no body"):
        model = welded((1.0, 1.0, 3.0)).build(unphysical="warn")
    np.testing.assert_array_equal(model.bodies[0].inertia, np.diag([1.0, 1.0, 3.0]))
