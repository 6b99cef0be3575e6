"""Tolerances with which libuipc's CUDA engine moves robots, in place of its own.

It ends Newton's method where no vertex moves by `newton/velocity_tol` · dt any more, 0.05 m/s by default, and its
conjugate gradients at a residual of 10⁻³. Beside stiff joints little of δθ̃ is reached then, and a robot that starts
slowly never starts. The CPU engine does not need this: it solves articulations exactly.
"""

from __future__ import annotations

import uipc

from ipc_articulation.frontend.scene_marks import mark, marked

_ROBOTS = "robots"
_TOLERANCES = {  # libuipc's own value, and the one for robots
    "newton/velocity_tol": (0.05, 1e-3),  # [m/s]
    "newton/transrate_tol": (0.1, 1e-3),  # [1/s]
    "linear_system/tol_rate": (1e-3, 1e-6),
}


def ask_for_robots(scene: uipc.Scene) -> None:
    """Write into a scene that it moves robots."""
    mark(scene, _ROBOTS, 1)


def tighten_for_robots(scene: uipc.Scene) -> None:
    """Make libuipc's own tolerances smaller in a scene that moves robots; others stay."""
    if marked(scene, _ROBOTS) is None:
        return
    for name, (own, tight) in _TOLERANCES.items():
        value = uipc.view(scene.config().find(name))
        if value[0] == own:
            value[:] = tight
