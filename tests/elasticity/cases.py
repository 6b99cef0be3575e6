"""Every energy with random elements and states, and the formula of libuipc's specification for complex numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.elasticity import (
    arap,
    hookean_spring,
    neo_hookean_shell,
    plastic_shell_bending,
    rod_bending,
    shell_bending,
    stable_neo_hookean,
    strain_limiting_shell,
)

Array = NDArray[np.float64]
COUNT = 1000
KAPPA, MU, LAMBDA, RADIUS, RATE = 3.0e4, 2.0e4, 5.0e4, 0.01, 100.0


@dataclass
class Case:
    name: str
    energy: ModuleType
    vertices: int
    rest: Callable  # (X (n, 3), elements (k, v)) -> constants
    formula: Callable  # (x (..., v, 3), X (..., v, 3)) -> (...), complex or real
    smooth: Callable  # (x (k, v, 3), X) -> (k,) [m]: how far vertices can move before the energy is not smooth


def norm(v):
    return np.sqrt(np.sum(v * v, axis=-1))


def dot(u, v):
    return np.sum(u * v, axis=-1)


def edges(x, d):
    return np.stack([x[..., k + 1, :] - x[..., 0, :] for k in range(d)], axis=-1)


def deformation(x, X):
    return edges(x, 3) @ np.linalg.inv(edges(X, 3))


def stable_neo_hookean_formula(x, X):
    F, v = deformation(x, X), np.linalg.det(edges(X, 3)) / 6
    square, alpha = np.sum(F * F, axis=(-2, -1)), 1 + 0.75 * MU / LAMBDA
    shape = 0.5 * MU * (square - 3) - 0.5 * MU * np.log(square + 1)
    return v * (0.5 * LAMBDA * (np.linalg.det(F) - alpha) ** 2 + shape)


def arap_smooth(x, X):
    F = deformation(x, X)
    s = np.linalg.svd(F)[1] * np.array([1, 1, 0])
    s[:, 2] = np.linalg.det(F) / (s[:, 0] * s[:, 1])
    return (s[:, 1] + s[:, 2]) / norm(np.linalg.inv(edges(X, 3)).reshape(-1, 9))


def arap_formula(x, X):
    """With R of the real part: E is stationary in R, so a complex step's part in R does not count."""
    F = deformation(x, X)
    U, _, Vt = np.linalg.svd(F.real)
    U[..., :, 2] *= np.linalg.det(U @ Vt)[..., None]
    return KAPPA * np.linalg.det(edges(X, 3)) / 6 * np.sum((F - U @ Vt) ** 2, axis=(-2, -1))


def metric(x):
    D = edges(x, 2)
    return np.swapaxes(D, -1, -2) @ D


def neo_hookean_shell_formula(x, X):
    A, B = metric(x), metric(X)
    log = 0.5 * np.log(np.linalg.det(A) / np.linalg.det(B))
    trace = np.trace(np.linalg.inv(B) @ A, axis1=-2, axis2=-1)
    return area(X) * 2 * RADIUS * (0.5 * MU * (trace - 2 - 2 * log) + 0.5 * LAMBDA * log**2)


def area(X):
    return 0.5 * np.sqrt(np.linalg.det(metric(X)))


def height(x):
    """The smallest height of a triangle."""
    sides = [x[..., 1, :] - x[..., 0, :], x[..., 2, :] - x[..., 0, :], x[..., 2, :] - x[..., 1, :]]
    return 2 * area(x) / np.max([norm(side) for side in sides], axis=0)


def columns(x, X):
    """The columns of F; Rodrigues' formula for the shortest rotation of the normal onto z gives material directions."""
    D = edges(X, 2)
    n = np.cross(D[..., 0], D[..., 1])
    n = n / norm(n)[..., None]
    axis = np.cross(n, [0.0, 0.0, 1.0])
    angle = np.arctan2(norm(axis), n[..., 2])
    k = axis / norm(axis)[..., None]
    K = np.zeros((*n.shape, 3))
    for i, j, m in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        K[..., i, j], K[..., j, i] = -k[..., m], k[..., m]
    s, c = np.sin(angle)[..., None, None], np.cos(angle)[..., None, None]
    flat = (np.eye(3) + s * K + (1 - c) * K @ K) @ D
    F = edges(x, 2) @ np.linalg.inv(flat[..., :2, :])
    return F[..., 0], F[..., 1]


def strain_limiting_formula(x, X):
    E = 0.0
    u, v = columns(x, X)
    for f in (u, v):
        strain = norm(f) - 1
        E = E + LAMBDA * (strain**2 + (strain.real > 0) * RATE * strain**3)
    return area(X) * (E + MU * dot(u, v) ** 2)


