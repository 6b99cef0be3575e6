"""From a checked scene to one that is ready to run."""

from __future__ import annotations

from pathlib import Path

from ipc_articulation.errors import EngineError
from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.document import Document
from ipc_articulation.scenefile.reading import AnyScene
from ipc_articulation.signals import interrupts_deferred
from ipc_articulation.simulation.simulation import Simulation
from ipc_articulation.simulation.variation import with_drawn_values
from ipc_articulation.simulation.world import show_command


def build(scene: schema.Scene, document: Document, engine: str, workspace: Path, steps: int) -> Simulation:
    """Make the simulation of a scene file.

    Args:
        scene: From `read_scene`.
        document: From `read_scene`.
        engine: "cpu", "cuda", "none" or "auto"; "auto" is "cpu" where a multibody engine moves a robot, which CUDA was
            measured to move more slowly (docs/howto/gpu_or_cpu.md).
        workspace: Folder for the files of the engine.
        steps: Number of steps of the run.

    Raises:
        SceneFileError: Something is missing or refused, or bodies intersect at the start; with the place.
        EngineError: The engine does not exist, does not run on this machine, or moves no robots.
    """
    assert isinstance(scene, schema.RobotScene | schema.ArticulationScene)
    if isinstance(scene, schema.RobotScene) and engine == "auto":
        engine = "cpu"
    if isinstance(scene, schema.RobotScene) and engine == "none":
        raise EngineError(
            f"engine 'none' moves nothing, so a robot cannot run on it; valid: cpu, cuda, auto. The start alone: "
            f"{show_command(document)}; a robot without contact: --set contact.enabled=false"
        )
    if isinstance(scene, schema.RobotScene) and scene.environments is not None:
        with interrupts_deferred:
            from ipc_articulation.simulation.environments_simulation import EnvironmentsSimulation

        return EnvironmentsSimulation(scene, document, engine, workspace, steps)
    scene, document, drawn = with_drawn_values(scene, document)
    simulation = _make(scene, document, engine, workspace, steps)
    simulation.drawn = drawn
    return simulation


def _make(scene: AnyScene, document: Document, engine: str, workspace: Path, steps: int) -> Simulation:
    if isinstance(scene, schema.ArticulationScene):
        with interrupts_deferred:
            from ipc_articulation.simulation.articulation_simulation import ArticulationSimulation

        return ArticulationSimulation(scene, document, engine, workspace)
    with interrupts_deferred:
        from ipc_articulation.simulation.robot_simulation import RobotSimulation

    return RobotSimulation(scene, document, engine, workspace, steps)
