"""Elements of soft bodies: their stencils, and energies by hand from what `apply_to` wrote; wrong parameters."""

import re

import numpy as np
import pytest
from uipc import view
from uipc.constitution import (
    ARAP,
    DiscreteShellBending,
    ElasticModuli,
    ElasticModuli2D,
    Empty,
    HookeanSpring,
    KirchhoffRodBending,
    StableNeoHookean,
    StrainLimitingBaraffWitkinShell,
    StrainPlasticDiscreteShellBending,
    StressPlasticDiscreteShellBending,
)
from uipc.geometry import linemesh

from ipc_articulation.elasticity import plastic_shell_bending
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.soft.constitutions import READERS, read_elements
from ipc_articulation.frontend.soft.stencils import corners, find_edges, hinges
from tests.frontend.soft.soft_meshes import (
    EDGES,
    LINE,
    NU,
    SQUARE,
    TETRAHEDRA,
    TRIANGLES,
    bare_shell,
    bare_solid,
    body,
    particles,
    rod,
    shell,
    solid,
)

YOUNG, RADIUS = 1e5, 0.01
FOLD = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.5, 0.5, 0.5**0.5]])  # the square, folded by 90°


def only(soft, uid):
    (elements,) = read_elements(soft, uid)
    return elements


def energy(elements, x):
    return elements.law.energies(x, elements.vertices, elements.constants).sum()


def bending(constitution, *arguments, points=SQUARE, triangles=TRIANGLES):
    mesh = bare_shell(points, triangles)
    Empty().apply_to(mesh, 1000.0, RADIUS)
    constitution().apply_to(mesh, *arguments)
    return mesh


# Energies


def test_a_stretched_solid_has_its_youngs_modulus():
    soft = body(solid())
    elements = only(soft, 10)
    np.testing.assert_array_equal(elements.vertices, TETRAHEDRA)
    strain, lateral = 1e-4, -NU * 1e-4
    stretched = soft.rest * (1 + np.array([strain, lateral, lateral]))
    stored = energy(elements, stretched) - energy(elements, soft.rest)
    assert stored == pytest.approx(0.5 * YOUNG * strain**2 * 0.5, rel=1e-3)  # of 0.5 m³


def test_arap():
    mesh = bare_solid()
    ARAP().apply_to(mesh, 3e4)
    soft = body(mesh)
    assert energy(only(soft, 9), soft.rest * [1.1, 1, 1]) == pytest.approx(0.5 * 3e4 * 0.01)


def test_a_stretched_shell_is_in_plane_stress():
    soft = body(shell())
    elements, strain = only(soft, 11), 1e-4
    np.testing.assert_array_equal(elements.vertices, TRIANGLES)
    stored = energy(elements, soft.rest * (1 + np.array([strain, -NU * strain, 0])))
    assert stored == pytest.approx(0.5 * YOUNG * strain**2 * 2 * RADIUS, rel=1e-3)  # of 1 m²


def test_cloth():
    mesh = bare_shell()
    moduli = ElasticModuli2D.youngs_poisson(YOUNG, NU)
    StrainLimitingBaraffWitkinShell().apply_to(mesh, moduli, 200.0, RADIUS, 50.0)
    soft = body(mesh)
    stretch = 2 * RADIUS * YOUNG / (1 - NU**2)
    assert energy(only(soft, 819), soft.rest * [1.1, 1, 1]) == pytest.approx(stretch * (0.01 + 50 * 0.001))


def test_springs():
    soft = body(rod())
    elements = only(soft, 12)
    np.testing.assert_array_equal(elements.vertices, EDGES)
    area = np.pi * 0.02**2
    assert energy(elements, 1.1 * soft.rest) == pytest.approx(0.5 * 1e6 * area * 0.01 * 6)  # of 6 m


def test_rod_bending():
    mesh = rod()
    KirchhoffRodBending().apply_to(mesh, 2e6)
    view(mesh.vertices().find("bending_stiffness"))[1] = 4e6
    elements = only(body(mesh), 15)
    np.testing.assert_array_equal(elements.vertices, [[0, 1, 2], [1, 2, 3]])
    alpha = np.pi / 4 * 0.02**4  # curvature 2 tan(45°) at both
    assert energy(elements, LINE) == pytest.approx(4 * alpha * (4e6 / 3 + 2e6 / 5))


