import numpy as np
import pytest

from ipc_articulation.dynamics import joints
from ipc_articulation.errors import ModelError, StateError


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: joints.RzJoint(gpos=[1.0, 2.0]), "the gpos of a RzJoint has 1 coordinates, not 2"),
        (lambda: joints.RzJoint(gvel=[]), "the gvel of a RzJoint has 1 coordinates, not 0"),
        (lambda: joints.FixedJoint(gpos=0.0), "the gpos of a FixedJoint has 0 coordinates, not 1"),
        (
            lambda: joints.FloatingJoint().pose_at(np.zeros(6)),
            "the position of a FloatingJoint has 7 coordinates, not 6",
        ),
        (
            lambda: joints.SphericalJoint().subspace(np.zeros(3)),
            "the position of a SphericalJoint has 4 coordinates, not 3",
        ),
        (lambda: joints.TxTyTzJoint(gpos=np.eye(3)), "the gpos of a TxTyTzJoint has 3 coordinates, not 9"),
        (lambda: joints.RzRyJoint([1.0, np.nan]), "the gpos of a RzRyJoint must be finite; it is [1.0, nan]"),
        (lambda: joints.RxJoint(gvel=np.inf), "the gvel of a RxJoint must be finite; it is [inf]"),
        (lambda: joints.TxJoint().pose_at(-np.inf), "the position of a TxJoint must be finite; it is [-inf]"),
        (lambda: joints.TxJoint().integrate(np.nan, 1.0), "the position of a TxJoint must be finite; it is [nan]"),
        (lambda: joints.TxJoint().integrate(0.0, [1.0, 2.0]), "the velocity of a TxJoint has 1 coordinates, not 2"),
        (lambda: joints.TxJoint().rate(0.0, []), "the velocity of a TxJoint has 1 coordinates, not 0"),
        (lambda: joints.RzJoint().subspace_rate(0.0, [1.0, 2.0]), "the velocity of a RzJoint has 1 coordinates, not 2"),
        (lambda: joints.RzJoint().bias(0.0, np.nan), "the velocity of a RzJoint must be finite; it is [nan]"),
    ],
)
def test_wrong_states(call, message):
    with pytest.raises(StateError) as error:
        call()
    assert str(error.value) == message


@pytest.mark.parametrize(
    "make",
    [
        joints.RevoluteJoint,
        joints.PrismaticJoint,
        joints.CylindricalJoint,
        joints.PlanarJoint,
        lambda axis: joints.HelicalJoint(axis, 1.0),
        lambda axis: joints.UniversalJoint(axis, (1.0, 0.0, 0.0)),
        lambda axis: joints.UniversalJoint((1.0, 0.0, 0.0), axis),
    ],
    ids=["Revolute", "Prismatic", "Cylindrical", "Planar", "Helical", "Universal first", "Universal second"],
)
@pytest.mark.parametrize("axis", [[0.0, 0.0, 0.0], [1.0, float("nan"), 0.0], [1.0, 0.0]], ids=str)
def test_wrong_axes(make, axis):
    with pytest.raises(ModelError) as error:
        make(axis)
    assert str(error.value) == f"a joint axis must be three finite numbers, not all zero; it is {axis}"
