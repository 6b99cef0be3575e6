"""A described robot is put into a scene: its bodies, joints and articulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import CoupledRobot, HalfPlane
from ipc_articulation.coupling.answers import Answers
from ipc_articulation.coupling.bodies import Elements, joined_masses, place_bodies
from ipc_articulation.coupling.coupling import Coupling
from ipc_articulation.coupling.joints import place_articulation, place_joints
from ipc_articulation.coupling.lowering.placed import place_chains
from ipc_articulation.coupling.placed_robot import PlacedRobot
from ipc_articulation.coupling.registry import register
from ipc_articulation.coupling.restraints import Holding, Restraining
from ipc_articulation.coupling.robot_group import RobotGroup
from ipc_articulation.coupling.stiffness import choose_stiffness

JointsAs = Literal["own", "chains"]


@dataclass(frozen=True)
class Options:
    """How a robot is put into a scene; see `couple`."""

    stiffness_ratio: float
    free_kappa: float  # [Pa]
    restraints: Restraining
    joints: JointsAs


def put_into(
    group: RobotGroup,
    answers: Answers,
    robot: CoupledRobot,
    mass: Array,
    heaviest: float,
    elements: Elements,
    options: Options,
    shared_planes: tuple[tuple[HalfPlane, Any], ...] = (),
) -> Coupling:
    """Put a robot into the scene of a group, with the animator's callback.

    Args:
        group: The robots that step together with it.
        answers: The multibody engine's side.
        robot: Its description, completed.
        mass: M̂ of the first prediction, (m, m).
        heaviest: Mass of the heaviest body that the robot may bear [kg].
        elements: Contact elements and subscenes, each by name of body or half-plane.
        options: How it is put there.
        shared_planes: Half-planes that it may touch, which another robot has placed, with their geometry slots.

    Raises:
        ArticulationError: A joint's kind is unknown; names the joint.
    """
    scene, label = group.scene, group.label
    stiffness = choose_stiffness(robot, mass, answers.dt(), options.stiffness_ratio, heaviest)
    bodies = place_bodies(scene, robot, elements, stiffness.link_kappa, options.free_kappa, label)
    chains = place_chains(scene, robot, bodies, elements, stiffness) if options.joints == "chains" else None
    if chains is None:
        strengths = [stiffness.joint_strength(masses) for masses in joined_masses(robot)]
        places, articulated = place_joints(scene, robot.all_joints, bodies, strengths), robot.articulated_joints
    else:
        places, articulated = chains.places, chains.articulated
    rows = len(robot.rows) if chains is None else 0  # the coordinates of chains are others
    carrier, articulation = place_articulation(scene, articulated, places, options.restraints != "engine", rows)
    holding = Holding.of(stiffness, robot, options.restraints, with_rows=rows > 0)
    placed = PlacedRobot(robot, bodies, carrier, articulation, chains, answers.robot.free, shared_planes, label)
    coupling = Coupling(group, answers, placed, stiffness.tie_strengths(robot), holding)
    register(coupling)
    return coupling
