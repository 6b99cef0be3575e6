"""What the docstrings of energies say about degenerate elements."""

import numpy as np
import pytest

from ipc_articulation.elasticity import (
    arap,
    dihedral_angle,
    hookean_spring,
    neo_hookean_shell,
    plastic_shell_bending,
    rod_bending,
    shell_bending,
    strain_limiting_shell,
)
from ipc_articulation.errors import MeshError
from tests.elasticity.cases import CASES, Elements, differences, random_rest
from tests.elasticity.test_energies import hard_states
from tests.elasticity.test_stitches import STITCHES

TETRAHEDRON = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
HINGE = np.array([[0.5, 1, 0], [0, 0, 0], [1, 0, 0], [0.4, -1, 0]])
ONE = np.arange(4)[None]


@pytest.mark.parametrize("case", [*CASES, *STITCHES], ids=lambda case: case.name)
def test_degenerate_and_inverted_elements_have_the_derivatives_of_differences(case):
    """Wherever the energy is smooth."""
    X = random_rest(case, np.random.default_rng(11), 60)
    hard = [hard_states(one) for one in X]
    x, X = np.array([state for one in hard for state in one.values()]), np.repeat(X, len(hard[0]), axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        room = case.smooth(x, X)
    x, X, room = x[room > 1e-3], X[room > 1e-3], room[room > 1e-3]
    assert len(x) > 200
    elements, step = Elements(case, X), np.minimum(2e-4, 0.02 * room)
    g, H = elements.gradients(x), elements.hessians(x)
    for got, f in ((g, elements.energies), (H, elements.gradients)):
        want = differences(f, x, step)
        error, size = (np.max(np.abs(a), axis=tuple(range(1, a.ndim))) for a in (got - want, H))
        assert np.max(error / np.maximum(size, np.median(size))) < 1e-8


def test_mirrored_arap_costs_the_nearest_rotation():
    constants = arap.rest(TETRAHEDRON, ONE, 1.0)
    assert arap.energies(TETRAHEDRON * [1, 1, -1], ONE, constants)[0] == pytest.approx(4.0 / 6)


@pytest.mark.parametrize("x", [[[0, 0, 0], [1, 0, 0], [2, 0, 0]], np.zeros((3, 3))])
def test_a_membrane_without_area_is_infinite_or_in_cloth_finite(x):
    x, triangle = np.array(x, dtype=float), ONE[:, :3]
    constants = neo_hookean_shell.rest(TETRAHEDRON, triangle, 1.0, 1.0, 0.01)
    assert neo_hookean_shell.energies(x, triangle, constants)[0] == np.inf
    assert not np.any(neo_hookean_shell.gradients(x, triangle, constants))
    assert not np.any(neo_hookean_shell.hessians(x, triangle, constants, False))
    constants = strain_limiting_shell.rest(TETRAHEDRON, triangle, 1.0, 1.0)
    assert 0 < strain_limiting_shell.energies(x, triangle, constants)[0] < np.inf


def turned(angle):
    """The hinge with its second triangle turned about the edge: θ = angle."""
    x = HINGE.copy()
    x[3, 1:] = -np.cos(angle), np.sin(angle)
    return x


@pytest.mark.parametrize("angle", [0.0, 1e-9, -1e-9, 1.0, -2.0, np.pi - 1e-9, 1e-9 - np.pi])
def test_the_angle_keeps_its_digits_flat_and_folded(angle):
    assert abs(dihedral_angle.angle(turned(angle))) == pytest.approx(abs(angle), rel=1e-6, abs=1e-15)
    sign = np.sign(dihedral_angle.angle(turned(1.0)))
    assert dihedral_angle.angle(turned(angle)) == pytest.approx(sign * angle, abs=1e-14)


def test_the_sign_of_the_angle_is_libuipcs():
    m, n = np.cross([-0.5, -1, 0], [0.5, -1, 0]), np.cross([0.6, 1, -1], [-0.4, 1, -1])
    assert np.dot(np.cross(n, m), [-1, 0, 0]) < 0  # libuipc then takes the negative angle
    x = HINGE.copy()
    x[3, 2] = 1.0
    assert dihedral_angle.angle(x) == pytest.approx(-np.pi / 4)


def test_a_folded_hinge_has_half_a_turn():
    constants = shell_bending.rest(HINGE, ONE, 2.0)
    folded = turned(np.pi)
    folded[3, 2] = 0.0
    assert shell_bending.energies(folded, ONE, constants)[0] == pytest.approx(constants[0, 0] * np.pi**2)


@pytest.mark.parametrize(("vertex", "at"), [(0, [0.3, 0, 0]), (3, [0, 0, 0]), (1, [1, 0, 0])])
def test_a_hinge_without_an_angle_has_no_energy(vertex, at):
    x = HINGE.copy()
    x[vertex] = at
    for energy in (shell_bending, plastic_shell_bending):
        constants = energy.rest(HINGE, ONE, 2.0)
        assert energy.energies(x, ONE, constants)[0] == 0.0
        assert not np.any(energy.gradients(x, ONE, constants))
        assert not np.any(energy.hessians(x, ONE, constants, False))


def test_elastic_hinges_jump_where_plastic_ones_wrap():
    bent = turned(3.0)
    elastic, plastic = (energy.rest(bent, ONE, 1.0) for energy in (shell_bending, plastic_shell_bending))
    past = turned(-3.0)
    turn = 2 * np.pi - 6.0
    assert plastic_shell_bending.energies(past, ONE, plastic)[0] == pytest.approx(plastic[0, 0] * turn**2)
    assert shell_bending.energies(past, ONE, elastic)[0] == pytest.approx(elastic[0, 0] * 36.0)


def test_strain_plastic_hinges_keep_what_is_over_the_threshold():
    sign = np.sign(dihedral_angle.angle(turned(1.0)))
    constants = plastic_shell_bending.rest(HINGE, ONE, 1.0)
    after, threshold = plastic_shell_bending.yielded(
        turned(0.5), ONE, constants, np.array([0.2]), np.array([0.5]), False
    )
    np.testing.assert_allclose([after[0, 1], threshold[0]], [sign * 0.3, 0.2 + 0.5 * 0.3])
    after, threshold = plastic_shell_bending.yielded(
        turned(0.1), ONE, constants, np.array([0.2]), np.array([0.5]), False
    )
    np.testing.assert_allclose([after[0, 1], threshold[0]], [0.0, 0.2], atol=1e-15)


def test_stress_plastic_hinges_pass_on_their_yield_moment():
    sign = np.sign(dihedral_angle.angle(turned(1.0)))
    w = plastic_shell_bending.rest(HINGE, ONE, 1.0)[0, 0]
    constants = plastic_shell_bending.rest(HINGE, ONE, 1.0, 2 * w * 0.2)
    slope = np.dot(plastic_shell_bending.gradients(turned(0.5), ONE, constants)[0, 9:], turned(0.5 + np.pi / 2)[3])
    assert slope == pytest.approx(2 * w * 0.2)  # the moment about the edge, at x₃'s distance of 1 m
    after, _ = plastic_shell_bending.yielded(turned(0.5), ONE, constants, np.zeros(1), np.array([3.0]), True)
    np.testing.assert_allclose(after[0], [w, sign * 0.3, 2 * w * 0.2 + 3.0 * 0.3])


def test_a_spring_of_length_0_has_energy_and_no_force():
    constants = hookean_spring.rest(HINGE, ONE[:, 1:3], 5.0, 0.1)
    point, edge = np.zeros((2, 3)), ONE[:, :2]
    assert hookean_spring.energies(point, edge, constants)[0] == pytest.approx(0.5 * 5.0 * np.pi * 0.01)
    assert not np.any(hookean_spring.gradients(point, edge, constants))
    assert not np.any(hookean_spring.hessians(point, edge, constants, False))


def test_a_rod_folded_by_half_a_turn_is_infinite_and_without_edges_free():
    straight, corner = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0.0]]), ONE[:, :3]
    constants = rod_bending.rest(straight, corner, 1.0, 0.1)
    folded, short = straight.copy(), straight.copy()
    folded[2], short[2] = 0.0, short[1]
    assert rod_bending.energies(folded, corner, constants)[0] == np.inf
    assert rod_bending.energies(short, corner, constants)[0] == 0.0
    for x in (folded, short):
        assert not np.any(rod_bending.gradients(x, corner, constants))
        assert not np.any(rod_bending.hessians(x, corner, constants, False))


