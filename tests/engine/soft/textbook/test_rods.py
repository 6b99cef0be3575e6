"""Rods that are pressed, and rods that are held as helices. Rods are straight at rest and do not resist twist."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ellipe, ellipk
from uipc.constitution import HookeanSpring, KirchhoffRodBending

from ipc_articulation.elasticity import hookean_spring, rod_bending
from tests.engine.soft.soft_scenes import vertices
from tests.engine.soft.textbook.statics import Statics, line_mesh, orders, pushed

E, RHO, LENGTH, RADIUS = 1e7, 1000.0, 1.0, 0.003
AREA, STIFFNESS = np.pi * RADIUS**2, E * np.pi * RADIUS**4 / 4  # STIFFNESS = E I [N·m²]


def straight(cells):
    return np.linspace([0.0, 0.0, 0.0], [LENGTH, 0.0, 0.0], cells + 1)


def rod(X):
    mesh = line_mesh(X)
    HookeanSpring().apply_to(mesh, E, RHO, RADIUS)
    KirchhoffRodBending().apply_to(mesh, E)
    return mesh


def held(workspace, rest, x, fixed, forces=None):
    """A scene of a rod that starts at x, its vertices `fixed` where they are, with forces (n, 3) [N] on the others."""
    is_fixed = np.zeros(len(x), dtype=np.int32)
    is_fixed[fixed] = 1
    scene = Statics(workspace, dt=100.0, tolerance=1e-9)
    mesh = rod(x)
    scene.add_soft(vertices(mesh if forces is None else pushed(mesh, forces), is_fixed=is_fixed), rest=rod(rest))
    return scene.start()


def pressed(workspace, cells, load, w0):
    """A scene of a rod between hinges that carries a load [π² E I/L²] and forces across it.

    Its ends are held nearer to each other by the strain P/(E A). The forces, in the shape of its first mode, bend it by
    w = w₀/(1 - P/P_c) before it buckles.
    """
    X = straight(cells)
    strain = load * np.pi**2 * STIFFNESS / LENGTH**2 / (E * AREA)
    force = w0 * np.pi**4 * STIFFNESS / LENGTH**3 / cells
    across = force * np.outer(np.sin(np.pi * X[:, 0] / LENGTH), [0.0, 0.0, 1.0])
    return held(workspace, X, X * (1 - strain), [0, cells], across)


def amid(scene):
    """Deflection [m] amid a rod in balance."""
    x = scene.settle()
    return x[len(x) // 2, 2]


def test_a_rod_buckles_under_eulers_load(tmp_path):
    """To 1 % with 10 edges, of order 2: a chain of hinges buckles under (2 n/π sin(π/2n))² of it (Hencky 1920).

    P_c is found from two deflections (Southwell 1932).
    """
    cells, load, found = np.array([10, 20, 40]), 0.5, []
    for n in cells:
        w = [amid(pressed(tmp_path / f"{n} {P}", n, P, 1e-5 * LENGTH)) for P in (0.0, load)]
        found.append(load / (1 - w[0] / w[1]))
    np.testing.assert_allclose(found, (2 * cells / np.pi * np.sin(np.pi / 2 / cells)) ** 2, rtol=1e-3)
    assert abs(found[0] - 1.0) < 0.01
    assert np.all(np.abs(orders(np.array(found) - 1.0, cells) - 2.0) < 0.5)


def test_a_rod_stays_straight_below_eulers_load_only(tmp_path):
    """3 % below and above it. Above, the length L (1 - 0.03 P/(E A)) of the rod is an arc of the height w."""
    w0 = 1e-6 * LENGTH
    below, above = (amid(pressed(tmp_path / str(load), 40, load, w0)) for load in (0.97, 1.03))
    arc = 2 / np.pi * LENGTH * np.sqrt(0.03 * np.pi**2 * STIFFNESS / LENGTH**2 / (E * AREA))
    assert below == pytest.approx(w0 / 0.03, rel=0.05)
    assert above == pytest.approx(arc, rel=0.05)


def test_newtons_method_knows_how_soft_a_pressed_rod_is(tmp_path):
    """Projected element by element, the Hessian is 30 times as stiff, and each iteration has a thirtieth of the way."""
    scene = pressed(tmp_path, 40, 0.97, 1e-6 * LENGTH).run()
    assert scene.report.newton.iterations < 20


def elastica(distance):
    """Deflection amid a rod of length 1 between hinges at a distance, and the force [E I/L²] between them.

    With the modulus k = sin(φ₀/2), φ₀ the angle at the hinges, the distance is 2 E(k)/K(k) - 1, the deflection k/K(k)
    and the force 4 K(k)².
    """
    m = brentq(lambda m: 2 * ellipe(m) / ellipk(m) - 1 - distance, 1e-9, 0.9)
    return np.sqrt(m) / ellipk(m), 4 * ellipk(m) ** 2


def end_wrench(rest, x, end):
    """Force and moment about the origin, (3,) each, that hold vertices `end` of a rod at x; its mesh is `rest`."""
    n = np.arange(len(x))
    edges, corners = np.stack([n[:-1], n[1:]], axis=1), np.stack([n[:-2], n[1:-1], n[2:]], axis=1)
    total = np.zeros_like(x)
    for law, elements, parameters in ((hookean_spring, edges, (E, RADIUS)), (rod_bending, corners, (E, RADIUS))):
        g = law.gradients(x, elements, law.rest(rest, elements, *parameters))
        np.add.at(total, elements, g.reshape(len(elements), -1, 3))
    return total[end].sum(axis=0), np.cross(x[end], total[end]).sum(axis=0)


@pytest.mark.parametrize("distance", [0.9, 0.5])
def test_a_rod_that_has_buckled_is_an_elastica(tmp_path, distance):
    """Its deflection to 0.1 %, and the force at its ends to 1 %, of order 2."""
    cells, errors = np.array([10, 20, 40]), []
    for n in cells:
        X, (w, force) = straight(n), elastica(distance)
        start = X * [distance, 0, 0] + 0.3 * np.outer(np.sin(np.pi * X[:, 0] / LENGTH), [0.0, 0.0, 1.0])
        x = held(tmp_path / str(n), X, start, [0, n]).settle()
        push = end_wrench(X, x, [0])[0][0]
        errors.append([x[n // 2, 2] / (w * LENGTH) - 1.0, push / (force * STIFFNESS / LENGTH**2) - 1.0])
    assert np.all(np.abs(errors[-1]) < [1e-3, 1e-2])
    assert np.all(np.abs(orders(errors[:2], cells[:2]) - 2.0) < 0.5)


@pytest.mark.parametrize("turns", [0.75, 1.0])
def test_a_rod_that_is_held_as_a_helix_stays_one(tmp_path, turns):
    """A rod without twist is in balance as a helix (radius R, pitch angle α) under a thrust and a moment on its axis.

    Its energy is E I κ² L/2 with κ = cos² α/R. The derivatives by the height L sin α, and by the angle L cos α/R, are
    the thrust -E I cos² α sin α/R² and the moment E I cos³ α/R. (With 1.5 turns it is not stable.)
    """
    R, alpha, cells, errors = 0.2, np.pi / 6, np.array([20, 40, 80]), []
    c, s = np.cos(alpha), np.sin(alpha)
    for n in cells:
        angle = np.linspace(0, 2 * np.pi * turns, n + 1)
        X = R * np.stack([np.cos(angle), np.sin(angle), np.tan(alpha) * angle], axis=1)
        start = X + 0.02 * R * np.random.default_rng(1).normal(size=X.shape)
        ends = [0, 1, n - 1, n]
        start[ends] = X[ends]
        x = held(tmp_path / str(n), X, start, ends).settle()
        assert np.abs(x - X).max() < 1e-4 * R
        force, moment = end_wrench(X, x, ends[2:])
        errors.append([force[2] / (-STIFFNESS * c**2 * s / R**2) - 1.0, moment[2] / (STIFFNESS * c**3 / R) - 1.0])
    assert np.max(np.abs(errors[-1])) < 0.003
    assert np.all(np.abs(orders(errors, cells) - 2.0) < 0.5)
