"""Soft bodies, read from real scenes by libuipc's rules, and refused where no step is possible."""

import re

import numpy as np
import pytest
from uipc import view
from uipc.constitution import AffineBodyConstitution, Empty, StableNeoHookean
from uipc.geometry import ground, label_surface

from ipc_articulation.errors import SceneError, UnsupportedError
from ipc_articulation.frontend.soft.bodies import bake_transforms, is_soft_body
from tests.frontend.soft.soft_meshes import (
    EDGES,
    LINE,
    SOLID,
    SQUARE,
    TETRAHEDRA,
    SoftScene,
    bare_shell,
    bare_solid,
    body,
    particles,
    rod,
    set_vertices,
    shell,
    solid,
)


def placed(mesh, T):
    view(mesh.transforms())[0] = T
    return mesh


TURNED = np.array([[0, -2, 0, 1], [2, 0, 0, 2], [0, 0, 2, 3], [0, 0, 0, 1.0]])  # a quarter turn, twice the size


def test_what_is_a_soft_body():
    plain = bare_shell()
    AffineBodyConstitution().apply_to(bare := bare_solid(), 1e8)
    empty = bare_solid()
    Empty().apply_to(empty)
    assert [is_soft_body(g) for g in (solid(), shell(), rod(), particles(), empty)] == [True] * 5
    assert [is_soft_body(g) for g in (plain, bare, ground(0.0))] == [False] * 3


def test_a_solid_is_read():
    mesh = solid()
    set_vertices(mesh, "velocity", np.arange(15.0).reshape(5, 3))
    set_vertices(mesh, "is_fixed", [1, 0, 0, 0, 0])
    set_vertices(mesh, "is_dynamic", [1, 1, 0, 1, 1])
    view(mesh.meta().create("subscene_element_id", 0))[:] = 2
    view(mesh.meta().create("contact_element_id", 0))[:] = 3
    view(mesh.meta().create("d_hat", 0.0))[:] = 0.02
    view(mesh.meta().find("self_collision"))[:] = 0
    got = body(placed(mesh, TURNED))
    assert got.dimension == 3
    assert got.name == f"cushion {got.slot.id()}"
    np.testing.assert_array_equal(got.rest, SOLID)
    np.testing.assert_allclose(got.x, SOLID @ TURNED[:3, :3].T + TURNED[:3, 3])
    np.testing.assert_array_equal(got.v, np.arange(15.0).reshape(5, 3))
    volumes = np.array([1 / 6, 2 / 6])
    lumped = [np.sum(volumes[np.any(v == TETRAHEDRA, axis=1)]) / 4 for v in range(5)]
    np.testing.assert_allclose(got.mass, 800.0 * np.array(lumped))
    assert got.is_fixed.tolist() == [True, False, False, False, False]
    assert got.is_dynamic.tolist() == [True, True, False, True, True]
    assert np.isnan(got.own_gravity).all()
    assert not got.thickness.any()
    assert (got.contact_elements[0], got.subscene, got.d_hat, got.self_collision) == (3, 2, 0.02, False)
    np.testing.assert_array_equal(got.tetrahedra, TETRAHEDRA)
    assert got.surface_vertices.all()
    assert (len(got.surface_faces), len(got.surface_edges)) == (6, 9)
    assert not np.any(np.all(np.sort(got.surface_faces) == [1, 2, 3], axis=1)), "the face between the tetrahedra"


@pytest.mark.parametrize(
    ("mesh", "dimension", "mass"),
    [
        (shell, 2, 600.0 * 0.02 * np.array([1, 2, 2, 1]) / 6),
        (rod, 1, 500.0 * np.pi * 0.02**2 * np.array([0.5, 1.5, 2.5, 1.5])),
        (particles, 0, 1000.0 * 4 / 3 * np.pi * 0.1**3 * np.ones(4)),
    ],
)
def test_thin_bodies_are_read(mesh, dimension, mass):
    got = body(mesh())
    assert got.dimension == dimension
    np.testing.assert_allclose(got.mass, mass)
    assert np.ptp(got.thickness) == 0.0
    assert got.thickness[0] > 0.0
    assert got.surface_vertices.all()
    np.testing.assert_array_equal(got.surface_edges, got.edges)
    np.testing.assert_array_equal(got.surface_faces, got.triangles)
    assert (got.contact_elements[0], got.subscene, got.d_hat, got.self_collision) == (0, 0, -1.0, True)


def test_without_labels_nothing_touches():
    got = body(solid(labelled=False))
    assert not got.surface_vertices.any()
    assert len(got.surface_edges) == len(got.surface_faces) == 0
    assert len(got.edges) == 9


def test_the_rest_geometry_has_the_rest_shape_and_the_volume():
    rest = bare_solid(scale=2.0)
    StableNeoHookean().apply_to(rest)
    got = body(placed(solid(), TURNED), rest)
    np.testing.assert_array_equal(got.rest, 2 * SOLID)
    assert np.sum(got.mass) == pytest.approx(800.0 * 8 * 0.5)


def test_own_masses_densities_and_gravities_have_priority():
    mesh = solid()
    set_vertices(mesh, "mass_density", [100.0, 200.0, 300.0, 400.0, 500.0])
    got = body(mesh)
    np.testing.assert_allclose(got.mass, [100 / 24, 200 / 8, 300 / 8, 400 / 8, 500 / 12])
    set_vertices(mesh, "mass", np.arange(1.0, 6.0))
    gravity = np.arange(15.0).reshape(5, 3)
    set_vertices(mesh, "gravity", gravity)
    got = body(mesh)
    np.testing.assert_array_equal(got.mass, np.arange(1.0, 6.0))
    np.testing.assert_array_equal(got.own_gravity, gravity)


