"""Cantilevers: solids, plates and rods that are clamped at one end."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ellipe, ellipeinc, ellipk, ellipkinc
from uipc.constitution import (
    ARAP,
    DiscreteShellBending,
    ElasticModuli,
    ElasticModuli2D,
    HookeanSpring,
    KirchhoffRodBending,
    NeoHookeanShell,
    StableNeoHookean,
)

from tests.engine.soft.soft_scenes import vertices
from tests.engine.soft.textbook.statics import Statics, bar_mesh, line_mesh, orders, points, pushed, shares, strip_mesh

E, RHO, HEIGHT, LENGTH = 1e6, 1000.0, 0.1, 1.0
BENT = 0.01  # the tip's deflection, of the length


def bends(workspace, mesh, forces, held=0.0):
    """Displacements (n, 3) [m] of a mesh that is fixed where x is `held` or less."""
    X = points(mesh)
    scene = Statics(workspace, dt=100.0)
    scene.add_soft(vertices(pushed(mesh, forces), is_fixed=(X[:, 0] < held + 1e-9).astype(np.int32)))
    return scene.start().settle() - X


def solid_error(workspace, nu, cells, with_shear):
    """Relative error of the deflection of a beam, `cells` high and a quarter of that wide, under a force at its tip.

    Euler and Bernoulli's w = P L³/(3 E I); Timoshenko adds P L/(k G A) for shear, with k = 10 (1+ν)/(12+11ν).
    """
    width = HEIGHT / 4
    mesh = bar_mesh((10 * cells, cells // 4, cells), (LENGTH, width, HEIGHT))
    if nu == 0.0:
        ARAP().apply_to(mesh, E / 2, RHO)
    else:
        StableNeoHookean().apply_to(mesh, ElasticModuli.youngs_poisson(E, nu), RHO)
    inertia = width * HEIGHT**3 / 12
    force = BENT * LENGTH * 3 * E * inertia / LENGTH**3
    share = shares(mesh, np.isclose(points(mesh)[:, 0], LENGTH))
    tip = share @ bends(workspace, mesh, share[:, None] * [0.0, 0.0, -force])[:, 2]
    shear = force * LENGTH * (12 + 11 * nu) / (10 * (1 + nu)) * 2 * (1 + nu) / (E * width * HEIGHT)
    return -tip / (BENT * LENGTH + (shear if with_shear else 0.0)) - 1.0


@pytest.mark.slow
def test_a_solid_bends_as_euler_and_bernoulli_say(tmp_path):
    """3 %, with 12 elements across: linear tetrahedra are too stiff in bending by about 4 over the square of these."""
    found = solid_error(tmp_path, 0.3, 12, False)
    assert abs(found) < 0.03


@pytest.mark.slow
@pytest.mark.parametrize("nu", [0.0, 0.3])
def test_solids_that_bend_converge(tmp_path, nu):
    """Order 2; the limit is Timoshenko's deflection to 2 %: a clamped end hinders Poisson's effect."""
    cells = np.array([4, 8])
    errors = np.array([solid_error(tmp_path / str(n), nu, n, True) for n in cells])
    stiffer = -errors / (1 + errors)  # of the stiffness
    limit = (4 * stiffer[1] - stiffer[0]) / 3
    assert 1.5 < orders(stiffer, cells)[0] < 2.5
    assert abs(limit) < 0.02


def plate_error(workspace, cells, mirrored):
    """Relative error of w = P L³/(3 D b), D = 4.8 κ; the first cell is fixed, and clamps the plate in its middle."""
    h, kappa = LENGTH / (cells - 0.5), 0.02
    mesh = strip_mesh((cells, 2), (cells * h, 2 * h), mirrored=mirrored)
    NeoHookeanShell().apply_to(mesh, ElasticModuli2D.youngs_poisson(E, 0.0), RHO, 0.005)
    DiscreteShellBending().apply_to(mesh, kappa)
    share = shares(mesh, np.isclose(points(mesh)[:, 0], cells * h))
    force = BENT * LENGTH * 3 * 4.8 * kappa * 2 * h / LENGTH**3
    w = bends(workspace, mesh, share[:, None] * [0.0, 0.0, -force], h)
    return -share @ w[:, 2] / BENT - 1.0


@pytest.mark.parametrize("mirrored", [False, True])
def test_a_strip_of_hinges_bends_as_a_multiple_of_its_stiffness(tmp_path, mirrored):
    """D = 4.8 κ, to 2 % with 40 cells; of order 1, since the fixed cell is not quite a clamp in its middle.

    With parallel diagonals the curvatures a, b and c = w_xy cost 3κ ((a+c)² + (b+c)² + 4c²): 3κ a² if b = c = 0, as in
    a wide plate, and 0.8 of that where the strip may twist, c = -b = -a/5. Mirrored cells twist to and fro.
    """
    cells = np.array([10, 20, 40])
    errors = [plate_error(tmp_path / str(n), n, mirrored) for n in cells]
    assert abs(errors[-1]) < 0.02
    assert np.all(orders(errors, cells) > 0.85)


def rod_tip(workspace, cells, load):
    """Displacement (x, z)/L of a rod's tip under a force P = load E I/L²; the first edge is fixed, as above."""
    h, radius = LENGTH / (cells - 0.5), 0.01
    mesh = line_mesh(np.outer(h * (np.arange(cells + 1) - 0.5), [1.0, 0.0, 0.0]))
    HookeanSpring().apply_to(mesh, 100 * E, RHO, radius)
    KirchhoffRodBending().apply_to(mesh, E)
    force = np.zeros((cells + 1, 3))
    force[-1, 2] = -load * E * np.pi * radius**4 / 4 / LENGTH**2
    return bends(workspace, mesh, force, 0.5 * h)[-1, [0, 2]] / LENGTH


