"""The parts that one robot of a scene holds."""

from __future__ import annotations

from typing import Any

import uipc

from ipc_articulation.coupling.attachments import attach, attachments_of, detach, named, scene_part
from ipc_articulation.coupling.failures import within_a_step
from ipc_articulation.coupling.placed_robot import PlacedRobot
from ipc_articulation.coupling.registry import couplings_of
from ipc_articulation.coupling.scene_world import SceneWorld
from ipc_articulation.errors import SceneError
from ipc_articulation.naming import suggest


class RobotAttachments:
    """Attaches parts to the links of a robot, see `Coupling.attach` and `Coupling.detach`.

    Args:
        scene: The scene.
        placed: The robot in it.
        world: The scene's world.
    """

    def __init__(self, scene: uipc.Scene, placed: PlacedRobot, world: SceneWorld) -> None:
        self._scene, self._placed, self._world = scene, placed, world

    def attach(self, part: str | Any, link: str) -> None:
        """Hold a part, by its name or geometry slot, at a link."""
        self._world.require_cpu()
        self._refuse_within_a_step("attach")
        attach(self._scene, self._part(part), self._link(link, "attach"))

    def detach(self, part: str | Any, link: str | None) -> None:
        """Let go of a part at a link; None: at all links of the robot."""
        self._refuse_within_a_step("detach")
        slots = self._placed.holding.values() if link is None else (self._link(link, "detach")[1],)
        detach(self._scene, part, {slot.id() for slot in slots})

    @property
    def held(self) -> tuple[tuple[str, str], ...]:
        """The parts, each with the name of its link or «world»."""
        own = {slot.id() for slot in self._placed.holding.values()}
        return tuple((held.part, held.link) for held in attachments_of(self._scene) if held.link_slot.id() in own)

    def _refuse_within_a_step(self, asker: str) -> None:
        for other in couplings_of(self._scene):
            if other.is_within_a_step:
                raise within_a_step(asker, other.joint_names)

    def _part(self, part: str | Any) -> tuple[str, Any]:
        if not isinstance(part, str):
            return scene_part(self._scene, part)
        return named(part, [entry for other in couplings_of(self._scene) for entry in other.named_slots])

    def _link(self, name: str, asker: str) -> tuple[str, Any]:
        holding = self._placed.holding
        if not isinstance(name, str) or name not in holding:
            raise SceneError(f"{asker}: unknown link '{name}'{suggest(name, holding)}")
        return name, holding[name]
