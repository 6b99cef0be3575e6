"""Stitch geometries between soft and affine bodies, read and refused."""

import re

import numpy as np
import pytest
from uipc import view
from uipc.constitution import (
    AffineBodyConstitution,
    ElasticModuli,
    ElasticModuli2D,
    SoftVertexEdgeStitch,
    SoftVertexStitch,
    SoftVertexTriangleStitch,
)
from uipc.geometry import label_surface, label_triangle_orient

from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.soft.stitches import UIDS, read_stitches
from tests.frontend.soft.soft_meshes import SOLID, SQUARE, SoftScene, bare_solid, shell, solid

UP = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 2], [0, 0, 0, 1.0]])  # 2 m


def affine_solid():
    mesh = bare_solid()
    label_surface(mesh)
    label_triangle_orient(mesh)
    AffineBodyConstitution().apply_to(mesh, 1e8)
    return mesh


def two_bodies(first=shell, second=solid):
    """A body at the origin and one 2 m above it."""
    scene = SoftScene()
    scene.add(first())
    mesh = second()
    view(mesh.transforms())[0] = UP
    scene.add(mesh)
    return scene


def indices(pairs):
    return np.array(pairs, dtype=np.int32)


def stitch(scene, stitches, *arguments, with_rest=True):
    slots = (tuple(scene.slots), tuple(scene.rests)) if with_rest else (tuple(scene.slots),)
    geometry = stitches().create_geometry(*slots, *arguments)
    return scene.scene.objects().create("seam").geometries().create(geometry)[0]


def read(scene, slot):
    return read_stitches(slot, scene.by_id, {slot.id(): "seam"})


def energy(stitches, x):
    elements = np.arange(x[..., 0].size).reshape(x.shape[:2])
    return stitches.law.energies(x.reshape(-1, 3), elements, stitches.constants)


@pytest.mark.parametrize("second", [solid, affine_solid])
def test_vertices_are_stitched(second):
    scene = two_bodies(second=second)
    slot = stitch(scene, SoftVertexStitch, indices([[0, 3], [2, 1]]), 5e4, 0.25, with_rest=False)
    got = read(scene, slot)
    left, right = got.sides
    assert (left.geometry, right.geometry) == tuple(s.id() for s in scene.slots)
    assert (left.is_soft, right.is_soft) == (True, second is solid)
    assert (left.vertices.tolist(), right.vertices.tolist()) == ([[0], [2]], [[3], [1]])
    np.testing.assert_array_equal(right.points[:, 0], SOLID[[3, 1]])  # in its own frame
    np.testing.assert_array_equal(got.constants, [[5e4, 0.25]] * 2)
    x = np.array([[[0, 0, 0], [0, 0, 3.0]]])
    assert energy(got, np.vstack([x, x]))[0] == pytest.approx(5e4 / 2 * 2.75**2)


def test_a_vertex_is_stitched_to_an_edge():
    scene = two_bodies()
    moduli = ElasticModuli2D.youngs_poisson(1e5, 0.3)
    edges = scene.slots[1].geometry().edges().topo().view()[..., 0]
    slot = stitch(scene, SoftVertexEdgeStitch, indices([[1, 4]]), moduli, 0.02, 0.001)
    got = read(scene, slot)
    assert got.sides[1].vertices.tolist() == [edges[4].tolist()]
    placed = SOLID + UP[:3, 3]
    x = np.array([[SQUARE[1], *placed[edges[4]]]])
    assert energy(got, x)[0] == pytest.approx(0.0, abs=1e-12)  # at rest where it is in the world
    area = 0.5 * np.linalg.norm(np.cross(x[0, 1] - x[0, 0], x[0, 2] - x[0, 0]))
    trace = 2 * (1.1**2 - 1) / 2
    expected = 2 * 0.02 * area * (moduli.mu() * trace**2 / 2 + moduli.lambda_() / 2 * trace**2)
    assert energy(got, 1.1 * x)[0] == pytest.approx(expected)