@pytest.mark.parametrize(("mu", "lam"), [(5e4, 1e3), (1.0, 0.0)])
def test_cloth_that_shears_harder_than_it_stretches_is_projected_too(mu, lam):
    cloth = next(case for case in CASES if case.energy is strain_limiting_shell)
    rng = np.random.default_rng(14)
    X, x = random_rest(cloth, rng, 100).reshape(-1, 3), 0.1 * rng.normal(size=(300, 3))
    triangles = np.arange(300).reshape(-1, 3)
    constants = strain_limiting_shell.rest(X, triangles, mu, lam)
    exact, projected = (strain_limiting_shell.hessians(x, triangles, constants, project) for project in (False, True))
    size = np.max(np.abs(exact), axis=(1, 2))
    for H in (projected, projected - exact):
        assert np.all(np.linalg.eigvalsh(H)[:, 0] >= -1e-12 * size)


@pytest.mark.parametrize("turn", [1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 1e-160])
def test_rods_that_are_nearly_straight_have_the_stiffness_of_straight_ones(turn):
    """Straight: E = W φ²/4 and all of its Hessian is positive; the plane of the bend has few digits or none."""
    a, b = np.array([[2.0, 1.0, -2.0], [1.0, 2.0, 2.0]]) / 3.0
    straight, corner = np.outer([0.0, 1.0, 3.0], a), ONE[:, :3]
    constants = rod_bending.rest(straight, corner, 1.0, 0.1)
    bent = straight + np.outer([0.0, 0.0, turn], b)
    want = rod_bending.hessians(straight, corner, constants, False)
    for project in (False, True):
        got = rod_bending.hessians(bent, corner, constants, project)
        np.testing.assert_allclose(got, want, atol=(4.0 * turn + 1e-14) * np.max(want))


