"""What friction remembers from step to step: rigid fields of pairs, and what a contact world makes of them."""

from typing import NamedTuple

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ipc_articulation.contact import anchors, memory
from ipc_articulation.contact.anchors import LENGTH, NO_ANCHORS, carried, normal_equations
from ipc_articulation.contact.held import Held, without
from tests.contact.worlds import D_HAT, boxes, pose, stack
from tests.derivatives import central_difference, relative_error

N, DELTA = 4, LENGTH * D_HAT  # three bodies and a half-plane
TWIST = DELTA * np.array([0.7, -0.2, 0.5])
STILL = np.stack([pose(0.1, 0.0, 0.3), pose(0.0, 0.2, 0.5, angles=(0.3, 0.1, 0.0)), pose(-0.1, 0.0, 0.4)])
PAIRS = np.array([[0, 1], [1, 2], [0, 3]])


class Patches(NamedTuple):
    """Contact points of P pairs."""

    bodies: np.ndarray  # (P, 2)
    pair: np.ndarray  # (k,)
    weight: np.ndarray  # (k,) μ λ
    point: np.ndarray  # (k, 3)
    normal: np.ndarray  # (k, 3)
    stretch: np.ndarray  # (k, 3)
    length: np.ndarray  # (P,) δ


def remembered(patches, held, q, ahead):
    """The fields of pairs at the end of a step from q to ahead, (n, 12) each."""
    A, b, c, rho = normal_equations(*patches)
    return Held(*carried(patches.bodies, memory._solved(A, b), c, rho, (*held, N), q, ahead))


def field(points, t, omega, c):
    return t + np.cross(omega, points - c)


def projected(vectors, normals):
    return vectors - np.einsum("ki,ki->k", vectors, normals)[:, None] * normals


def patch(rng, bodies=(0, 1), count=6, size=0.1, flat=True):
    """Contact points of a pair without stretch; flat: all in a plane."""
    normal = rng.standard_normal(3)
    normal /= np.linalg.norm(normal)
    points = size * rng.standard_normal((count, 3))
    normals = np.tile(normal, (count, 1))
    if flat:
        points = projected(points, normals)
    else:
        normals = rng.standard_normal((count, 3))
        normals /= np.linalg.norm(normals, axis=1)[:, None]
    rows, length = np.zeros(count, dtype=np.int64), np.array([DELTA])
    weights = rng.uniform(0.1, 1.0, count)
    return Patches(np.array([bodies]), rows, weights, points, normals, np.zeros((count, 3)), length)


def stretched(patch, stretch):
    return patch._replace(stretch=projected(stretch, patch.normal))


def read(held, patch):
    return anchors.read(*held, N, patch.bodies, patch.pair, patch.point, patch.normal)


def moved_a_little(q):
    """So that the pair's field is fitted, and goes nowhere."""
    after = q.copy()
    after[:, 0] += 1e-15
    return after


def after_step(patches, held=NO_ANCHORS, q=STILL, ahead=None):
    return remembered(patches, held, q, moved_a_little(q) if ahead is None else ahead)


@pytest.mark.parametrize("flat", [True, False], ids=["flat", "round"])
@pytest.mark.parametrize("seed", range(4))
def test_a_rigid_stretch_is_read_again_at_any_points(seed, flat):
    rng = np.random.default_rng(seed)
    points = patch(rng, count=12, flat=flat)
    t, omega, c = 0.3 * DELTA * rng.standard_normal(3), DELTA * rng.standard_normal(3), rng.standard_normal(3) * 0.1
    some, others = (
        points._replace(**{name: getattr(points, name)[rows] for name in ("pair", "weight", "point", "normal")})
        for rows in (slice(0, 7), slice(5, 12))
    )
    held = after_step(stretched(some, field(some.point, t, omega, c)))
    np.testing.assert_allclose(
        read(held, others), projected(field(others.point, t, omega, c), others.normal), atol=1e-9 * DELTA
    )


@pytest.mark.parametrize("strain", [0.0, 1e-5])
def test_at_rest_the_memory_does_not_fade(strain):
    """Sixty seconds of steps of 10 ms, of bodies that contact has squeezed."""
    rng, q = np.random.default_rng(5), STILL.copy()
    q[:, 3:] *= 1.0 - strain
    points = patch(rng)
    points = stretched(points, field(points.point, 0.2 * DELTA * rng.standard_normal(3), TWIST, np.zeros(3)))
    held = after_step(points, q=q)
    first = read(held, points)
    for _ in range(6000):
        held = after_step(points._replace(stretch=read(held, points)), held, q)
    np.testing.assert_allclose(read(held, points), first, atol=1e-9 * DELTA)


def test_a_pair_that_does_not_move_keeps_its_field_to_the_last_bit():
    rng = np.random.default_rng(6)
    points = patch(rng)
    held = Held(np.array([1]), rng.standard_normal((1, 9)))
    kept = after_step(stretched(points, rng.standard_normal((6, 3))), held, ahead=STILL)
    np.testing.assert_array_equal(kept.pairs, held.pairs)
    np.testing.assert_array_equal(kept.values, held.values)
    assert not read(after_step(stretched(points, rng.standard_normal((6, 3))), ahead=STILL), points).any()


