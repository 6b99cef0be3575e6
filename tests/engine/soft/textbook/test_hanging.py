"""Cloth, bars and rods that hang from their upper end: their own weight stretches them by ρ g L²/(2E)."""

import numpy as np
import pytest
from scipy.integrate import quad
from uipc.constitution import (
    DiscreteShellBending,
    ElasticModuli,
    ElasticModuli2D,
    HookeanSpring,
    KirchhoffRodBending,
    NeoHookeanShell,
    StableNeoHookean,
    StrainLimitingBaraffWitkinShell,
)

from tests.engine.soft.soft_scenes import vertices
from tests.engine.soft.textbook.statics import Statics, bar_mesh, line_mesh, points, strip_mesh

E, RHO, G, LENGTH, WIDTH, RADIUS = 1e7, 1000.0, 9.8, 1.0, 0.1, 0.005
SMALL = RHO * G * LENGTH**2 / (2 * E)  # 0.05 %


def solid(nu, cells):
    mesh = bar_mesh((10 * cells, cells, cells), (LENGTH, WIDTH, WIDTH))
    StableNeoHookean().apply_to(mesh, ElasticModuli.youngs_poisson(E, nu), RHO)
    return mesh


def cloth(nu, cells):
    mesh = strip_mesh((10 * cells, cells), (LENGTH, WIDTH))
    NeoHookeanShell().apply_to(mesh, ElasticModuli2D.youngs_poisson(E, nu), RHO, RADIUS)
    DiscreteShellBending().apply_to(mesh, 1e-3)
    return mesh


def rod(nu, cells):
    mesh = line_mesh(np.linspace([0, 0, 0], [LENGTH, 0, 0], 10 * cells + 1))
    HookeanSpring().apply_to(mesh, E, RHO, RADIUS)
    KirchhoffRodBending().apply_to(mesh, E)
    return mesh


def extension(workspace, mesh):
    """How much longer a body is that hangs along x [m]."""
    X = points(mesh)
    scene = Statics(workspace, dt=10.0, gravity=(G, 0.0, 0.0))
    scene.add_soft(vertices(mesh, is_fixed=(X[:, 0] == 0.0).astype(np.int32)))
    x = scene.start().settle()
    return np.mean((x - X)[np.isclose(X[:, 0], LENGTH), 0])


@pytest.mark.parametrize(("make", "nu"), [(solid, 0.0), (solid, 0.3), (cloth, 0.0), (cloth, 0.3), (rod, 0.0)])
def test_a_body_is_stretched_by_its_weight(tmp_path, make, nu):
    """To 1 %, and without a Poisson effect, which the fixed end hinders, to 0.1 % on any mesh."""
    errors = [extension(tmp_path / str(cells), make(nu, cells)) / SMALL - 1.0 for cells in (1, 2, 4)]
    assert abs(errors[-1]) < 0.01
    if nu == 0.0:
        assert np.max(np.abs(errors)) < 1e-3
    else:
        assert np.all(np.diff(np.abs(np.subtract(errors, errors[-1]))) < 0.0)


@pytest.mark.parametrize("limit", [0.0, 100.0])
def test_cloth_that_limits_its_strain_hangs_shorter(tmp_path, limit):
    """Its tension, 2λ e + 3ρλ e² at the strain e > 0, is the weight below, 2r ρ₀ g (L - X)."""
    mesh = strip_mesh((20, 2), (LENGTH, WIDTH))
    moduli = ElasticModuli2D.youngs_poisson(1e5, 0.0)
    StrainLimitingBaraffWitkinShell().apply_to(mesh, moduli, moduli, RHO, RADIUS, limit)
    stiffness, load = 1e5 * 2 * RADIUS, RHO * 2 * RADIUS * G

    def strain(X):
        tension, cubic = load * (LENGTH - X), 3 * limit * stiffness
        return tension / (stiffness + np.sqrt(stiffness**2 + cubic * tension))

    want = quad(strain, 0.0, LENGTH)[0]
    found = extension(tmp_path, mesh)
    assert found == pytest.approx(want, rel=1e-3)