def test_shell_bending():
    soft = body(bending(DiscreteShellBending, 7.0))
    elements = only(soft, 17)
    np.testing.assert_array_equal(elements.vertices, [[0, 1, 2, 3]])
    assert energy(elements, SQUARE) == pytest.approx(0.0, abs=1e-20)
    assert energy(elements, FOLD) == pytest.approx(7.0 * 3 * 2 / 1 * (np.pi / 2) ** 2)  # κ 3 L₀²/A δθ²


def test_strain_plastic_bending_keeps_a_crease():
    elements = only(body(bending(StrainPlasticDiscreteShellBending, 7.0, 0.5, 0.25)), 31)
    creases = elements.creases
    assert (creases.threshold.tolist(), creases.hardening.tolist(), creases.stress) == ([0.5], [0.25], False)
    after, threshold = plastic_shell_bending.yielded(FOLD, elements.vertices, elements.constants, *creases)
    excess = np.pi / 2 - 0.5
    assert np.abs(after[0, 1]) == pytest.approx(excess)
    assert threshold[0] == pytest.approx(0.5 + 0.25 * excess)


def test_stress_plastic_bending_keeps_a_crease():
    elements = only(body(bending(StressPlasticDiscreteShellBending, 7.0, 42.0, 3.0)), 32)
    assert (elements.creases.hardening.tolist(), elements.creases.stress) == ([3.0], True)
    w = 7.0 * 3 * 2
    limit = 42.0 / (2 * w)
    assert energy(elements, FOLD) == pytest.approx(w * limit**2 + 42.0 * (np.pi / 2 - limit))
    after, _ = plastic_shell_bending.yielded(FOLD, elements.vertices, elements.constants, *elements.creases)
    assert after[0, 2] == pytest.approx(42.0 + 3.0 * (np.pi / 2 - limit))


@pytest.mark.parametrize("uid", [17, 31, 32])
def test_hinges_without_stiffness_are_left_out(uid):
    constitution = {
        17: (DiscreteShellBending, 0.0),
        31: (StrainPlasticDiscreteShellBending, 0.0, 0.0),
        32: (StressPlasticDiscreteShellBending, 0.0, 0.0),
    }[uid]
    assert read_elements(body(bending(*constitution)), uid) == []


def test_particles_and_empty_bodies_have_no_elements():
    empty = bare_solid()
    Empty().apply_to(empty)
    assert read_elements(body(particles()), 13) == []
    assert read_elements(body(empty), 0) == []


def test_every_reader_has_the_uid_of_a_finite_element():
    from uipc.builtin import ConstitutionUIDCollection

    known = ConstitutionUIDCollection.instance()
    assert {known.find(uid).type for uid in READERS} == {"FiniteElement"}


# Stencils


def brute_hinges(triangles):
    opposite = {}
    for triangle in triangles:
        for k in range(3):
            edge = tuple(sorted((triangle[k], triangle[(k + 1) % 3])))
            opposite.setdefault(edge, set()).add(triangle[(k + 2) % 3])
    return sorted((min(v), *edge, max(v)) for edge, v in opposite.items() if len(v) == 2)


def test_hinges_and_corners_are_those_of_libuipcs_loops():
    rng = np.random.default_rng(5)
    for n in (1, 2, 5, 30, 100):
        triangles = np.array([rng.choice(12, 3, replace=False) for _ in range(n)])
        assert sorted(map(tuple, hinges(triangles).tolist())) == brute_hinges(triangles.tolist())
        edges = triangles[:, :2]
        near = {v: set() for v in range(12)}
        for v, w in edges.tolist():
            near[v].add(w)
            near[w].add(v)
        brute = sorted((a, v, b) for v in near for a in near[v] for b in near[v] if a < b)
        assert sorted(map(tuple, corners(edges).tolist())) == brute
    nothing = np.zeros((0, 3), dtype=np.int64)
    assert hinges(nothing).shape == (0, 4)
    assert corners(nothing[:, :2]).shape == (0, 3)


