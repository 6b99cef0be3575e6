"""Moduli and moments that textbooks know, from small meshes."""

import itertools

import numpy as np
import pytest
import uipc
from scipy.optimize import minimize
from uipc.constitution import (
    DiscreteShellBending,
    ElasticModuli,
    ElasticModuli2D,
    NeoHookeanShell,
    StableNeoHookean,
    StrainLimitingBaraffWitkinShell,
)

from ipc_articulation.elasticity import (
    arap,
    hookean_spring,
    neo_hookean_shell,
    rod_bending,
    shell_bending,
    stable_neo_hookean,
    strain_limiting_shell,
)

E, NU, RADIUS = 1e6, 0.3, 0.01


def block(cells):
    """A unit cube of cells³ cells of six tetrahedra: vertices (n, 3) and tetrahedra (k, 4)."""
    ticks = np.linspace(0, 1, cells + 1)
    X = np.stack(np.meshgrid(ticks, ticks, ticks, indexing="ij"), axis=-1).reshape(-1, 3)
    strides = np.array([(cells + 1) ** 2, cells + 1, 1])
    tetrahedra = []
    for corner in itertools.product(range(cells), repeat=3):
        for order in itertools.permutations(range(3)):
            walk = np.concatenate([[0], np.cumsum(strides[list(order)])]) + strides @ corner
            odd = np.linalg.det(np.eye(3)[list(order)]) < 0
            tetrahedra.append(walk[[0, 1, 3, 2]] if odd else walk)
    return X, np.array(tetrahedra)


def assembled(elements, values, n):
    """Sum of element gradients (k, 3v), (3n,), or Hessians (k, 3v, 3v), (3n, 3n)."""
    rows = (3 * elements[:, :, None] + np.arange(3)).reshape(len(elements), -1)
    total = np.zeros((3 * n,) * (values.ndim - 1))
    if values.ndim == 2:
        np.add.at(total, rows, values)
    else:
        np.add.at(total, (rows[:, :, None], rows[:, None, :]), values)
    return total


def stretched(energy, constants, X, elements, strain):
    """The block pulled along x by a strain, free to shrink across: positions (n, 3) and the pulling force [N]."""
    fixed = np.zeros((len(X), 3), dtype=bool)
    ends = (X[:, 0] == 0) | (X[:, 0] == 1)
    fixed[ends, 0] = True
    for axis in (1, 2):
        fixed[X[:, axis] == 0, axis] = True
    x0 = X * [1 + strain, 1, 1]
    free = ~fixed.ravel()

    def full(y):
        x = x0.ravel().copy()
        x[free] = y
        return x.reshape(-1, 3)

    gradient = lambda x: assembled(elements, energy.gradients(x, elements, constants), len(X))  # noqa: E731
    hessian = lambda x: assembled(elements, energy.hessians(x, elements, constants, True), len(X))  # noqa: E731
    found = minimize(
        lambda y: np.sum(energy.energies(full(y), elements, constants)),
        x0.ravel()[free],
        jac=lambda y: gradient(full(y))[free],
        hess=lambda y: hessian(full(y))[np.ix_(free, free)],
        method="trust-exact",
        options={"gtol": 1e-9 * E},
    )
    x = full(found.x)
    return x, np.sum(gradient(x).reshape(-1, 3)[X[:, 0] == 1, 0])


def test_a_stretched_block_has_youngs_modulus_and_poissons_ratio():
    X, tetrahedra = block(2)
    mu, lam = E / (2 * (1 + NU)), E * NU / ((1 + NU) * (1 - 2 * NU))
    constants = stable_neo_hookean.rest(X, tetrahedra, *stable_neo_hookean.from_lame(mu, lam))
    strain = 1e-3
    x, force = stretched(stable_neo_hookean, constants, X, tetrahedra, strain)
    assert force / strain == pytest.approx(E, rel=0.01)
    for axis in (1, 2):
        shrunk = np.mean(x[X[:, axis] == 1, axis]) - 1
        assert -shrunk / strain == pytest.approx(NU, rel=0.01)


def test_a_stretched_block_of_arap_has_no_poissons_ratio():
    X, tetrahedra = block(1)
    constants = arap.rest(X, tetrahedra, 1e6)
    x, force = stretched(arap, constants, X, tetrahedra, 1e-3)
    assert force / 1e-3 == pytest.approx(2e6, rel=1e-3)  # Young's modulus 2κ
    np.testing.assert_allclose(x[:, 1:], X[:, 1:], atol=1e-6)


def plate():
    """A unit square of two triangles in the plane z = 0."""
    return np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.0]]), np.array([[0, 1, 2], [0, 2, 3]])


def test_a_stretched_membrane_has_the_modulus_of_plane_stress():
    X, triangles = plate()
    mu, lam = E / (2 * (1 + NU)), E * NU / (1 - NU**2)
    constants = neo_hookean_shell.rest(X, triangles, mu, lam, RADIUS)
    strain = 1e-3
    x = X * [1 + strain, 1 - NU * strain, 1]
    forces = assembled(triangles, neo_hookean_shell.gradients(x, triangles, constants), 4).reshape(-1, 3)
    assert np.sum(forces[[1, 2], 0]) == pytest.approx(E * strain * 2 * RADIUS, rel=0.01)
    assert abs(np.sum(forces[[2, 3], 1])) < 0.01 * E * strain * 2 * RADIUS


