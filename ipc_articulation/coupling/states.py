"""States of several robots of one scene at once: `reset`, `set_state`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import uipc

from ipc_articulation.arguments import shown
from ipc_articulation.coupling.coupling import Coupling
from ipc_articulation.coupling.failures import require_couplings
from ipc_articulation.coupling.robot_states import RobotState
from ipc_articulation.coupling.teleport import put
from ipc_articulation.errors import EngineError


def reset(world: uipc.World, couplings: Sequence[Coupling]) -> None:
    """Put robots of a scene and their free bodies back into their states at the moment of coupling, all at once.

    Other robots stay as they are; `coupling.reset` has the details.

    Args:
        world: The world, initialised with the scene.
        couplings: Some or all couplings of the scene.

    Raises:
        EngineError: There is no coupling, one comes twice, or something is none.
        AdapterError, EngineError, SceneError: As for `Coupling.reset`. After all errors, nothing has changed.
    """
    require_couplings(couplings, Coupling, "reset")
    put(world, dict.fromkeys(couplings), "reset")


def set_state(world: uipc.World, states: Mapping[Coupling, RobotState]) -> None:
    """Put robots of a scene into new states, all at once: intersections count between their new poses only.

    Args:
        world: The world, initialised with the scene.
        states: New states by coupling; robots without one stay as they are.

    Raises:
        EngineError: There is no state, or something is no coupling or no `RobotState`.
        AdapterError, EngineError, SceneError, StateError: As for `Coupling.set_state`. After all errors, nothing has
            changed.
    """
    if not isinstance(states, Mapping):
        raise EngineError(f"set_state: states is {shown(states)}, must be {{coupling: RobotState(...)}}")
    require_couplings(list(states), Coupling, "set_state")
    for coupling, state in states.items():
        if not isinstance(state, RobotState):
            names = ", ".join(coupling.joint_names) or "(none)"
            raise EngineError(f"set_state: the state of joints {names} is {shown(state)}, must be a RobotState")
    put(world, states, "set_state")