def strain_limiting_smooth(x, X):
    stretches = [norm(f) for f in columns(x, X)]
    return height(X) * np.min([np.minimum(np.abs(s - 1), s) for s in stretches], axis=0)


def normals(x):
    return (
        np.cross(x[..., 1, :] - x[..., 0, :], x[..., 2, :] - x[..., 0, :]),
        np.cross(x[..., 2, :] - x[..., 3, :], x[..., 1, :] - x[..., 3, :]),
    )


def dihedral(x):
    m, n = normals(x)
    e = x[..., 1, :] - x[..., 2, :]
    s, c = dot(np.cross(n, m), e) / norm(e), dot(m, n)
    up = np.abs(s.real) > np.abs(c.real)
    steep = np.sign(s.real) * np.pi / 2 - np.arctan(c / np.where(up, s, 1.0))
    shallow = np.arctan(s / np.where(up, 1.0, c)) + np.where(c.real < 0, np.where(s.real < 0, -np.pi, np.pi), 0.0)
    return np.where(up, steep, shallow)


def weight(X):
    m, n = normals(X)
    L0 = norm(X[..., 2, :] - X[..., 1, :])
    h = (norm(m) + norm(n)) / 2 / 3 / L0
    return KAPPA * L0 / h


def wrap(angle):
    return angle - 2 * np.pi * np.round(angle.real / (2 * np.pi))


def shell_bending_formula(x, X):
    return weight(X) * (dihedral(x) - dihedral(X)) ** 2


def strain_plastic_formula(x, X):
    return weight(X) * wrap(dihedral(x) - dihedral(X)) ** 2


LIMIT = 1.0  # yield angle of the stress-plastic case [rad]


def stress_plastic_formula(x, X):
    delta, w = wrap(dihedral(x) - dihedral(X)), weight(X)
    excess = delta * np.sign(delta.real) - LIMIT
    return np.where(excess.real > 0, w * LIMIT**2 + 2 * w * LIMIT * excess, w * delta**2)


def hinge_smooth(x, X):
    room = norm(x[..., 2, :] - x[..., 1, :])
    for side in (x[..., :3, :], x[..., 1:, :]):
        room = np.minimum(room, height(side))
    delta = np.abs(wrap(dihedral(x) - dihedral(X)))
    turn = np.min([np.pi - np.abs(dihedral(x)), np.pi - delta, np.abs(delta - LIMIT)], axis=0)
    return room * np.minimum(1.0, turn)


def spring_formula(x, X):
    L, L0 = norm(x[..., 1, :] - x[..., 0, :]), norm(X[..., 1, :] - X[..., 0, :])
    return L0 * np.pi * RADIUS**2 * KAPPA / 2 * ((L - L0) / L0) ** 2


def rod_formula(x, X):
    u, w = x[..., 1, :] - x[..., 0, :], x[..., 2, :] - x[..., 1, :]
    curvature = 2 * np.cross(u, w) / (np.sqrt(dot(u, u) * dot(w, w)) + dot(u, w))[..., None]
    L0 = norm(X[..., 1, :] - X[..., 0, :]) + norm(X[..., 2, :] - X[..., 1, :])
    return KAPPA * RADIUS**4 * np.pi / 4 * dot(curvature, curvature) / L0


def rod_smooth(x, X):
    u, w = x[..., 1, :] - x[..., 0, :], x[..., 2, :] - x[..., 1, :]
    a, b = u / norm(u)[..., None], w / norm(w)[..., None]
    return np.minimum(norm(u), norm(w)) * norm(a + b) / 2


def stress_rest(X, hinges):
    constants = plastic_shell_bending.rest(X, hinges, KAPPA)
    return plastic_shell_bending.rest(X, hinges, KAPPA, 2 * constants[:, 0] * LIMIT)