def test_triangles_seen_from_below_have_directions_too():
    X, triangle = np.array([[0, 0, 0], [0, 2, 0], [1, 0, 0.0]]), ONE[:, :3]
    constants = strain_limiting_shell.rest(X, triangle, 1.0, 1.0)
    assert strain_limiting_shell.energies(X, triangle, constants)[0] == pytest.approx(0.0, abs=1e-30)
    stretched = strain_limiting_shell.energies(X * [0.9, 1, 1], triangle, constants)[0]
    assert stretched == pytest.approx(0.01)  # area 1 m², stretch along x only


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: arap.rest(TETRAHEDRON * [1, 1, -1], ONE, 1.0), "tetrahedron 0 has the volume -0.167 m³ at rest"),
        (lambda: neo_hookean_shell.rest(np.zeros((3, 3)), ONE[:, :3], 1.0, 1.0, 1.0), "triangle 0 has no area at rest"),
        (lambda: shell_bending.rest(np.zeros((4, 3)), ONE, 1.0), "hinge 0 has a triangle without area at rest"),
        (lambda: hookean_spring.rest(np.zeros((2, 3)), ONE[:, :2], 1.0, 1.0), "edge 0 has no length at rest"),
        (lambda: rod_bending.rest(np.zeros((3, 3)), ONE[:, :3], 1.0, 1.0), "corner 0 of a rod has no length at rest"),
    ],
)
def test_rest_shapes_without_size_are_refused(make, message):
    with pytest.raises(MeshError, match=message):
        make()
