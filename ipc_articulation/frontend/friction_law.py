"""Which friction a scene asks for, in `scene_marks`.

libuipc's own engines have lagged friction only; the CPU engine knows anchored friction too, see `contact.anchors`, and
it can renew the normal forces of both within a step, see `engine.newton.lagging`.
"""

from __future__ import annotations

import uipc

from ipc_articulation.frontend.scene_marks import mark, marked
from ipc_articulation.repairs import caution

_ANCHORED = "anchored"  # 1 or 0; lagged where it is missing
_ITERATIONS = "friction iterations"  # 1 where it is missing


def choose_friction(scene: uipc.Scene, is_anchored: bool, unless_chosen: bool = False) -> None:
    """Write into a scene which friction it has; `unless_chosen`: an earlier choice remains."""
    if not (unless_chosen and marked(scene, _ANCHORED) is not None):
        mark(scene, _ANCHORED, int(is_anchored))


def has_anchors(scene: uipc.Scene) -> bool:
    """Whether a scene asks for anchored friction."""
    return bool(marked(scene, _ANCHORED))


def choose_friction_iterations(scene: uipc.Scene, most: int) -> None:
    """Write into a scene how many minimisations a step may have, each with the normal forces of the one before."""
    mark(scene, _ITERATIONS, most)


def friction_iterations(scene: uipc.Scene) -> int:
    """How many minimisations a step of a scene may have."""
    return marked(scene, _ITERATIONS) or 1


def warn_of_lagged_friction(scene: uipc.Scene) -> None:
    """Warn that libuipc's CUDA engine does not have the friction that a scene asks for.

    Raises:
        ModelError: So in strict mode, see `repairs.strict`.
    """
    asked = ["anchored friction"] if has_anchors(scene) else []
    if friction_iterations(scene) > 1:
        asked.append(f"friction_iterations = {friction_iterations(scene)}")
    if asked:
        caution(
            f"the scene asks for {' and '.join(asked)}, and libuipc's CUDA engine has lagged friction only: what "
            "sticks creeps with up to contact/eps_velocity; Engine('cpu') has the other"
        )
