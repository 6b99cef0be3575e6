"""The world of a coupling's scene."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from weakref import ref

import uipc

from ipc_articulation.coupling.attachments import attachments_of
from ipc_articulation.coupling.failures import is_of_scene, no_joints_while_running, require_scene
from ipc_articulation.frontend.worlds import ENGINES, is_on_cpu


class SceneWorld:
    """Checks worlds, and remembers the last one that was the scene's, without keeping it alive.

    Args:
        scene: The scene.
        joints: Names of the coupling's joints, for messages.
    """

    def __init__(self, scene: uipc.Scene, joints: Sequence[str]) -> None:
        self._scene, self._joints = scene, joints
        self._last: Callable[[], uipc.World | None] = lambda: None

    def require(self, world: uipc.World) -> None:
        """Check that a world belongs to the scene.

        Raises:
            SceneError: It belongs to another one.
            EngineError: Parts are attached, and its engine cannot make joints while it runs.
        """
        if self._last() is not world:
            require_scene(world, self._scene, self._joints)
            self._last = ref(world)
        if attachments_of(self._scene):
            self.require_cpu()

    def find(self) -> uipc.World | None:
        """The scene's world that has taken steps, as far as it is known; those on the CPU engine are."""
        if (last := self._last()) is not None:
            return last
        stepped = [world for world, engine in ENGINES.items() if engine.statistics]
        return next((world for world in stepped if is_of_scene(world, self._scene)), None)

    def require_cpu(self) -> None:
        """Check that the engine of the world can make joints while it runs.

        Raises:
            EngineError: It cannot.
        """
        world = self._last()
        if world is not None and not is_on_cpu(world):
            raise no_joints_while_running()
