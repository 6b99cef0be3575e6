"""Robots put into new states: the scene's bodies and the multibody engines at once, or nothing at all.

The bodies go to their new poses in no time, and velocities are those that are given, not differences of poses: the past
that BDF2 remembers is discarded, and sleeping bodies wake.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import uipc

from ipc_articulation import affine
from ipc_articulation.arrays import Array, Ints
from ipc_articulation.coupling.attachments import carried_by, release
from ipc_articulation.coupling.distance import scene_distance
from ipc_articulation.coupling.failures import require_valid
from ipc_articulation.coupling.registry import couplings_of
from ipc_articulation.coupling.robot_states import Moves, Plan, RobotState, RobotStates
from ipc_articulation.errors import EngineError
from ipc_articulation.frontend.bodies import BodyTable
from ipc_articulation.frontend.worlds import is_on_cpu, state_accessor_of
from ipc_articulation.signals import interrupts_deferred


@interrupts_deferred
def put(world: uipc.World, wanted: Mapping[Any, RobotState | None], action: str) -> None:
    """Put the robots of couplings of one scene into new states; parts that are attached to their links go with them.

    Args:
        world: The world.
        wanted: By coupling its new state; None: that at the moment of coupling, with all parts detached.
        action: Beginning of messages.

    Raises:
        IpcArticulationError: As for `coupling.set_state` and `coupling.reset`. Nothing has changed then.
    """
    require_valid(world, action)
    with next(iter(wanted)).turn.changing(action):
        _put(world, wanted, action)


def _put(world: uipc.World, wanted: Mapping[Any, RobotState | None], action: str) -> None:
    for coupling in wanted:
        coupling.require_world(world)
        coupling.require_committed()
    scene = next(iter(wanted)).scene
    asker = f"{action} after step {world.frame()}"
    plans = {
        coupling: coupling.states.plan_start(asker) if state is None else coupling.states.plan(state, asker)
        for coupling, state in wanted.items()
    }
    released = {key for coupling, plan in plans.items() if plan.kept is not None for key in plan.moves}
    moves: Moves = {key: motion for plan in plans.values() for key, motion in plan.moves.items()}
    couplings = couplings_of(scene)
    for coupling in couplings:
        coupling.refresh()
    links = frozenset[int]().union(*(coupling.link_ids for coupling in couplings))
    carried = carried_by(scene, moves, links, released, asker)
    for other in couplings:  # whose free bodies are carried by these robots
        if other not in plans and any(map(other.states.owns, carried)):
            plans[other] = other.states.plan(RobotState(), asker)
    _teleport(world, scene, [(coupling.states, plan) for coupling, plan in plans.items()], moves | carried, asker)
    release(scene, released)
    for coupling in wanted:
        coupling.begin_anew()


def _teleport(
    world: uipc.World, scene: uipc.Scene, plans: Sequence[tuple[RobotStates, Plan]], moves: Moves, asker: str
) -> None:
    """Move bodies, and set the states of multibody engines.

    Args:
        world: The scene's world.
        scene: The scene.
        plans: Each robot's side, and the plan for it.
        moves: All bodies that are moved.
        asker: Beginning of messages.

    Raises:
        EngineError: The engine has no access to the state of bodies, or the world is not initialised.
        SceneError: Surfaces that may touch would intersect, or one would be inside another; names both bodies. Nothing
            has changed then.
    """
    accessor = state_accessor_of(world)
    if accessor is None:
        raise EngineError(
            f"{asker}: the engine gives no access to the state of bodies; initialise the world, and use Engine('cpu') "
            "or Engine('cuda')"
        )
    contact = scene_distance(scene)
    rows = np.array(sorted(contact.bodies.rows[geo_id, 0] for geo_id in moves), dtype=np.int64)
    motions = [moves[contact.bodies.slots[contact.bodies.geometry[row]].id()] for row in rows]
    q, qdot = (affine.q_from_transform(np.reshape([m[k] for m in motions], (-1, 4, 4))) for k in (0, 1))
    contact.refuse_overlaps(rows, q, f"in the state that was asked for ({asker})")
    _write(accessor, is_on_cpu(world), contact.bodies, rows, q, qdot)
    for states, plan in plans:
        states.apply(plan, moves)
    world.retrieve()


def _write(accessor: Any, is_ours: bool, bodies: BodyTable, rows: Ints, q: Array, qdot: Array) -> None:
    """Write the state of some bodies at once."""
    if is_ours:  # a body may have another row there, where bodies came or went since the last step
        own = [accessor.rows[bodies.slots[bodies.geometry[row]].id(), int(bodies.instance[row])] for row in rows]
        order = np.argsort(own)
        accessor.write(np.array(own, dtype=np.int64)[order], q[order], qdot[order], begins_anew=True)
        return
    state = accessor.create_geometry()
    for name, rest in (("transform", np.eye(4)), ("velocity", np.zeros((4, 4)))):
        state.instances().create(name, rest)
    accessor.copy_to(state)
    uipc.view(state.instances().find("transform"))[rows] = affine.transform_from_q(q)
    uipc.view(state.instances().find("velocity"))[rows] = affine.transform_rate_from_qdot(qdot)
    accessor.copy_from(state)