CASES = [
    Case(
        "stable_neo_hookean",
        stable_neo_hookean,
        4,
        lambda X, e: stable_neo_hookean.rest(X, e, MU, LAMBDA),
        stable_neo_hookean_formula,
        lambda x, X: height_of_tetrahedra(X),
    ),
    Case("arap", arap, 4, lambda X, e: arap.rest(X, e, KAPPA), arap_formula, arap_smooth),
    Case(
        "neo_hookean_shell",
        neo_hookean_shell,
        3,
        lambda X, e: neo_hookean_shell.rest(X, e, MU, LAMBDA, RADIUS),
        neo_hookean_shell_formula,
        lambda x, X: height(x),
    ),
    Case(
        "strain_limiting_shell",
        strain_limiting_shell,
        3,
        lambda X, e: strain_limiting_shell.rest(X, e, MU, LAMBDA, RATE),
        strain_limiting_formula,
        strain_limiting_smooth,
    ),
    Case(
        "shell_bending",
        shell_bending,
        4,
        lambda X, e: shell_bending.rest(X, e, KAPPA),
        shell_bending_formula,
        hinge_smooth,
    ),
    Case(
        "strain_plastic",
        plastic_shell_bending,
        4,
        lambda X, e: plastic_shell_bending.rest(X, e, KAPPA),
        strain_plastic_formula,
        hinge_smooth,
    ),
    Case("stress_plastic", plastic_shell_bending, 4, stress_rest, stress_plastic_formula, hinge_smooth),
    Case(
        "hookean_spring",
        hookean_spring,
        2,
        lambda X, e: hookean_spring.rest(X, e, KAPPA, RADIUS),
        spring_formula,
        lambda x, X: norm(x[:, 1] - x[:, 0]),
    ),
    Case("rod_bending", rod_bending, 3, lambda X, e: rod_bending.rest(X, e, KAPPA, RADIUS), rod_formula, rod_smooth),
]


def height_of_tetrahedra(X):
    return 1 / norm(np.linalg.inv(edges(X, 3)).reshape(-1, 9))


def random_rest(case: Case, rng: np.random.Generator, count: int = COUNT) -> Array:
    """Rest shapes (count, v, 3), a decimetre in size, none of them thin."""
    found: list[Array] = []
    while len(found) < count:
        X = 0.1 * rng.normal(size=(case.vertices, 3))
        if case.energy in (stable_neo_hookean, arap) and np.linalg.det(edges(X, 3)) < 0:
            X[[2, 3]] = X[[3, 2]]
        if thickness_of(X) > 0.03:
            found.append(X)
    return np.array(found)


def at_rest(case: Case, X: Array) -> Array:
    """States without forces: the rest shapes, for rods straight ones."""
    x = X.copy()
    if case.energy is rod_bending:
        x[:, 2] = x[:, 1] + 1.5 * (x[:, 1] - x[:, 0])
    return x


def thickness_of(X: Array) -> float:
    """The smallest distance or height of an element (v, 3) that its energy divides by."""
    if len(X) == 4:
        solid = 1 / norm(np.linalg.inv(edges(X[None], 3)).reshape(-1, 9))[0]
        return float(np.min([*height(np.array([X[:3], X[1:]])), 3 * solid]))
    return float(height(X[None])[0]) if len(X) == 3 else float(norm(X[1] - X[0]))


def random_states(case: Case, rng: np.random.Generator, X: Array) -> Array:
    """States (count, v, 3): a third near rest, a third far, a third random (half of those tetrahedra are inverted)."""
    third = len(X) // 3
    x = X.copy()
    x[:third] += 0.005 * rng.normal(size=x[:third].shape)
    x[third : 2 * third] += 0.05 * rng.normal(size=x[third : 2 * third].shape)
    x[2 * third :] = 0.1 * rng.normal(size=x[2 * third :].shape)
    return x


def rotations(rng: np.random.Generator, count: int) -> Array:
    Q, _ = np.linalg.qr(rng.normal(size=(count, 3, 3)))
    return Q * np.sign(np.linalg.det(Q))[:, None, None]


class Elements:
    """Separate elements (k, v, 3), each with its own vertices, and the energy's functions of their states."""

    def __init__(self, case: Case, X: Array) -> None:
        self.case, self.shape = case, X.shape
        self.elements = np.arange(X.shape[0] * X.shape[1]).reshape(X.shape[:2])
        self.constants = case.rest(X.reshape(-1, 3), self.elements)

    def energies(self, x):
        return self.case.energy.energies(x.reshape(-1, 3), self.elements, self.constants)

    def gradients(self, x):
        return self.case.energy.gradients(x.reshape(-1, 3), self.elements, self.constants)

    def hessians(self, x, project=False):
        return self.case.energy.hessians(x.reshape(-1, 3), self.elements, self.constants, project)


def differences(f: Callable, x: Array, step: Array) -> Array:
    """∂f/∂x of order six: f (k, v, 3) -> (k, *), step (k,) [m]; returns (k, *, 3v)."""
    found = []
    for j in range(x[0].size):
        unit = np.zeros(x[0].size)
        unit[j] = 1.0
        moved = step[:, None, None] * unit.reshape(x[0].shape)
        slope = sum(w * (f(x + n * moved) - f(x - n * moved)) for n, w in ((1, 45), (2, -9), (3, 1)))
        found.append(slope / (60 * step).reshape(-1, *[1] * (np.ndim(slope) - 1)))
    return np.stack(found, axis=-1)
