"""Time of the energies of finite elements, and of their gradients and projected Hessians in one pass.

ENERGY/value/N and ENERGY/derivatives/N: N separate elements, each deformed by some percent, on one core. There is no
peer.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.harness import Row, main, samples_in_turn
from ipc_articulation.arrays import Array, Ints
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

COUNTS = (1000, 10000)
TETRAHEDRON = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
HINGE = np.array([[0.5, 1, 0], [0, 0, 0], [1, 0, 0], [0.5, -1, 0.0]])
ROD = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0.0]])

# Rest shape, module, and the parameters after vertices and elements: moduli [Pa], [N/m] or [N·m], and radii [m].
ENERGIES = {
    "stable_neo_hookean": (TETRAHEDRON, stable_neo_hookean, (2e4, 5e4)),
    "arap": (TETRAHEDRON, arap, (3e4,)),
    "neo_hookean_shell": (TETRAHEDRON[:3], neo_hookean_shell, (2e4, 5e4, 0.01)),
    "strain_limiting_shell": (TETRAHEDRON[:3], strain_limiting_shell, (2e4, 5e4)),
    "shell_bending": (HINGE, shell_bending, (1.0,)),
    "plastic_shell_bending": (HINGE, plastic_shell_bending, (1.0, 1.0)),
    "hookean_spring": (ROD[:2], hookean_spring, (3e4, 0.01)),
    "rod_bending": (ROD, rod_bending, (3e4, 0.01)),
}


def elements(shape: Array, count: int) -> tuple[Array, Ints, Array]:
    """Vertices at rest (n, 3), elements (count, v) and deformed vertices (n, 3) [m]: random sizes and directions."""
    rng = np.random.default_rng(0)
    turns = np.linalg.qr(rng.normal(size=(count, 3, 3)))[0]
    turns *= np.sign(np.linalg.det(turns))[:, None, None]
    X = (rng.uniform(0.5, 2.0, (count, 1, 1)) * shape @ turns).reshape(-1, 3)
    return X, np.arange(len(X)).reshape(count, -1), X + 0.03 * rng.normal(size=X.shape)


def works(name: str, count: int) -> list[Callable[[], object]]:
    """Value and derivatives of one energy."""
    shape, energy, parameters = ENERGIES[name]
    X, indices, x = elements(shape, count)
    constants = energy.rest(X, indices, *parameters)
    return [
        lambda: energy.energies(x, indices, constants),
        lambda: energy.derivatives(x, indices, constants, True),
    ]


def measure(quick: bool) -> list[Row]:
    rows = []
    for name in ENERGIES:
        for count in COUNTS:
            times = samples_in_turn(works(name, count), 5 if quick else 20, 10 if quick else 40)
            rows += [
                Row(f"{name}/{what}/{count}", t, "us") for what, t in zip(("value", "derivatives"), times, strict=True)
            ]
    return rows


if __name__ == "__main__":
    main(__doc__, measure)
