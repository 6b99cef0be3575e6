"""Open surfaces made closed: what stays of them, and that the result is closed and has the expected volume."""

import numpy as np
import pytest
import trimesh

from ipc_articulation.coupling.open_meshes import close


def box(*size, at=(0.0, 0.0, 0.0)):
    mesh = trimesh.creation.box(size)
    mesh.apply_translation(at)
    return mesh


def of(vertices, faces):
    return trimesh.Trimesh(vertices, faces, process=False)


def without(mesh, *faces):
    return of(mesh.vertices, np.delete(mesh.faces, faces, axis=0))


def ring(sections=64):
    """A torus of 2048 triangles: far from its hull."""
    return trimesh.creation.torus(1.0, 0.3, major_sections=sections, minor_sections=16)


def closed(mesh):
    result, said = close(mesh)
    assert result.is_watertight
    assert result.is_winding_consistent
    return result, said


def test_a_small_hole_is_filled_and_the_rest_stays():
    result, said = closed(without(ring(), 5, 6))
    assert said == "1 hole filled"
    assert result.volume == pytest.approx(ring().volume, rel=1e-3)


def test_two_holes_of_one_part_are_filled():
    result, said = closed(without(ring(), 5, 6, 1000))
    assert said == "2 holes filled"
    assert result.volume == pytest.approx(ring().volume, rel=1e-3)


def test_a_large_hole_makes_it_a_hull():
    result, said = closed(without(box(1, 2, 3), 0))
    assert said == "replaced by its convex hull"
    assert result.volume == pytest.approx(6.0)


def test_only_open_parts_become_hulls():
    both = trimesh.util.concatenate([ring(), without(box(1, 1, 1, at=(5, 0, 0)), 0)])
    result, said = closed(both)
    assert said == "1 of 2 parts replaced by convex hulls"
    assert result.volume == pytest.approx(ring().volume + 1.0)


def test_boxes_that_touch_along_an_edge_are_cut_apart():
    both = trimesh.util.concatenate([box(1, 1, 1), box(1, 1, 1, at=(1, 1, 0))])
    both.merge_vertices()
    assert not both.is_watertight
    result, said = closed(both)
    assert said == "cut along edges of more than two triangles"
    np.testing.assert_allclose(result.triangles.mean(axis=1), both.triangles.mean(axis=1))
    assert result.volume == pytest.approx(2.0)


def test_triangles_are_turned_and_cavities_stay_cavities():
    turned = box(1, 1, 1, at=(5, 0, 0))
    turned.faces[::2] = turned.faces[::2, ::-1]
    cavity = box(1, 1, 1)
    cavity.invert()
    result, said = closed(trimesh.util.concatenate([box(2, 2, 2), cavity, turned]))
    assert said == "6 triangles turned"
    assert result.volume == pytest.approx(8.0 - 1.0 + 1.0)


def test_repeated_triangles_are_removed():
    mesh = ring()
    doubled = of(mesh.vertices, np.concatenate([mesh.faces, mesh.faces[:3], [[0, 0, 1]]]))
    result, said = closed(doubled)
    assert said == "4 triangles removed"
    assert result.volume == pytest.approx(mesh.volume)


def test_rounding_in_a_file_is_no_hole():
    soup = ring().triangles.reshape(-1, 3)
    soup = soup + np.random.default_rng(0).uniform(-1e-8, 1e-8, soup.shape)
    result, said = closed(of(soup, np.arange(len(soup)).reshape(-1, 3)))
    assert said == "equal vertices merged"
    assert result.volume == pytest.approx(ring().volume)


def test_small_flat_parts_are_left_out():
    sheet = of([[0, 0, 9], [0.1, 0, 9], [0, 0.1, 9]], [[0, 1, 2]])
    result, said = closed(trimesh.util.concatenate([ring(), sheet]))
    assert said == "1 flat part left out"
    assert result.volume == pytest.approx(ring().volume)


def test_separate_triangles_become_one_hull():
    soup = box(1, 1, 1).triangles * 0.99 + 0.01 * np.arange(12)[:, None, None]
    result, said = closed(of(soup.reshape(-1, 3), np.arange(36).reshape(-1, 3)))
    assert said == "replaced by its convex hull"
    assert result.volume > 0.9


@pytest.mark.parametrize("size", [0.0, 1e-200, np.nan])
def test_a_point_encloses_nothing(size):
    assert close(of(np.full((3, 3), size), [[0, 1, 2]])) is None


def test_a_sheet_encloses_nothing():
    assert close(of([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])) is None


@pytest.mark.parametrize("seed", range(5))
def test_triangles_at_random_end_closed(seed):
    draw = np.random.default_rng(seed)
    mesh = of(draw.normal(size=(12, 3)), draw.integers(0, 12, size=(60, 3)))
    result, _ = closed(mesh)
    assert result.volume > 0.0
    assert np.all(np.abs(result.vertices).max(axis=0) <= np.abs(mesh.vertices).max(axis=0) + 1e-12)
