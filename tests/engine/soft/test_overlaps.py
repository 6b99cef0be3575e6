"""What is said of soft bodies that overlap at the start: vertices, elements, thickness, and what would be valid."""

import re

import numpy as np
import pytest
from uipc import view

from ipc_articulation.errors import SceneError
from tests.engine.soft.soft_scenes import SoftScene, cloth, moved, particles, rod

UPRIGHT = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])


def line(*points):
    return rod(np.array(points, dtype=float))


def folded():
    """A cloth of 2 x 2 cells whose side of vertices 6 to 8 goes through its first cell, (0, 1, 3, 4)."""
    mesh = cloth(2)
    view(mesh.positions())[7:, :, 0] = [[-0.1, -0.2, 0.1], [-0.1, -0.2, -0.1]]
    return mesh


CASES = {
    "a rod nearer to another than both are thick": (
        [line([-0.1, 0, 0], [0.1, 0, 0]), line([0, -0.1, 0.004], [0, 0.1, 0.004])],
        "'body 0' and 'body 1' are 0.004 m apart, less than the thickness 0.01 m of their surfaces, at the start "
        "(edge (0, 1) of 'body 0' and edge (0, 1) of 'body 1'); move them apart, to a gap of 0.002 m and their "
        "thickness (below it they repel each other), or disable their contact in the contact table",
    ),
    "rods that cross": (
        [line([-0.1, 0, 0], [0.1, 0, 0]), line([0, -0.1, 0], [0, 0.1, 0])],
        "'body 0' and 'body 1' intersect at the start (edge (0, 1) of 'body 0' and edge (0, 1) of 'body 1')",
    ),
    "a rod nearer to itself than it is thick": (
        [line([-0.1, 0, 0], [0.1, 0, 0], [0.1, 0.1, 0], [0, 0.1, 0], [0, -0.1, 0.008])],
        "parts of 'body 0' are 0.004 m apart, less than the thickness 0.01 m of their surfaces, at the start (edge "
        "(0, 1) of 'body 0' and edge (3, 4) of 'body 0'); move them apart, to a gap of 0.002 m and their thickness "
        "(below it they repel each other), or set its self_collision to 0",
    ),
    "particles": (
        [particles([[0, 0, 0], [0.015, 0, 0]])],
        "(vertex 1 of 'body 0' and vertex 0 of 'body 0')",
    ),
    "a cloth through another": (
        [cloth(2), moved(cloth(2), 0, 0.05, 0.05, turn=UPRIGHT)],
        "'body 0' and 'body 1' intersect at the start (edge (7, 8) of 'body 0' and triangle (3, 6, 7) of 'body 1')",
    ),
    "a cloth through itself": (
        [folded()],
        "parts of 'body 0' intersect at the start (edge (7, 8) of 'body 0' and triangle (0, 3, 4) of 'body 0'); move "
        "them apart, to a gap of 0.002 m (below it they repel each other), or set its self_collision to 0",
    ),
}


@pytest.mark.parametrize(("bodies", "text"), CASES.values(), ids=CASES)
def test_overlaps_of_soft_bodies_name_vertices(tmp_path, bodies, text):
    scene = SoftScene(tmp_path)
    for number, mesh in enumerate(bodies):
        scene.add_soft(mesh, f"body {number}")
    with pytest.raises(SceneError, match=re.escape(text)):
        scene.start()


@pytest.mark.parametrize(
    ("height", "text"),
    [
        (-0.1, r"'body 0' and half-plane 'ground' intersect at the start \(vertex \d of 'body 0'\)"),
        (3e-4, r"are 0.0003 m apart, less than the thickness 0.0005 m of their surfaces, at the start \(vertex \d of "),
    ],
)
def test_overlaps_with_half_planes_name_a_vertex(tmp_path, height, text):
    scene = SoftScene(tmp_path)
    scene.add_soft(moved(cloth(2), 0, 0, height), "body 0")
    scene.add_ground()
    with pytest.raises(SceneError, match=text):
        scene.start()


def test_overlaps_with_boxes_name_the_vertices_of_the_soft_body(tmp_path):
    scene = SoftScene(tmp_path)
    scene.add_soft(moved(cloth(3), 0, 0, 0.02), "body 0")
    scene.add_box(np.eye(4))
    with pytest.raises(
        SceneError, match=r"'box 0' and 'body 0' intersect at the start \((triangle|edge) \([\d, ]+\) of 'body 0'\);"
    ):
        scene.start()
