"""`couple`: puts a multibody engine's model into an ordinary libuipc scene."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import uipc

from ipc_articulation.arguments import FUNCTION, POSITIVE, Wanted, checked, instance, one_of, optional, shown
from ipc_articulation.coupling.adapter import Adapter, CoupledRobot
from ipc_articulation.coupling.answers import Answers
from ipc_articulation.coupling.bodies import heaviest_body
from ipc_articulation.coupling.contact_elements import make_contact_elements, make_environments
from ipc_articulation.coupling.coupling import Coupling
from ipc_articulation.coupling.placing import JointsAs, Options, put_into
from ipc_articulation.coupling.registry import refuse_shared_state
from ipc_articulation.coupling.restraints import Restraining
from ipc_articulation.coupling.robot_group import RobotGroup
from ipc_articulation.coupling.settings import Settings, suit_robots
from ipc_articulation.coupling.stiffness import STIFFNESS_RATIO
from ipc_articulation.errors import AdapterError
from ipc_articulation.repairs import summed

FREE_KAPPA = 1e8  # [Pa]
LARGEST_RATIO = 1e12  # above it, M̂ is lost in the rounding of the stiffness: joints do not move

RATIO = Wanted(f"a positive number, at most {LARGEST_RATIO:g}", lambda x: POSITIVE.accepts(x) and x <= LARGEST_RATIO)


WANTED: dict[str, Wanted] = {  # of the arguments of `couple` and `couple_many`
    "scene": instance(uipc.Scene),
    "stiffness_ratio": RATIO,
    "free_kappa": POSITIVE,
    "complete": optional(FUNCTION),
    "restraints": one_of(*get_args(Restraining)),
    "joints": one_of(*get_args(JointsAs)),
    "settings": one_of(*get_args(Settings)),
}


@summed()
@checked(AdapterError, (), **WANTED)
def couple(
    scene: uipc.Scene,
    adapter: Adapter,
    *,
    stiffness_ratio: float = STIFFNESS_RATIO,
    free_kappa: float = FREE_KAPPA,
    complete: Callable[[CoupledRobot], CoupledRobot] | None = None,
    restraints: Restraining = "step",
    joints: JointsAs = "own",
    settings: Settings = "robots",
) -> Coupling:
    """Put a model's links, joints, free and static bodies into a scene, and the callback that predicts each step.

    Call it before `world.init`. All other content of the scene does not change; its contact with the model's bodies
    follows the scene's default contact model. Of the scene's own settings some change unless they are to stay,
    see `settings`.

    Args:
        scene: An ordinary libuipc scene, whose dt and gravity are those of the model; with MuJoCo its dt may be a whole
            multiple of the model's.
        adapter: The multibody engine's side, e.g. `MujocoAdapter(model, data)`.
        stiffness_ratio: How many times larger a contact moves the joints than it strains links and joints (see
            `stiffness`). They also bear the heaviest free body of the model and of what the scene has already; give
            more for heavier ones that come later, and couple heavier robots first.
        free_kappa: Stiffness of free bodies [Pa].
        complete: Adds data that the multibody engine does not have to the adapter's description: further bodies and
            half-planes, stiffness and resistance, environments, contact rules. The numbers of links and joints must not
            change; further free bodies come after the adapter's own, and the adapter does not get their motion.
        restraints: Where limits and dry friction of joints and tendons, and exact equalities act. «step»: contact
            cannot push a joint past where the multibody engine's own step has it (see `restraints`; on libuipc's own
            engines this is so for equalities alone). «exact»: so, and limits and dry friction are exact where the
            engine's own are soft (MuJoCo's). «engine»: only in the engine's own step; contact acts against M̂ alone,
            which has soft equalities (MuJoCo's) in it. Where joints are lowered to chains, limits of ball joints, and
            limits and dry friction of tendons, always act like that.
        joints: «own»: every kind as itself; libuipc's own engines move revolute and prismatic joints only. «chains»:
            ball and free joints become chains of those with ghost bodies, which every engine moves (see `lowering`).
        settings: «robots»: `newton/semi_implicit` of the scene is switched off, so that steps converge; and if its
            default contact model has libuipc's own resistance, 1e9 Pa, each pair chooses its own by what it carries
            (`BY_LOAD`, see `contact.resistance`); friction holds on the CPU engine (see `contact.anchors`); on "cuda"
            libuipc's own tolerances become smaller (see `robot_tolerances`). «scene»: all stay as they are.

    Returns:
        The coupling, which steps the world and has the results. Keep it: the scene alone does not keep it alive.

    Raises:
        AdapterError: An argument is unknown or of another type, dt or gravity differ, the model cannot be coupled, its
            state is that of another coupling of the scene, or a result of the adapter is not as `Adapter` requires; the
            message names the method.
        MeshError: Repairs are refused, and a mesh is open or has no volume.
        UnsupportedError: The model contains something that cannot be coupled.
    """
    answers = Answers(adapter, scene)
    refuse_shared_state(scene, adapter)
    if settings == "robots":
        suit_robots(scene)
    robot, mass = described(answers, complete), answers.predict().mass
    elements = make_contact_elements(scene, robot), make_environments(scene, robot)
    options = Options(stiffness_ratio, free_kappa, restraints, joints)
    return put_into(RobotGroup(scene), answers, robot, mass, heaviest_body(scene, robot), elements, options)


def described(answers: Answers, complete: Callable[..., CoupledRobot] | None, *number: int) -> CoupledRobot:
    """A robot's description, completed."""
    robot: Any = answers.describe() if complete is None else complete(answers.describe(), *number)
    if not isinstance(robot, CoupledRobot):
        raise AdapterError(f"couple: complete gave {shown(robot)}, must return the CoupledRobot that it was given")
    return robot
