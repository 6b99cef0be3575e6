"""Settings of a scene with robots, where it has libuipc's own.

libuipc's contact resistance, one number for all pairs, fits few robots (see `contact.resistance`); what its friction
holds creeps (see `contact.anchors`); and its semi-implicit ends of Newton's method leave steps unfinished, so that
forces on joints are not those of contact. Its CUDA engine needs smaller tolerances too (see `robot_tolerances`).
"""

from __future__ import annotations

from typing import Any, Literal

import uipc

from ipc_articulation.contact.materials import BY_LOAD
from ipc_articulation.frontend.contact_table import is_unset
from ipc_articulation.frontend.friction_law import choose_friction
from ipc_articulation.frontend.robot_tolerances import ask_for_robots

Settings = Literal["robots", "scene"]

_ENDS_EARLY = ("newton", "semi_implicit", "enable")


def converge(config: dict[str, Any]) -> None:
    """Let Newton's method converge in every step, in a configuration of which no scene is made yet."""
    config[_ENDS_EARLY[0]][_ENDS_EARLY[1]][_ENDS_EARLY[2]] = 0


def suit_robots(scene: uipc.Scene) -> None:
    """Let Newton's method converge, friction hold, and pairs choose their resistance unless the default has one."""
    choose_friction(scene, True, unless_chosen=True)
    ask_for_robots(scene)
    uipc.view(scene.config().find("/".join(_ENDS_EARLY)))[:] = 0
    table = scene.contact_tabular()
    default = table.default_model()
    if is_unset(default.resistance()):
        table.default_model(default.friction_rate(), BY_LOAD, default.is_enabled())