def test_a_single_point_remembers_no_twist():
    rng = np.random.default_rng(7)
    point = patch(rng, count=1)
    held = after_step(stretched(point, 0.5 * DELTA * rng.standard_normal((1, 3))))
    assert np.linalg.norm(held.values[0, 3:6]) * D_HAT < 1e-12 * DELTA
    beside = point._replace(point=point.point + 0.1 * projected(rng.standard_normal((1, 3)), point.normal))
    np.testing.assert_allclose(read(held, beside), read(held, point), atol=1e-12 * DELTA)


def test_what_points_hardly_see_is_forgotten():
    """Stretches that are not rigid, at points almost in a plane: a large turn out of it would fit them better."""
    rng = np.random.default_rng(12)
    points = patch(rng)
    points = points._replace(point=points.point + 1e-4 * rng.standard_normal((6, 1)) * points.normal)
    held = after_step(stretched(points, 0.5 * DELTA * rng.standard_normal((6, 3))))
    assert np.linalg.norm(held.values[0, 3:6]) * 0.1 < 5.0 * DELTA


def test_at_the_cone_the_anchor_follows():
    rng = np.random.default_rng(8)
    points = patch(rng)
    far = projected(np.tile(rng.standard_normal(3), (6, 1)), points.normal)
    held = after_step(stretched(points, far))
    lengths = np.linalg.norm(read(held, points), axis=1)
    np.testing.assert_allclose(lengths, DELTA, rtol=1e-9)
    assert np.all(np.einsum("ki,ki->k", read(held, points), far) > 0.999 * lengths * np.linalg.norm(far, axis=1))


def test_a_memory_goes_with_its_pair():
    """Both bodies move and turn together: the same springs in the turned frame, however far they turn."""
    rng = np.random.default_rng(9)
    points = patch(rng)
    points = stretched(points, field(points.point, 0.2 * DELTA * rng.standard_normal(3), TWIST, np.zeros(3)))
    R, shift, ahead = Rotation.from_rotvec([0.4, -1.0, 0.7]).as_matrix(), np.array([3.0, -2.0, 1.0]), STILL.copy()
    ahead[:, :3] = STILL[:, :3] @ R.T + shift
    ahead[:, 3:] = (R @ STILL[:, 3:].reshape(-1, 3, 3)).reshape(-1, 9)
    there = points._replace(point=points.point @ R.T + shift, normal=points.normal @ R.T)
    np.testing.assert_allclose(read(after_step(points, ahead=ahead), there), points.stretch @ R.T, atol=1e-9 * DELTA)


def test_pairs_are_apart_and_sorted():
    rng = np.random.default_rng(10)
    parts = []
    for bodies in PAIRS[[2, 1, 0]]:
        points = patch(rng, tuple(bodies))
        parts.append(stretched(points, field(points.point, 0.2 * DELTA * rng.standard_normal(3), TWIST, np.zeros(3))))
    shifted = [points._replace(pair=points.pair + k) for k, points in enumerate(parts)]
    held = after_step(Patches(*map(np.concatenate, zip(*shifted, strict=True))))
    np.testing.assert_array_equal(held.pairs, [1, 3, 6])
    for points in parts:
        np.testing.assert_allclose(read(held, points), points.stretch, atol=1e-9 * DELTA)
    left = without(held, np.array([True, False, False]), 1)
    np.testing.assert_array_equal(left.pairs, [6])
    assert not read(left, parts[0]).any()


def begun(held, x):
    """A world of three boxes on the ground at the beginning of a step."""
    return boxes(3, anchored=True).begin(x, anchors=held)


def slid():
    """Nodes of the boxes, and where they have slid to."""
    x = boxes(3).nodes(stack())
    motion = np.zeros_like(x)
    motion[::4, :2] = DELTA * np.array([[0.2, 0.0], [0.5, -0.1], [0.3, 0.3]])
    return x, x + motion


def test_a_world_remembers_what_the_points_have_slipped():
    """The springs of all pairs, of boxes and with the ground, act where a step has left them."""
    x, ahead = slid()
    first = begun(NO_ANCHORS, x)
    held = first.remembered(ahead)[1]
    np.testing.assert_array_equal(held[0], [1, 3, 7])
    friction = first.gradient(ahead, barriers=False)
    again = begun(held, x).gradient(x, barriers=False)
    assert np.abs(friction).max() > 0.0
    assert relative_error(again, friction) < 1e-3


def test_a_world_that_does_not_move_keeps_its_fields_to_the_last_bit():
    x, ahead = slid()
    held = begun(NO_ANCHORS, x).remembered(ahead)[1]
    keys, fields = begun(held, x).remembered(x)[1]
    np.testing.assert_array_equal(keys, held[0])
    assert fields.tobytes() == held[1].tobytes()


def test_derivatives_with_anchors_equal_differences():
    x, ahead = slid()
    world = begun(begun(NO_ANCHORS, x).remembered(ahead)[1], x)
    at = x + 0.1 * DELTA * np.random.default_rng(11).uniform(-1, 1, x.shape)
    world.settle(at)
    g, H = world.derivatives(at, barriers=False)
    step = 1e-3 * DELTA
    slope = central_difference(lambda x: world.energies(x, barriers=False).sum(), at.ravel(), step)
    assert relative_error(g, slope) < 1e-5
    exact = central_difference(lambda x: world.gradient(x, barriers=False), at.ravel(), step)
    assert relative_error(H, exact) < 1e-4
