"""RaiSim's `<constraints>`."""

import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from tests.dynamics.reading.loop_documents import hinge, read

pytest.importorskip("casadi")

LEG = (  # two thighs on the base, two shins that meet at the toe
    hinge("hip1", "base", "thigh1", "0 0.05 0", "0 1 0"),
    hinge("knee1", "thigh1", "shin1", "0 0 0.1", "0 1 0"),
    hinge("hip2", "base", "thigh2", "0 -0.05 0", "0 1 0"),
    hinge("knee2", "thigh2", "shin2", "0 0 0.1", "0 1 0"),
)
NOMINAL = (-1.57, -2.2, 1.3, 2.0)
PIN = '<pin body1="shin1" body2="shin2" anchor="0 0.01 0.2"/>'
ANCHOR = (0.0, 0.01, 0.2)


def constraints(inside, nominal=NOMINAL):
    return f'<constraints nominal_config="{" ".join(map(str, nominal))}">{inside}</constraints>'


def pose_of(robot, q, link):
    model = robot.build().spanning_tree
    return dyn.frame_poses(model, q)[model.frame(link)]


def anchors(robot, q, nominal=NOMINAL):
    """Where the anchor on shin1, and the point of shin2 that it is at where it is nominal, are, (2, 3)."""
    on_second = np.linalg.inv(pose_of(robot, nominal, "shin2")) @ pose_of(robot, nominal, "shin1") @ [*ANCHOR, 1.0]
    return np.array([(pose_of(robot, q, "shin1") @ [*ANCHOR, 1.0])[:3], (pose_of(robot, q, "shin2") @ on_second)[:3]])


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def test_pin_is_closed_at_the_nominal_configuration_and_holds_the_points_together(rng):
    robot = read(*LEG, constraints(PIN))
    model = robot.build()
    assert (model.nq, model.nv) == (4, 2)
    np.testing.assert_allclose(model.spanning(NOMINAL), NOMINAL)
    np.testing.assert_allclose(robot.loops[0][1].phi(np.array(NOMINAL)), 0.0, atol=1e-15)
    for _ in range(5):
        first, second = anchors(robot, model.closed(np.array(NOMINAL) + 0.3 * rng.normal(size=4)))
        np.testing.assert_allclose(first, second, atol=1e-11)


def test_pin_is_an_equality_along_both_axes_of_the_plane(rng):
    axes = '<axis xyz="2 0 0"/><axis xyz="1 0 0.1"/>'
    equality = f'<equality body1="shin1" body2="shin2" anchor="0 0.01 0.2">{axes}</equality>'
    ((_, pin),), ((_, along),) = read(*LEG, constraints(PIN)).loops, read(*LEG, constraints(equality)).loops
    q = pin.closed(np.array(NOMINAL) + 0.2 * rng.normal(size=4))
    np.testing.assert_allclose(along.phi(q), 0.0, atol=1e-11)
    apart = q + 0.1
    assert np.linalg.norm(along.phi(apart)) == pytest.approx(np.linalg.norm(pin.phi(apart)), rel=1e-12)
    K, A = pin.K(q), along.K(q)
    np.testing.assert_allclose(np.linalg.pinv(K) @ K, np.linalg.pinv(A) @ A, atol=1e-10)


def test_equality_along_an_axis_keeps_a_point_in_a_plane_of_the_first_body(rng):
    normal = np.array([1.0, 0.0, 2.0]) / np.sqrt(5.0)
    equality = '<equality body1="shin1" body2="shin2" anchor="0 0.01 0.2"><axis xyz="1 0 2"/></equality>'
    robot = read(*LEG, constraints(equality))
    ((_, constraint),) = robot.loops
    assert (constraint.size, constraint.ndof) == (4, 3)
    q = constraint.closed(np.array(NOMINAL) + 0.3 * rng.normal(size=4))
    first, second = anchors(robot, q)
    assert np.linalg.norm(first - second) > 0.01
    assert (pose_of(robot, q, "shin1")[:3, :3] @ normal) @ (first - second) == pytest.approx(0.0, abs=1e-11)


def test_axes_are_those_of_the_link_that_is_named_also_where_it_is_welded_on(rng):
    """The foot's y axis is the shin's x axis."""
    weld = '<parent link="shin1"/><child link="foot"/><origin xyz="0 0.01 0.2" rpy="0 0 -1.5707963267948966"/>'
    foot = f'<link name="foot"/><joint name="weld" type="fixed">{weld}</joint>'
    on_shin = '<equality body1="shin1" body2="shin2" anchor="0 0.01 0.2"><axis xyz="1 0 2"/></equality>'
    on_foot = '<equality body1="foot" body2="shin2" anchor="0 0 0"><axis xyz="0 1 2"/></equality>'
    ((_, shin),), ((_, welded),) = (read(*LEG, foot, constraints(text)).loops for text in (on_shin, on_foot))
    q = rng.normal(size=4)
    np.testing.assert_allclose(np.abs(welded.phi(q)), np.abs(shin.phi(q)), atol=1e-12)
    assert np.abs(shin.phi(q)).max() > 0.01


def test_floating_base_comes_first_in_the_nominal_configuration():
    nominal = (0.1, 0.2, 0.35, 0.6, 0.0, 0.8, 0.0, *NOMINAL)
    ((_, fixed),) = read(*LEG, constraints(PIN)).loops
    ((_, floating),) = read(*LEG, constraints(PIN, nominal), floating_base=True).loops
    q = np.array([0.3, -0.4, 0.5, 1.0])
    np.testing.assert_allclose(floating.phi(q), fixed.phi(q), atol=1e-15)


def test_constraints_without_any_are_none():
    assert read(*LEG, "<constraints/>").loops == []
