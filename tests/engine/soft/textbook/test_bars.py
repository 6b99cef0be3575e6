"""Bars, strips and rods that are pulled at their ends: Young's modulus, Poisson's ratio, and the law of large stretch.

Linear elements have constant strain, so these are exact on any mesh, but for the terms of second order in the strain.
"""

import numpy as np
import pytest
from scipy.optimize import fsolve
from uipc.constitution import (
    ARAP,
    ElasticModuli,
    ElasticModuli2D,
    HookeanSpring,
    KirchhoffRodBending,
    NeoHookeanShell,
    StableNeoHookean,
    StrainLimitingBaraffWitkinShell,
)

from tests.engine.soft.textbook.statics import Statics, bar_mesh, line_mesh, points, pushed, shares, strip_mesh

E, RHO, LENGTH, WIDTH, RADIUS = 1e6, 1000.0, 1.0, 0.2, 0.01


def solid(nu):
    mesh = bar_mesh((6, 2, 2), (LENGTH, WIDTH, WIDTH), 0.2)
    StableNeoHookean().apply_to(mesh, ElasticModuli.youngs_poisson(E, nu), RHO)
    return mesh, WIDTH**2


def solid_arap(nu):
    assert nu == 0.0
    mesh = bar_mesh((6, 2, 2), (LENGTH, WIDTH, WIDTH), 0.2)
    ARAP().apply_to(mesh, E / 2, RHO)
    return mesh, WIDTH**2


def shell(nu):
    mesh = strip_mesh((6, 3), (LENGTH, WIDTH), 0.2)
    NeoHookeanShell().apply_to(mesh, ElasticModuli2D.youngs_poisson(E, nu), RHO, RADIUS)
    return mesh, WIDTH * 2 * RADIUS


def cloth(nu):
    """E A₀ λ (s - 1)² is twice the energy of a strip with the stiffness λ; the front end's λ is 2r E/(1 - ν²)."""
    assert nu == 0.0
    mesh = strip_mesh((6, 3), (LENGTH, WIDTH), 0.2)
    moduli = ElasticModuli2D.youngs_poisson(E / 2, 0.0)
    StrainLimitingBaraffWitkinShell().apply_to(mesh, moduli, moduli, RHO, RADIUS, 0.0)
    return mesh, WIDTH * 2 * RADIUS


def rod(nu):
    assert nu == 0.0
    mesh = line_mesh(np.linspace([0, 0, 0], [LENGTH, 0, 0], 7))
    HookeanSpring().apply_to(mesh, E, RHO, RADIUS)
    KirchhoffRodBending().apply_to(mesh, E)
    return mesh, np.pi * RADIUS**2


def stretches(workspace, mesh, force):
    """Ratios of the extents of a free body, now and at rest, that is pulled along x at both ends by a force [N]."""
    X = points(mesh)
    ends = [shares(mesh, np.isclose(X[:, 0], x)) for x in (0.0, LENGTH)]
    scene = Statics(workspace, dt=10.0, tolerance=1e-9)
    scene.add_soft(pushed(mesh, (ends[1] - ends[0])[:, None] * np.array([force, 0.0, 0.0])))
    x = scene.start().settle()
    extent = np.ptp(X, axis=0)
    return np.ptp(x, axis=0)[extent > 0.0] / extent[extent > 0.0]


@pytest.mark.parametrize(
    ("make", "nu"),
    [
        (solid, 0.0),
        (solid, 0.3),
        (solid, 0.45),
        (solid_arap, 0.0),
        (shell, 0.0),
        (shell, 0.4),
        (cloth, 0.0),
        (rod, 0.0),
    ],
)
def test_a_bar_has_youngs_modulus_and_poissons_ratio(tmp_path, make, nu):
    mesh, area = make(nu)
    strain = 1e-3
    along, *across = stretches(tmp_path, mesh, E * area * strain) - 1.0
    assert along == pytest.approx(strain, rel=0.01)
    np.testing.assert_allclose(across, -nu * strain, atol=0.01 * max(nu, 0.1) * strain)


def neo_hookean_stress(s, t, nu):
    """Pulls (P_s, P_t) [Pa] of StableNeoHookean at the stretches s along and t across."""
    lame_mu, lame = E / (2 * (1 + nu)), E * nu / ((1 + nu) * (1 - 2 * nu))
    mu, lam = 4 / 3 * lame_mu, lame + 5 / 6 * lame_mu
    m = mu * (1 - 1 / (s**2 + 2 * t**2 + 1))
    p = lam * (s * t**2 - 1) - 0.75 * mu
    return m * s + p * t**2, m * t + p * s * t


def shell_stress(s, t, nu):
    """The same of NeoHookeanShell."""
    mu, lam = E / (2 * (1 + nu)), E * nu / (1 - nu**2)
    pressure = lam * np.log(s * t) - mu
    return mu * s + pressure / s, mu * t + pressure / t


@pytest.mark.parametrize(("make", "stress"), [(solid, neo_hookean_stress), (shell, shell_stress)])
def test_a_bar_that_is_pulled_far_obeys_its_law(tmp_path, make, stress):
    nu = 0.4
    mesh, area = make(nu)
    pull = 0.5 * E
    along, *across = stretches(tmp_path, mesh, pull * area)
    want = fsolve(lambda st: np.subtract(stress(*st, nu), (pull, 0.0)), [1.5, 0.8], xtol=1e-12)
    assert want[0] > 1.4
    assert along == pytest.approx(want[0], rel=1e-5)
    np.testing.assert_allclose(across, want[1], rtol=1e-5)
