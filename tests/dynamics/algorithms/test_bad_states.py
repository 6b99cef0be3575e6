import re
import warnings

import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation.errors import ModelError, StateError
from tests.dynamics.algorithms.test_over_states import CALLS
from tests.dynamics.random_trees import States

MECHANISM = dyn.Mechanism("toy")
for _name, _joint, _parent in (
    ("base", dyn.joints.FloatingJoint(), "world"),
    ("arm", dyn.joints.RzJoint(), "base"),
    ("ball", dyn.joints.SphericalJoint(), "arm"),
):
    MECHANISM.add_link(_name, 1.0, (0.1, 0.2, 0.3), 1.0)
    MECHANISM.add_joint(f"{_name}_joint", _joint, _parent, _name)
MECHANISM.add_frame("tool", "ball")
MODEL = MECHANISM.build()  # q: 7 + 1 + 4, v: 6 + 1 + 3


def state_of(count=None, **changes):
    """Ones and neutral positions, but for the changes."""
    leading = () if count is None else (count,)
    ones = np.ones((*leading, MODEL.nv))
    q, wrenches = np.tile(MODEL.neutral, (*leading, 1)), np.ones((*leading, 3, 6))
    return States(q, ones, ones, ones, wrenches)._replace(**changes)


def takes(call):
    """Names of the arrays that a function of `CALLS` looks at."""
    return set(States._fields) & set(call.__code__.co_names)


CASES = [
    (name, array)
    for name, call in CALLS.items()
    for array in sorted(takes(call))
    if (name, array) != ("difference", "a")
]
CHECKED_Q = [name for name in CALLS if name != "normalised"]


@pytest.mark.parametrize(("name", "array"), CASES)
def test_nothing_but_finite_numbers(name, array):
    for number in (np.nan, np.inf, -np.inf):
        bad = getattr(state_of(), array).copy()
        bad.flat[3] = number
        place = r"wrenches\[0, 3\]" if array == "wrenches" else rf"{array}\[3\] \('base_joint\[3\]'\)"
        with pytest.raises(StateError, match=f"^{place} is {number}; it must be finite$"):
            CALLS[name](MODEL, state_of(**{array: bad}))


def with_large(array, size):
    """States of which the angle of the arm, or component 3 of another array, is large."""
    large = getattr(state_of(), array).copy()
    large.flat[7 if array == "q" else 3] = size
    return state_of(**{array: large})


@pytest.mark.parametrize(("name", "array"), CASES)
def test_no_numbers_whose_products_overflow(name, array):
    places = {"wrenches": "wrenches[0, 3]", "q": "q[7] ('arm_joint')"}
    place = places.get(array, f"{array}[3] ('base_joint[3]')")
    with pytest.raises(StateError, match=rf"^{re.escape(place)} is [12]e\+200; that is too large to compute with$"):
        CALLS[name](MODEL, with_large(array, 1e200))


@pytest.mark.parametrize(("name", "array"), CASES)
def test_results_of_large_numbers_are_finite(name, array):
    assert np.isfinite(CALLS[name](MODEL, with_large(array, 1e25))).all()


@pytest.mark.parametrize(("name", "array"), CASES)
def test_no_complex_numbers(name, array):
    for bad in (getattr(state_of(), array) + 1j, (getattr(state_of(), array) + 0j).tolist()):
        with pytest.raises(StateError, match=f"^{array} must be real numbers, all rows of one length; it is "):
            CALLS[name](MODEL, state_of(**{array: bad}))


@pytest.mark.parametrize("bad", [0, 299, 699])
def test_which_state_of_a_batch_is_bad(bad):
    v = np.ones((700, MODEL.nv))
    v[bad, 6] = np.nan
    with pytest.raises(StateError, match=rf"^v\[6\] \('arm_joint'\) of state {bad} is nan; it must be finite$"):
        dyn.bias_forces(MODEL, MODEL.neutral, v)


SHAPES = {"q": (12,), "wrenches": (3, 6)}


@pytest.mark.parametrize(("name", "array"), CASES)
def test_wrong_shapes(name, array):
    right = SHAPES.get(array, (10,))
    needed = ", ".join(map(str, right))
    for shape in ((right[0] - 1, *right[1:]), (right[0] + 1, *right[1:]), right[1:]):
        message = f"has shape {shape}, but model 'toy' (nq = 12, nv = 10) needs ({needed}) or (..., {needed})"
        with pytest.raises(StateError, match=f"^{array} {re.escape(message)}$"):
            CALLS[name](MODEL, state_of(**{array: np.ones(shape)}))


@pytest.mark.parametrize("name", CHECKED_Q)
@pytest.mark.parametrize(("size", "words"), [(0.0, "is zero"), (2.0, "has length 2")])
def test_quaternions_are_of_length_one(name, size, words):
    for count in (None, 3):
        state = state_of(count)
        state.q[..., 8:] *= size
        message = rf"^q[01]?: the quaternion of joint 'ball_joint' {words}; give one of length one$"
        with pytest.raises(StateError, match=message):
            CALLS[name](MODEL, state)


def test_rounded_quaternions_pass_without_a_word():
    q = MODEL.neutral
    q[3] += 1e-7
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dyn.mass_matrix(MODEL, q)


def test_bad_frames_and_points_are_refused(model):
    last = len(model.frame_names) - 1
    with pytest.raises(ModelError, match=f"has frames 0 to {last}, not {last + 1}"):
        dyn.jacobian(model, model.neutral, last + 1)
    with pytest.raises(ModelError, match=r"frames are given as a list: \['tool'\]"):
        dyn.frame_poses(model, model.neutral, "tool")
    for point in ((1.0, 2.0), (0.0, np.nan, 0.0)):
        with pytest.raises(StateError, match="point must be three finite numbers; it is"):
            dyn.jacobian(model, model.neutral, "tool", point)


def test_a_zero_quaternion_cannot_be_normalised(model):
    q = model.neutral
    q[model.rotations[0][0]] = 0.0
    with pytest.raises(StateError, match=r"^q: the quaternion of joint '\w+' is zero; give \(w, x, y, z\)"):
        dyn.normalised(model, q)
