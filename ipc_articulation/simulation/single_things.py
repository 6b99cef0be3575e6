"""What a scene of many environments cannot have."""

from __future__ import annotations

from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.checks import SOFT
from ipc_articulation.scenefile.document import Document, Location, SceneProblem


def refuse_single_things(scene: schema.RobotScene, document: Document) -> None:
    """Refuse what many environments cannot have.

    Raises:
        SceneFileError: Soft bodies, pushes, or environments of parts; with their places.
    """
    problems = [
        SceneProblem((key,), f"`environments` are of rigid bodies; remove `{key}`, or `environments`")
        for key in SOFT
        if getattr(scene, key)
    ]
    for index, body in enumerate(scene.bodies):
        if body.push is not None:
            message = f"the push on '{body.name}' would act in no environment; remove it, or `environments`"
            problems.append(SceneProblem(("bodies", index, "push"), message))
    named: list[tuple[Location, str]] = [(("robot",), scene.robot.environment)]
    named += [(("bodies", index), body.environment) for index, body in enumerate(scene.bodies)]
    named += [(("walls", index), wall.environment) for index, wall in enumerate(scene.walls)]
    for place, environment in named:
        if environment:
            message = "with `environments`, each copy has an environment of its own; remove `environment`"
            problems.append(SceneProblem((*place, "environment"), message))
    if problems:
        raise document.error(problems)
