"""The scenes, each as a libuipc scene and as text for STARK (see `peer.cpp`), with the same numbers in both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import trimesh
import uipc

from benchmarks import box_scenes
from benchmarks.box_scenes import DENSITY, SIZE

DT = 0.01  # [s]
STEPS = 100
TOLERANCE = 1e-3  # of a Newton step [m/s], and [1/s] for what turns
D_HAT, FRICTION, SLIP = 1e-3, 0.5, 0.01  # [m], [], [m/s]
RESISTANCE = 1e12  # of our barrier [Pa]
# Of STARK's barrier k (d̂ - d)³/3 [N/m²]: so much that both push with the same force at nine tenths of d̂, 220 N.
STIFFNESS = 2.2e10
FLOOR = 20.0, 0.5  # width and thickness [m]; ours is a half-plane, STARK has none
RATE, TORQUE = 0.5, 100.0  # of the driven hinge [rad/s], [N m]


@dataclass(frozen=True)
class Case:
    """A scene for both."""

    name: str
    make: Callable[[], uipc.Scene]
    text: str
    turns: int = 1  # how often both run it, in turn
    steps: int = STEPS


def cases(quick: bool) -> list[Case]:
    """All of them; few if quick."""
    box, sphere, counts = box_scenes.box(), box_scenes.sphere(), (10,) if quick else (10, 50, 200)
    return [
        *(_contact(f"tumbled/{n}", box, box_scenes.tumbled(n)) for n in counts),
        *(_contact(f"columns/{n}", box, box_scenes.pile(n)) for n in counts),
        _contact("spheres/10", sphere, box_scenes.pile(10)),
        _row("free box", box_scenes.free_box, [bodies_text(box, box_scenes.pile(1))]),
        _row("hinge", box_scenes.hinge, [bodies_text(box, box_scenes.row(2), 1), *_joints(1, "motor", (RATE, TORQUE))]),
        _row("chain/8", lambda: box_scenes.chain(8), [bodies_text(box, box_scenes.row(9), 1), *_joints(8, "hinge")]),
    ]


def converging(scene: uipc.Scene) -> uipc.Scene:
    """The scene with the tolerances of the comparison, and without semi-implicit ends."""
    values = {
        "newton/velocity_tol": TOLERANCE,
        "newton/transrate_tol": TOLERANCE,
        "newton/semi_implicit/enable": 0,
    }
    for key, value in values.items():
        uipc.view(scene.config().find(key))[:] = value
    return scene


def _contact(name: str, mesh: trimesh.Trimesh, transforms: np.ndarray) -> Case:
    def make() -> uipc.Scene:
        return box_scenes.make_scene(mesh, transforms, D_HAT, RESISTANCE)

    lines = time_text(), contact_text(STIFFNESS), floor_text(), bodies_text(mesh, transforms)
    return Case(name, make, "\n".join(lines))


def _row(name: str, make: Callable[[], uipc.Scene], lines: Sequence[str]) -> Case:
    """A scene without contact, so short that both run it five times."""
    return Case(name, make, "\n".join([time_text(), *lines]), 5)


def _joints(count: int, kind: str, drive: Sequence[float] = ()) -> list[str]:
    """Joints about y between each body of a row and the next one."""
    x = 1.5 * SIZE * (np.arange(count) + 0.5)
    return [f"{kind} {i} {i + 1} {numbers([x[i], 0, 0, 0, 1, 0, *drive])}" for i in range(count)]


def time_text(steps: int = STEPS) -> str:
    return f"time {DT} {steps} {TOLERANCE}"


def contact_text(stiffness: float) -> str:
    return f"contact {D_HAT} {stiffness:.17g} {FRICTION} {SLIP}"


def floor_text() -> str:
    return f"floor {FLOOR[0]} {FLOOR[1]}"


def bodies_text(mesh: trimesh.Trimesh, transforms: np.ndarray, fixed: int = 0) -> str:
    """Rigid bodies of one shape, the first few of them fixed."""
    mass = DENSITY * mesh.volume
    return "\n".join(
        [
            f"shape {len(mesh.vertices)} {len(mesh.faces)} {numbers(mesh.vertices)} {numbers(mesh.faces)}",
            f"inertia {mass:.17g} {numbers(mesh.moment_inertia * DENSITY / mesh.density)}",
            *(f"body {int(i < fixed)} {numbers(T[:3, 3])} {numbers(T[:3, :3])}" for i, T in enumerate(transforms)),
        ]
    )


def numbers(values: np.ndarray | Sequence[float]) -> str:
    return " ".join(f"{value:.17g}" for value in np.asarray(values).ravel())