@pytest.mark.parametrize("second", [solid, affine_solid])
def test_a_vertex_is_stitched_to_a_triangle(second):
    scene = two_bodies(second=second)
    moduli = ElasticModuli.youngs_poisson(1e5, 0.3)
    triangles = scene.slots[1].geometry().triangles().topo().view()[..., 0]
    slot = stitch(scene, SoftVertexTriangleStitch, indices([[1, 2], [0, 5]]), moduli, 0.001)
    got = read(scene, slot)
    assert got.sides[1].vertices.tolist() == triangles[[2, 5]].tolist()
    placed = SOLID + UP[:3, 3]
    x = np.array([[SQUARE[v], *placed[triangles[t]]] for v, t in ((1, 2), (0, 5))])
    np.testing.assert_allclose(energy(got, x), 0.0, atol=1e-10)
    volume = np.abs(np.linalg.det(x[:, 1:] - x[:, :1])) / 6
    off = 1.1**3 - 1
    density = moduli.mu() / 2 * (3 * 1.21 - 3) - moduli.mu() * off + moduli.lambda_() / 2 * off**2
    np.testing.assert_allclose(energy(got, 1.1 * x), density * volume)


def test_a_triangle_that_is_touched_is_kept_apart():
    scene = SoftScene()
    scene.add(shell())
    scene.add(solid())  # its vertex 0 is the shell's
    triangles = scene.slots[1].geometry().triangles().topo().view()[..., 0]
    at = int(np.flatnonzero((triangles == 0).any(axis=1))[0])
    slot = stitch(scene, SoftVertexTriangleStitch, indices([[0, at]]), ElasticModuli.youngs_poisson(1e5, 0.3), 0.1)
    area = 0.5 * np.linalg.norm(np.cross(*(SOLID[triangles[at]][1:] - SOLID[triangles[at]][0])))
    assert read(scene, slot).constants[0, 12] == pytest.approx(area * 0.1 / 3)
    view(slot.geometry().instances().find("min_separate_distance"))[0] = 0.0
    refuses(scene, slot, "the vertex of stitch 0 is in the plane of its triangle; the least distance must not be 0")


def refuses(scene, slot, text):
    with pytest.raises(SceneError, match=r"stitches \w+ \w+ 'seam' \(geometry \d\):? " + re.escape(text)):
        read(scene, slot)


def springs(scene):
    return stitch(scene, SoftVertexStitch, indices([[0, 3], [2, 1]]), 5e4, 0.25, with_rest=False)


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("kappa", -1.0, "stitch 1 has the 'kappa' -1; it must be finite and 0 or more"),
        ("rest_length", np.nan, "stitch 1 has the 'rest_length' nan; it must be finite and 0 or more"),
    ],
)
def test_wrong_parameters_are_refused(name, value, text):
    scene = two_bodies()
    slot = springs(scene)
    view(slot.geometry().instances().find(name))[1] = value
    refuses(scene, slot, text)


def test_vertices_that_do_not_exist_are_refused():
    scene = two_bodies()
    slot = springs(scene)
    view(slot.geometry().instances().find("topo"))[1] = np.reshape([0, 5], (2, 1))
    refuses(scene, slot, f"stitch 1 refers to vertices [5] of geometry {scene.slots[1].id()}, which has the vertices 0")


def test_bodies_that_do_not_exist_are_refused():
    scene = two_bodies()
    slot = springs(scene)
    view(slot.geometry().meta().find("geo_ids"))[0] = np.reshape([0, 77], (2, 1))
    refuses(scene, slot, "refers to geometry 77, which is no soft or affine body of the scene")


def test_bodies_of_several_instances_are_refused():
    scene = two_bodies(second=affine_solid)
    slot = springs(scene)
    scene.slots[1].geometry().instances().resize(2)
    refuses(
        scene, slot, f"refers to geometry {scene.slots[1].id()}, which has 2 instances; a stitched geometry has one"
    )


def test_the_uids_are_those_of_stitches():
    from uipc.builtin import ConstitutionUIDCollection

    known = ConstitutionUIDCollection.instance()
    assert {known.find(uid).type for uid in UIDS} == {"InterPrimitive"}
