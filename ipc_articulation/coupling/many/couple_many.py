"""`couple_many`: puts many copies of a robot and its surroundings into one libuipc scene."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import uipc

from ipc_articulation.arguments import checked, shown
from ipc_articulation.coupling.adapter import Adapter, CoupledRobot, HalfPlane
from ipc_articulation.coupling.answers import Answers
from ipc_articulation.coupling.bodies import heaviest_body
from ipc_articulation.coupling.couple import FREE_KAPPA, WANTED, described
from ipc_articulation.coupling.coupling import Coupling
from ipc_articulation.coupling.many.apart import made_apart
from ipc_articulation.coupling.many.environments import Environments
from ipc_articulation.coupling.placing import JointsAs, Options, put_into
from ipc_articulation.coupling.registry import moved_state, refuse_shared_state
from ipc_articulation.coupling.restraints import Restraining
from ipc_articulation.coupling.robot_group import RobotGroup
from ipc_articulation.coupling.settings import Settings, suit_robots
from ipc_articulation.coupling.stiffness import STIFFNESS_RATIO
from ipc_articulation.errors import AdapterError
from ipc_articulation.recording.environments import environment_label
from ipc_articulation.repairs import summed


@summed()
@checked(AdapterError, (), **WANTED)
def couple_many(
    scene: uipc.Scene,
    adapters: Sequence[Adapter],
    *,
    stiffness_ratio: float = STIFFNESS_RATIO,
    free_kappa: float = FREE_KAPPA,
    complete: Callable[[CoupledRobot, int], CoupledRobot] | None = None,
    restraints: Restraining = "step",
    joints: JointsAs = "own",
    settings: Settings = "robots",
) -> Environments:
    """Put N robots of one kind into a scene, each with its bodies in an environment of its own.

    Bodies of different environments never touch, so all may be in the same place; what the scene had before, and
    half-planes that all robots have, belongs to all. Which states the others are in makes no difference to an
    environment, not even of a bit, but for what docs/limits.md lists. libuipc's own check of the start
    (`sanity_check`) is switched off: its time grows with the square of N; the CPU engine has a check of its own.

    Args:
        scene: An ordinary libuipc scene, as for `couple`.
        adapters: One for each environment, with states of their own; their models have the same joints and bodies, but
            may differ in masses, friction and the like.
        stiffness_ratio: As for `couple`.
        free_kappa: As for `couple`.
        complete: As for `couple`; its second argument is the number of the environment, from 0.
        restraints: As for `couple`.
        joints: As for `couple`.
        settings: As for `couple`.

    Returns:
        The environments. Keep them: the scene alone does not keep them alive.

    Raises:
        AdapterError: There is no adapter, or joints or bodies of two of them have other names; and as for `couple`.
        MeshError, UnsupportedError: As for `couple`.
    """
    answers = _answers(scene, adapters)
    if settings == "robots":
        suit_robots(scene)
    uipc.view(scene.config().find("sanity_check/enable"))[:] = 0
    robots = [described(one, complete, k) for k, one in enumerate(answers)]
    masses = [one.predict().mass for one in answers]
    _require_equal_names(robots)
    loads = [heaviest_body(scene, robot) for robot in robots]
    options = Options(stiffness_ratio, free_kappa, restraints, joints)
    group, couplings = RobotGroup(scene, environment_label), list[Coupling]()
    shared: tuple[tuple[HalfPlane, Any], ...] = ()
    for k, (robot, elements) in enumerate(made_apart(scene, robots)):
        couplings.append(put_into(group, answers[k], robot, masses[k], loads[k], elements, options, shared))
        if k == 0:
            shared = tuple(plane for plane in couplings[0].placed.planes if not plane[0].environment)
    return Environments(group, couplings)


def _answers(scene: uipc.Scene, adapters: Sequence[Adapter]) -> list[Answers]:
    """The adapters' sides, checked."""
    if not isinstance(adapters, Sequence) or not adapters:
        raise AdapterError(f"couple_many: adapters is {shown(adapters)}, must be a list of at least one adapter")
    answers = []
    for k, adapter in enumerate(adapters):
        moved = [moved_state(other) for other in adapters[:k]]
        if any(state is moved_state(adapter) for state in moved):
            raise AdapterError(
                f"couple_many: adapters[{k}] moves the same state as an earlier one; give each environment a state of "
                "its own"
            )
        refuse_shared_state(scene, adapter)
        answers.append(Answers(adapter, scene))
    return answers


def _require_equal_names(robots: Sequence[CoupledRobot]) -> None:
    """Refuse robots whose joints, links, free bodies or tendons are not those of the first."""
    for k, robot in enumerate(robots):
        for kind in ("joints", "links", "free", "tied_joints", "rows"):
            first, own = ([getattr(part, "name", part) for part in getattr(one, kind)] for one in (robots[0], robot))
            if first != own:
                raise AdapterError(
                    f"couple_many: environment {k} has the {kind} {own}, environment 0 {first}; all must have the same"
                )
