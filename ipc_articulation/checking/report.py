"""Everything wrong and everything risky in a scene file: `check_file`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ipc_articulation.checking.chatter import chatter_problems
from ipc_articulation.checking.gains import gain_problems
from ipc_articulation.checking.lightness import lightness_problems
from ipc_articulation.checking.names import controller_problems, model_problems
from ipc_articulation.checking.nearness import Nearness
from ipc_articulation.checking.ranges import range_problems
from ipc_articulation.checking.readable import affine_body_problems, push_problems, soft_body_problems
from ipc_articulation.checking.softness import softness_problems
from ipc_articulation.checking.start import Start, make_start
from ipc_articulation.checking.targets import target_problems
from ipc_articulation.checking.tasks import task_problems
from ipc_articulation.checking.thickness import thickness_problems
from ipc_articulation.checking.unrestrained import unrestrained_problems
from ipc_articulation.coupling.visuals import visuals_of
from ipc_articulation.errors import Fault, IpcArticulationError, SceneFileError
from ipc_articulation.repairs import collected
from ipc_articulation.scenefile.document import Document, SceneProblem
from ipc_articulation.scenefile.reading import AnyScene, Examined, examine
from ipc_articulation.scenefile.schema import ArticulationScene, RobotScene, Scene
from ipc_articulation.scenefile.variables import VARIABLES
from ipc_articulation.simulation.single_things import refuse_single_things
from ipc_articulation.simulation.variation import with_drawn_values

_OF_THE_MODEL = {"adapter", "robot", "dt", "gravity", "integrator"}  # keys that a robot's model needs


@dataclass(frozen=True)
class Report:
    """The problems found: errors prevent a run, warnings do not."""

    file: Path
    errors: tuple[Fault, ...]
    warnings: tuple[Fault, ...] = ()


def check_file(file: Path, settings: Mapping[str, Any] | None = None) -> Report:
    """Check a scene file and all files that it names, without taking a step or running code that it names.

    Errors of the file's own text come all at once. What lies between them, such as bodies that overlap, is checked
    when there are none. Repairs of the robot's file are warnings, as is whatever else a run would warn of.

    Args:
        file: The scene file.
        settings: Values that replace the file's, by path.
    """
    with collected() as texts:
        report = _checked(file, settings)
    return replace(report, warnings=(*(Fault(text, file) for text in texts), *report.warnings))


def _checked(file: Path, settings: Mapping[str, Any] | None) -> Report:
    try:
        examined = examine(file, settings)
        errors = [*examined.problems, *_of_the_model(examined)]
        if errors:
            warnings = [] if examined.faulty else list(range_problems(examined.scene))
            return _report(file, examined.document, errors, warnings)
        scene, document = _drawn(examined.scene, examined.document)
        start = make_start(scene, document)
        visuals_of((*start.robot.links, *start.robot.free, *start.robot.static))  # for its warning
        nearness = Nearness(start, scene)
        of_bodies = *affine_body_problems(start, scene), *soft_body_problems(start, scene)
        refused = [*of_bodies, *push_problems(start, scene)]
        errors = [*_of_the_start(start, scene), *refused, *nearness.overlaps()]
        warnings = [*_unused(document), *range_problems(scene), *_risks(start, scene), *nearness.narrow_gaps()]
        return _report(file, document, errors, warnings)
    except SceneFileError as error:
        return Report(file, error.faults)
    except IpcArticulationError as error:
        return Report(file, (Fault(str(error), file),))


def _drawn(scene: AnyScene, document: Document) -> tuple[AnyScene, Document]:
    """The scene with its random values; of many environments the first, when the values of all are valid.

    Raises:
        SceneFileError: A value is not valid, or there is something that there can be only once.
    """
    if not isinstance(scene, RobotScene) or scene.environments is None:
        return with_drawn_values(scene, document)[:2]
    refuse_single_things(scene, document)
    first = scene.environments.first
    drawn = [with_drawn_values(scene, document, first + k) for k in range(scene.environments.count)]
    return drawn[0][:2]


def _of_the_model(examined: Examined) -> Iterator[SceneProblem]:
    if isinstance(examined.scene, RobotScene) and not _OF_THE_MODEL & examined.faulty:
        yield from model_problems(examined.scene, examined.document)


def _of_the_start(start: Start, scene: Scene) -> Iterator[SceneProblem]:
    if isinstance(scene, RobotScene):
        yield from controller_problems(scene, start)
        yield from task_problems(scene, start)


def _unused(document: Document) -> Iterator[SceneProblem]:
    for name in document.unused:
        message = f"variable '{name}' is not used: nothing says ${{{name}}}"
        yield SceneProblem((VARIABLES, name), message, at_key=True)


def _risks(start: Start, scene: Scene) -> Iterator[SceneProblem]:
    yield from thickness_problems(start, scene)
    yield from softness_problems(start, scene)
    if isinstance(scene, RobotScene):
        yield from gain_problems(start, scene)
        yield from chatter_problems(start, scene)
        yield from unrestrained_problems(start, scene)
        yield from target_problems(start, scene)
    if isinstance(scene, ArticulationScene):
        yield from lightness_problems(start, scene)


def _report(file: Path, document: Document, errors: list[SceneProblem], warnings: list[SceneProblem]) -> Report:
    return Report(file, _placed(document, errors), _placed(document, warnings))


def _placed(document: Document, problems: list[SceneProblem]) -> tuple[Fault, ...]:
    """In the order of the file, each once."""
    faults = document.error(problems).faults if problems else ()
    return tuple(dict.fromkeys(replace(fault) for fault in faults))
