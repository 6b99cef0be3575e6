"""The camera is as near as it can be with everything in the picture."""

import numpy as np
import pytest

from ipc_articulation.recording import Scenery
from ipc_articulation.viewing.bodies import bounds, outline
from ipc_articulation.viewing.drawing.camera import VIEW_ANGLE, eye_and_target
from tests.viewing.made import recording

UPS = ([0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.36, 0.48, 0.8])


def in_picture(points: np.ndarray, up: np.ndarray, eye: np.ndarray, target: np.ndarray, aspect: float) -> np.ndarray:
    """Where points are in the picture, (k, 2), from -1 to 1 along each axis."""
    ahead = (target - eye) / np.linalg.norm(target - eye)
    right = np.cross(ahead, up) / np.linalg.norm(np.cross(ahead, up))
    seen = points - eye
    depth = seen @ ahead
    assert (depth > 0.0).all()
    slope = np.tan(0.5 * np.radians(VIEW_ANGLE))
    return np.column_stack([seen @ right / aspect, seen @ np.cross(right, ahead)]) / (slope * depth[:, None])


@pytest.mark.parametrize("up", UPS, ids=str)
@pytest.mark.parametrize("aspect", [0.5, 1.0, 1.6])
def test_everything_is_seen_and_fills_the_picture(up: list[float], aspect: float) -> None:
    rng = np.random.default_rng(4)
    scenery = Scenery((), (), np.array(up))
    for _ in range(50):
        points = rng.normal(size=3) * 10.0 + rng.normal(size=(8, 3)) * 10.0 ** rng.uniform(-2, 2, 3)
        places = in_picture(points, np.array(up), *eye_and_target(scenery, points, aspect), aspect)
        assert np.abs(places).max() <= 0.86 + 1e-9
        low, high = places.min(axis=0), places.max(axis=0)
        fills = np.isclose(high, 0.86) & np.isclose(low, -0.86)
        assert fills.any()
        np.testing.assert_array_less(np.abs(high + low)[fills], 1e-6)


def test_a_target_stays_in_the_middle() -> None:
    points, target = np.eye(3), (0.5, 0.0, 0.0)
    scenery = Scenery((), (), np.array([0.0, 0.0, 1.0]), target=target)
    eye, looked_at = eye_and_target(scenery, points, 1.0)
    places = in_picture(points, scenery.up, eye, looked_at, 1.0)
    np.testing.assert_allclose(looked_at, target)
    np.testing.assert_allclose(np.abs(places).max(), 0.86)


def test_a_single_point_and_a_camera_of_the_scene() -> None:
    point = np.array([[1.0, 2.0, 3.0]])
    eye, target = eye_and_target(Scenery((), (), np.array([0.0, 0.0, 1.0])), point, 1.0)
    np.testing.assert_allclose(target, point[0])
    assert np.linalg.norm(eye - target) > 0.0
    given = Scenery((), (), np.array([0.0, 0.0, 1.0]), eye=(0.0, -6.0, 2.0), target=(0.0, 0.0, 0.5))
    np.testing.assert_allclose(eye_and_target(given, point, 1.0), [[0.0, -6.0, 2.0], [0.0, 0.0, 0.5]])


def test_the_outline_is_about_all_bodies() -> None:
    made = recording(slide=3.0)
    points, (low, high) = outline(made), bounds(made)
    np.testing.assert_allclose(points.min(axis=0), low, atol=1e-9)
    np.testing.assert_allclose(points.max(axis=0), high, atol=1e-9)