def test_cloth_is_stretched_and_sheared_by_its_stiffnesses():
    X, triangles = plate()
    constants = strain_limiting_shell.rest(X, triangles, 3.0, 5.0, 100.0)
    for strain in (-1e-4, 1e-4, 0.1):
        x = X * [1 + strain, 1, 1]
        forces = assembled(triangles, strain_limiting_shell.gradients(x, triangles, constants), 4).reshape(-1, 3)
        want = 5.0 * (2 * strain + 300 * max(strain, 0) ** 2)
        assert np.sum(forces[[1, 2], 0]) == pytest.approx(want, rel=1e-9)
    sheared = X + 1e-4 * np.outer(X[:, 1], [1, 0, 0])
    forces = assembled(triangles, strain_limiting_shell.gradients(sheared, triangles, constants), 4).reshape(-1, 3)
    assert np.sum(forces[[2, 3], 0]) == pytest.approx(2 * 3.0 * 1e-4, rel=1e-3)


def test_a_stretched_rod_has_the_stiffness_e_a():
    X = np.array([[0, 0, 0], [0.5, 0, 0], [1.0, 0, 0]])
    edges = np.array([[0, 1], [1, 2]])
    constants = hookean_spring.rest(X, edges, E, RADIUS)
    strain = 1e-3
    forces = hookean_spring.gradients(X * (1 + strain), edges, constants)
    np.testing.assert_allclose(forces[:, 3], E * np.pi * RADIUS**2 * strain, rtol=1e-9)


def arc(count, angle):
    """Vertices (count + 1, 3) of a rod of length 1 bent into an arc in the xy-plane, with equal edges."""
    turns = angle * (np.arange(count) - 0.5 * (count - 1)) / count
    edges = np.stack([np.cos(turns), np.sin(turns), 0 * turns], axis=1) / count
    return np.concatenate([np.zeros((1, 3)), np.cumsum(edges, axis=0)])


def moment(energy, constants, elements, shape, angle):
    """∂E/∂angle of a shape (angle -> vertices), over which E is summed [N·m]."""
    sums = [np.sum(energy.energies(shape(a), elements, constants)) for a in (angle - 1e-3, angle + 1e-3)]
    return (sums[1] - sums[0]) / 2e-3


@pytest.mark.parametrize("count", [10, 40])
def test_a_bent_rod_has_the_moment_e_i_kappa(count):
    corners = np.arange(count - 1)[:, None] + np.arange(3)
    constants = rod_bending.rest(arc(count, 0.0), corners, E, RADIUS)
    corner_share = count / (count - 1)  # the turn of `count` edges is made by one corner less
    found = moment(rod_bending, constants, corners, lambda angle: arc(count, angle), 0.5)
    inertia = np.pi * RADIUS**4 / 4
    assert found * corner_share == pytest.approx(E * inertia * 0.5, rel=0.01)


def strip(count, angle):
    """A strip of square cells, length 1 and width 1/count, bent into an arc: vertices (2 (count + 1), 3)."""
    middle = arc(count, angle)
    return np.concatenate([middle, middle + np.array([0, 0, 1 / count])])


def hinges(count):
    """The hinges (k, 4) of the strip, across and along the diagonals of its cells."""
    top = count + 1
    across = [[i - 1, i, i + top, i + 1 + top] for i in range(1, count)]
    diagonal = [[i + 1, i, i + 1 + top, i + top] for i in range(count)]
    return np.array(across + diagonal)


@pytest.mark.parametrize("count", [10, 40])
def test_a_bent_strip_has_the_moment_of_its_hinges(count):
    """6 κ times width times curvature: on square cells «Discrete shells» is 6 times as stiff as a plate with D = κ."""
    kappa = shell_bending.stiffness(E, NU, RADIUS)
    elements = hinges(count)
    constants = shell_bending.rest(strip(count, 0.0), elements, kappa)
    found = moment(shell_bending, constants, elements, lambda angle: strip(count, angle), 0.5)
    np.testing.assert_allclose(found * count / (count - 1), 6 * kappa / count * 0.5, rtol=0.01)


def mesh_of(X, faces):
    return uipc.geometry.trimesh(X, faces.astype(np.int32))


def values(attributes, name):
    return np.array(attributes.find(name).view()).ravel()


def test_parameters_are_those_that_libuipc_writes():
    X, tetrahedra = block(1)
    solid = uipc.geometry.tetmesh(X, tetrahedra.astype(np.int32))
    moduli = ElasticModuli.youngs_poisson(E, NU)
    StableNeoHookean().apply_to(solid, moduli, 1000.0)
    mu, lam = stable_neo_hookean.from_lame(moduli.mu(), moduli.lambda_())
    np.testing.assert_allclose(values(solid.tetrahedra(), "mu"), mu)
    np.testing.assert_allclose(values(solid.tetrahedra(), "lambda"), lam)

    shell, cloth = mesh_of(*plate()), mesh_of(*plate())
    NeoHookeanShell().apply_to(shell, ElasticModuli2D.youngs_poisson(E, NU), 200.0, RADIUS)
    np.testing.assert_allclose(values(shell.triangles(), "lambda"), E * NU / (1 - NU**2))
    DiscreteShellBending().apply_to(shell, E, NU)
    np.testing.assert_allclose(values(shell.edges(), "bending_stiffness"), shell_bending.stiffness(E, NU, RADIUS))
    StrainLimitingBaraffWitkinShell().apply_to(cloth, ElasticModuli2D.youngs_poisson(E, NU), 200.0, RADIUS)
    np.testing.assert_allclose(values(cloth.triangles(), "lambda"), E * 2 * RADIUS / (1 - NU**2))
    np.testing.assert_allclose(values(cloth.triangles(), "mu"), E / (2 * (1 + NU)))
    np.testing.assert_allclose(values(cloth.triangles(), "strain_rate"), 100.0)
