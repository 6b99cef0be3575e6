"""Robots whose ball and free joints are lowered to chains: libuipc's CUDA engine 0.0.29 leaves them where they stand.

On an NVIDIA H100 neither an arm of ball joints nor a floating robot moved in a step, with tolerances down to 10⁻⁷ and
conjugate gradients to 10⁻¹⁰; the same scenes move on the CPU engine as with their own joints.
"""

from __future__ import annotations

import uipc

from ipc_articulation.frontend.scene_marks import mark, marked
from ipc_articulation.repairs import caution

_LOWERED = "lowered joints"


def note_lowered_joints(scene: uipc.Scene) -> None:
    """Write into a scene that joints of a robot are lowered."""
    mark(scene, _LOWERED, 1)


def warn_of_lowered_joints(scene: uipc.Scene) -> None:
    """Warn that a scene's robots will not move on libuipc's CUDA engine, if joints of theirs are lowered.

    Raises:
        ModelError: So in strict mode, see `repairs.strict`.
    """
    if marked(scene, _LOWERED) is not None:
        caution(
            "a robot's ball or free joints are lowered to chains: libuipc's CUDA engine (0.0.29, on an H100) left such "
            "robots where they stand; Engine('cpu') moves them, with joints='own'"
        )
