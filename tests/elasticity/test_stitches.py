"""Stitches: what holds of every energy, and their rest shapes where the vertex is too near.

The tests of `test_energies` run here once more, with the `case` of this file.
"""

import re

import numpy as np
import pytest

from ipc_articulation.elasticity import (
    hookean_spring,
    stitches_to_edges,
    stitches_to_triangles,
    stitches_to_vertices,
)
from ipc_articulation.errors import MeshError
from tests.elasticity.cases import (
    KAPPA,
    LAMBDA,
    MU,
    RADIUS,
    Case,
    area,
    deformation,
    edges,
    height,
    height_of_tetrahedra,
    metric,
    norm,
)
from tests.elasticity.test_energies import *  # noqa: F403

LEAST = 1e-4
ONE = np.arange(4)[None]


def spring_formula(x, X):
    return KAPPA / 2 * (norm(x[..., 0, :] - x[..., 1, :]) - norm(X[..., 0, :] - X[..., 1, :])) ** 2


def edge_formula(x, X):
    G = (np.linalg.inv(metric(X)) @ metric(x) - np.eye(2)) / 2
    trace, square = (np.trace(M, axis1=-2, axis2=-1) for M in (G, G @ G))
    return 2 * RADIUS * area(X) * (MU * square + LAMBDA / 2 * trace**2)


def triangle_formula(x, X):
    F, v = deformation(x, X), np.abs(np.linalg.det(edges(X, 3))) / 6
    off = np.linalg.det(F) - 1
    return v * (MU / 2 * (np.sum(F * F, axis=(-2, -1)) - 3) - MU * off + LAMBDA / 2 * off**2)


STITCHES = [
    Case(
        "stitches_to_vertices",
        stitches_to_vertices,
        2,
        lambda X, e: stitches_to_vertices.rest(X, e, KAPPA, norm(X[e[:, 0]] - X[e[:, 1]])),
        spring_formula,
        lambda x, X: norm(x[:, 1] - x[:, 0]),
    ),
    Case(
        "stitches_to_edges",
        stitches_to_edges,
        3,
        lambda X, e: stitches_to_edges.rest(X, e, MU, LAMBDA, RADIUS, LEAST),
        edge_formula,
        lambda x, X: height(X),
    ),
    Case(
        "stitches_to_triangles",
        stitches_to_triangles,
        4,
        lambda X, e: stitches_to_triangles.rest(X, e, MU, LAMBDA, LEAST),
        triangle_formula,
        lambda x, X: height_of_tetrahedra(X),
    ),
]


@pytest.fixture(params=STITCHES, ids=[case.name for case in STITCHES])
def case(request):
    return request.param


def test_a_spring_of_no_length_pulls_in_all_directions():
    constants = stitches_to_vertices.rest(np.zeros((2, 3)), ONE[:, :2], 3.0)
    I = np.eye(3)  # noqa: E741
    for x in (np.zeros((2, 3)), np.array([[0, 0, 0], [0.1, 0.2, 0.2]])):
        for project in (False, True):
            H = stitches_to_vertices.hessians(x, ONE[:, :2], constants, project)[0]
            np.testing.assert_allclose(H, 3.0 * np.block([[I, -I], [-I, I]]), atol=1e-12)
        d = x[1] - x[0]
        np.testing.assert_allclose(
            stitches_to_vertices.gradients(x, ONE[:, :2], constants)[0], 3.0 * np.r_[-d, d], atol=1e-15
        )
    assert stitches_to_vertices.energies(x, ONE[:, :2], constants)[0] == pytest.approx(1.5 * 0.09)
    assert stitches_to_vertices.energies is not hookean_spring.energies


EDGE = np.array([[0, 0, 0], [1, 0, 0.0]])


@pytest.mark.parametrize(
    ("vertex", "moved"),
    [
        ([0.5, 0.2, 0.0], [0.5, 0.2, 0.0]),  # far enough
        ([0.5, 0.03, 0.04], [0.5, 0.06, 0.08]),
        ([1.03, 0.04, 0.0], [1.06, 0.08, 0.0]),  # nearest to an end
        ([0.5, 0.0, 0.0], [0.5, 0.0, 0.1]),  # on the edge: x̂ × ŷ = ẑ, as libuipc chooses
    ],
)
def test_a_vertex_near_an_edge_is_moved_away(vertex, moved):
    got = stitches_to_edges.rest(np.array([vertex, *EDGE]), ONE[:, :3], 2.0, 3.0, 0.01, 0.1)
    want = stitches_to_edges.rest(np.array([moved, *EDGE]), ONE[:, :3], 2.0, 3.0, 0.01, 0.0)
    E = stitches_to_edges.energies(np.array([moved, *EDGE]), ONE[:, :3], got)
    np.testing.assert_allclose(E, 0.0, atol=1e-18)
    assert got[0, 6] == pytest.approx(want[0, 6], rel=1e-12)


TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.0]])


@pytest.mark.parametrize(("z", "moved"), [(0.5, 0.5), (-0.5, -0.5), (0.01, 0.1), (-0.01, -0.1), (0.0, 0.1)])
def test_a_vertex_near_a_triangle_is_moved_away(z, moved):
    rest, at = np.array([[0.2, 0.3, z], *TRIANGLE]), np.array([[0.2, 0.3, moved], *TRIANGLE])
    constants = stitches_to_triangles.rest(rest, ONE, 2.0, 3.0, 0.1)
    assert constants[0, 12] == pytest.approx(abs(moved) / 6)
    assert stitches_to_triangles.energies(at, ONE, constants)[0] == pytest.approx(0.0, abs=1e-15)


def test_stitches_without_extent_are_refused():
    flat = np.array([[0.2, 0.2, 0.0], *TRIANGLE])
    with pytest.raises(MeshError, match="vertex of stitch 0 is in the plane of its triangle; the least distance must"):
        stitches_to_triangles.rest(flat, ONE, 1.0, 1.0, 0.0)
    with pytest.raises(MeshError, match=re.escape("the triangle of stitch 0 has no area")):
        stitches_to_triangles.rest(flat * [1, 0, 1], ONE, 1.0, 1.0, 0.1)
    with pytest.raises(MeshError, match=re.escape("the edge of stitch 0 has no length")):
        stitches_to_edges.rest(np.zeros((3, 3)), ONE[:, :3], 1.0, 1.0, 0.01, 0.1)
    with pytest.raises(MeshError, match=re.escape("triangle 0 has no area at rest")):
        stitches_to_edges.rest(np.array([[0.5, 0, 0], *EDGE]), ONE[:, :3], 1.0, 1.0, 0.01, 0.0)