def test_uniform_values_on_vertices_are_those_of_the_body():
    mesh = solid()
    set_vertices(mesh, "contact_element_id", np.full(5, 4))
    set_vertices(mesh, "subscene_element_id", np.full(5, 5))
    set_vertices(mesh, "d_hat", np.full(5, 0.003))
    got = body(mesh)
    assert (got.contact_elements[0], got.subscene, got.d_hat) == (4, 5, 0.003)


@pytest.mark.parametrize(
    ("name", "values", "text"),
    [
        ("subscene_element_id", [3, 1, 1, 1, 1], "(1 to 3)"),
        ("d_hat", [0.01, 0.01, 0.02, 0.01, 0.01], "(0.01 to 0.02)"),
    ],
)
def test_values_that_differ_between_vertices_are_refused(name, values, text):
    mesh = solid()
    set_vertices(mesh, name, values)
    match = f"soft body 'cushion .' .geometry .. has a '{name}' that differs from vertex to vertex {re.escape(text)}"
    with pytest.raises(UnsupportedError, match=match):
        body(mesh)


def test_transforms_are_baked_once():
    scene = SoftScene()
    scene.add(placed(solid(), TURNED))
    x = scene.bodies[0].x
    bake_transforms(scene.slots)
    np.testing.assert_array_equal(scene.slots[0].geometry().transforms().view()[0], np.eye(4))
    np.testing.assert_allclose(scene.slots[0].geometry().positions().view()[..., 0], x)
    np.testing.assert_allclose(scene.bodies[0].x, x)
    np.testing.assert_array_equal(scene.bodies[0].rest, SOLID)


def test_a_transform_that_is_baked_is_no_affine_bodys():
    scene = SoftScene()
    mesh = bare_solid()
    AffineBodyConstitution().apply_to(mesh, 1e8)
    scene.add(placed(mesh, TURNED))
    bake_transforms(scene.slots)
    np.testing.assert_array_equal(scene.slots[0].geometry().transforms().view()[0], TURNED)
    assert scene.bodies == ()


def refuses(mesh, text, rest=None):
    match = "soft body 'cushion .' .geometry ..:? " + re.escape(text)
    with pytest.raises(SceneError, match=match):
        body(mesh, rest)


def test_several_instances_are_refused():
    mesh = solid()
    mesh.instances().resize(3)
    refuses(mesh, "has 3 instances; a soft body has one")


@pytest.mark.parametrize(
    ("name", "what"), [("velocity", "velocity"), ("position", "position"), ("mass", "mass"), ("gravity", "gravity")]
)
def test_numbers_that_are_not_finite_are_refused(name, what):
    scene, mesh = SoftScene(), solid()
    if name == "mass":
        set_vertices(mesh, name, np.ones(5))
    elif name == "gravity":
        set_vertices(mesh, name, np.zeros((5, 3)))
    slot = scene.add(mesh)
    view(slot.geometry().vertices().find(name))[2] = np.nan
    with pytest.raises(SceneError, match=re.escape(f"vertex 2 has a {what} that is not finite")):
        _ = scene.bodies


def test_masses_that_are_not_positive_are_refused():
    mesh = solid()
    set_vertices(mesh, "mass", [1.0, 1.0, -1.0, 1.0, 1.0])
    refuses(mesh, "vertex 2 has a mass that is not positive; density and volume must be positive")


def test_a_vertex_of_no_element_is_refused():
    mesh = bare_shell(np.vstack([SQUARE, [5, 5, 5]]))
    label_surface(mesh)
    Empty().apply_to(mesh)
    refuses(mesh, "vertex 4 belongs to no triangle, so it has no mass; remove it from the mesh")


def test_thicknesses_that_differ_along_an_edge_are_refused():
    mesh = rod()
    set_vertices(mesh, "thickness", [0.02, 0.02, 0.03, 0.03])
    refuses(mesh, "edge 1 (1, 2) joins vertices with different thicknesses; they must be equal")
    set_vertices(mesh, "thickness", [0.02, -0.02, 0.02, 0.02])
    refuses(mesh, "vertex 1 has a negative thickness; it is 0 m or more")


def moved(mesh, vertex, place):
    """A copy of a mesh with one vertex elsewhere: a rest geometry."""
    view(mesh.positions())[vertex] = np.reshape(place, (3, 1))
    return mesh


def test_elements_without_extent_or_inverted_at_rest_are_refused():
    refuses(solid(), "tetrahedron 1 (1, 4, 2, 3) has no volume at rest", moved(solid(), 4, (1, 0, 0)))
    refuses(
        solid(),
        "tetrahedron 1 (1, 4, 2, 3) is inverted at rest; order its vertices so that the volume is positive",
        moved(solid(), 4, (0.1, 0.1, 0.1)),
    )
    refuses(shell(), "triangle 1 (1, 3, 2) has no area at rest", moved(shell(), 3, (0.5, 0.5, 0)))
    refuses(rod(), "edge 2 (2, 3) has no length at rest", moved(rod(), 3, LINE[EDGES[2, 0]]))


def test_a_rest_geometry_of_another_mesh_is_refused():
    refuses(solid(), "has 5 vertices, but its rest geometry has 4", shell())


def test_columns_of_another_shape_are_refused():
    mesh = solid()
    mesh.vertices().create("gravity", 1.0)
    refuses(mesh, "'gravity' of its vertices is a number each; it must be a vector of 3 numbers each")