def test_a_rod_bends_as_euler_and_bernoulli_say(tmp_path):
    cells = np.array([5, 10, 20])
    errors = [-rod_tip(tmp_path / str(n), n, 3 * BENT)[1] / BENT - 1.0 for n in cells]
    assert np.max(np.abs(errors)) < 0.03
    assert np.all(np.abs(orders(errors, cells) - 2.0) < 0.5)


def elastica(load):
    """Displacement (x, z)/L of the tip under P = load E I/L² (Bisshopp and Drucker 1945).

    The angle φ along the rod obeys φ'² = 2 load/L² (sin φ₀ - sin φ), φ₀ that of the tip. With k² = (1 + sin φ₀)/2 and
    sin β = 1/(k √2) the length is L √load = K(k) - F(β, k), and z = L - 2 (E(k) - E(β, k)) L/√load.
    """

    def length(tip):
        k2 = (1 + np.sin(tip)) / 2
        return ellipk(k2) - ellipkinc(np.arcsin(1 / np.sqrt(2 * k2)), k2) - np.sqrt(load)

    tip = brentq(length, 1e-9, np.pi / 2 - 1e-9)
    k2 = (1 + np.sin(tip)) / 2
    z = 1 - 2 * (ellipe(k2) - ellipeinc(np.arcsin(1 / np.sqrt(2 * k2)), k2)) / np.sqrt(load)
    return np.array([np.sqrt(2 * np.sin(tip) / load) - 1, -z])


@pytest.mark.parametrize("load", [1.0, 10.0])
def test_a_rod_that_bends_far_is_an_elastica(tmp_path, load):
    """To 0.1 % of its length, of order 2."""
    cells = np.array([10, 20, 40])
    errors = [np.abs(rod_tip(tmp_path / str(n), n, load) - elastica(load)).max() for n in cells]
    assert errors[-1] < 1e-3
    assert np.all(np.abs(orders(errors, cells) - 2.0) < 0.5)