def test_edges_are_found_in_both_directions():
    edges = np.array([[3, 1], [0, 2], [2, 5]])
    assert find_edges(edges, np.array([[1, 3], [3, 1], [5, 2], [0, 1], [0, 2], [9, 9]])).tolist() == [
        0,
        0,
        2,
        -1,
        1,
        -1,
    ]
    assert find_edges(edges[:0], edges).tolist() == [-1, -1, -1]


def test_three_triangles_at_an_edge_do_not_bend():
    points = np.vstack([SQUARE, [0.5, 0.5, 1.0]])
    mesh = bending(DiscreteShellBending, 7.0, points=points, triangles=[*TRIANGLES, [1, 2, 4]])
    assert read_elements(body(mesh), 17) == []


# Errors


def refuses(mesh, uid, text):
    with pytest.raises(SceneError, match=r"soft body 'cushion \d' \(geometry \d\):? " + re.escape(text)):
        read_elements(body(mesh), uid)


def with_value(mesh, collection, name, value, index=1):
    view(getattr(mesh, collection)().find(name))[index] = value
    return mesh


def test_a_poissons_ratio_of_no_solid_is_refused():
    mesh = bare_solid()
    StableNeoHookean().apply_to(mesh, ElasticModuli.youngs_poisson(1e5, 0.6))
    refuses(mesh, 10, "tetrahedron 0 has 'mu' 41666.7 and 'lambda' -161458, Poisson's ratio 0.6; no material has them")
    assert only(body(solid()), 10)
    for ratio in (-0.9, 0.499):
        mesh = bare_solid()
        StableNeoHookean().apply_to(mesh, ElasticModuli.youngs_poisson(1e5, ratio))
        assert only(body(mesh), 10)


@pytest.mark.parametrize(
    ("mesh", "uid", "collection", "name", "value", "text"),
    [
        (solid, 10, "tetrahedra", "mu", -1.0, "tetrahedron 1 has 'mu' -1 and 'lambda' "),
        (solid, 10, "tetrahedra", "lambda", np.nan, "tetrahedron 1 has the 'lambda' nan; it must be finite"),
        (shell, 11, "triangles", "mu", -1.0, "triangle 1 has 'mu' -1 and 'lambda' "),
        (shell, 11, "triangles", "mu", np.inf, "triangle 1 has the 'mu' inf; it must be finite"),
        (rod, 12, "edges", "kappa", -5.0, "edge 1 has the 'kappa' -5; it must be finite and 0 or more"),
    ],
)
def test_wrong_parameters_are_refused(mesh, uid, collection, name, value, text):
    refuses(with_value(mesh(), collection, name, value), uid, text)


def test_a_wrong_stiffness_of_bending_is_refused():
    mesh = with_value(bending(DiscreteShellBending, 7.0), "edges", "bending_stiffness", -2.0)
    refuses(mesh, 17, "edge 1 has the 'bending_stiffness' -2; it must be finite and 0 or more")
    mesh = with_value(bending(StressPlasticDiscreteShellBending, 7.0, 1.0), "edges", "bending_yield_stress", -2.0)
    refuses(mesh, 32, "edge 1 has the 'bending_yield_stress' -2; it must be finite and 0 or more")


def test_a_missing_attribute_is_refused():
    refuses(bare_with_empty(), 10, "has no attribute 'mu' on its tetrahedra")


def bare_with_empty():
    mesh = bare_solid()
    Empty().apply_to(mesh)
    return mesh


def test_a_mesh_of_another_dimension_is_refused():
    refuses(shell(), 10, "has StableNeoHookean, which is for tetrahedra; its mesh has none of them")


def test_a_corner_or_hinge_without_extent_names_the_body():
    points = LINE.copy()
    points[2] = points[1]
    straight = linemesh(LINE, EDGES)
    HookeanSpring().apply_to(straight)
    KirchhoffRodBending().apply_to(straight)
    soft = body(straight)
    soft.rest[:] = points  # after the checks of the body, so that those of the energy are seen
    with pytest.raises(SceneError, match=r"soft body 'cushion \d' \(geometry \d\): edge 1 has no length at rest"):
        read_elements(soft, 12)
