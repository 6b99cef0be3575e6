"""A four-bar linkage that presses a block against a wall, for the tests of robots with loops."""

from __future__ import annotations

import numpy as np
from ipc_articulation.adapters.native import NativeAdapter, Pin

from ipc_articulation import dynamics as dyn
from ipc_articulation import spatial
from ipc_articulation.coupling.adapter import CoupledBody
from ipc_articulation.dynamics.integrators import PD, Drive
from ipc_articulation.dynamics.joints import RevoluteJoint
from ipc_articulation.dynamics.loops import FourBar, gear
from ipc_articulation.dynamics.model import Box, Mechanism, Shape, Sphere
from ipc_articulation.engine.cpu import CpuEngine
from tests.coupling.worlds import cube

X, Y, Z = np.eye(3)
LENGTHS, OFFSET = (0.3, 0.35, 0.25), (0.32, 0.05)  # of crank, coupler and rocker; of the rocker's pivot [m]
HEAD, RADIUS = (0.5, 0.0, 0.0), 0.03  # of the ball on the coupler, in its frame [m]
START = (1.7, 1.6, -1.65)  # near angles of crank, rocker and coupler [rad]
DT, KP, KD = 0.01, 300.0, 30.0
PIN = Pin("pin", "coupler", "rocker", (LENGTHS[1], 0.0, 0.0), (LENGTHS[2], 0.0, 0.0), (0.0, 0.0, 1.0))
UPRIGHT = spatial.pose(spatial.rotation_about(X, np.pi / 2))  # the plane of the linkage is x-z, its hinges about -y


def linkage(rotor: bool = False, **properties) -> Mechanism:
    """Crank and rocker stand on the world, the coupler hangs on the crank; all bars lie beside each other."""
    mechanism = Mechanism("press")
    for name, length, beside, mass in zip(
        ("crank", "rocker", "coupler"), (*LENGTHS[::2], LENGTHS[1]), (0.04, 0.04, 0.0), (1.0, 0.8, 1.5), strict=True
    ):
        bar = Shape(Box((0.9 * length, 0.03, 0.03)), spatial.pose(p=(0.5 * length, 0.0, beside)))
        mechanism.add_link(name, mass, (0.5 * length, 0.0, beside), (2e-3, 0.01, 0.01)).collision = (bar,)
    mechanism.links[2].collision += (Shape(Sphere(RADIUS), spatial.pose(p=HEAD)),)
    pivot = UPRIGHT @ spatial.pose(p=(*OFFSET, 0.0))
    mechanism.add_joint("crank joint", RevoluteJoint(Z), "world", "crank", origin=UPRIGHT, **properties)
    mechanism.add_joint("rocker joint", RevoluteJoint(Z), "world", "rocker", origin=pivot)
    mechanism.add_joint(
        "coupler joint", RevoluteJoint(Z), "crank", "coupler", origin=spatial.pose(p=(LENGTHS[0], 0, 0))
    )
    if rotor:
        mechanism.add_link("flap", 0.3, (0.1, 0.0, 0.0), 1e-3).collision = (Shape(Box((0.1, 0.02, 0.02))),)
        mechanism.add_link("rotor", 0.2, inertia=1e-4)
        place = spatial.pose(p=(-0.5, 0.0, 0.0))
        mechanism.add_joint("flap joint", RevoluteJoint(Y), "world", "flap", origin=place, damping=0.3)
        mechanism.add_joint("rotor joint", RevoluteJoint(Y), "world", "rotor", origin=place)
    return mechanism


def press_model(rotor: bool = False, independent: int = 0, **properties) -> dyn.Model:
    """Of `linkage`; the rotor turns five times as fast as the flap."""
    loops = [(["crank joint", "rocker joint", "coupler joint"], FourBar(LENGTHS, OFFSET, independent))]
    if rotor:
        loops.append((["flap joint", "rotor joint"], gear(5.0)))
    return linkage(rotor, **properties).build().with_loops(loops)


def start_of(robot: dyn.Model) -> np.ndarray:
    """Near START, loops closed."""
    return robot.closed(np.r_[START, np.zeros(robot.nq - 3)])


def driven(robot: dyn.Model, target: float, kp: float = KP, kd: float = KD) -> Drive:
    """PD control of the crank alone."""
    crank = np.arange(robot.spanning_tree.nv) == robot.spanning_tree.dof_names.index("crank joint")
    return Drive(pd=PD.to(robot.spanning_tree, target * crank, kp * crank, kd * crank))


def linkage_adapter(robot: dyn.Model, pins=(PIN,), target: float = 1.7, **around) -> NativeAdapter:
    adapter = NativeAdapter(robot, DT, q=start_of(robot), pins=pins, **around)
    adapter.drive = driven(robot, target)
    return adapter


def box(name: str, size: float, centre, mass: float = 0.0) -> CoupledBody:
    return CoupledBody(name, spatial.pose(p=centre), cube(0.5 * size), mass, inertia=mass * size**2 / 6.0 * np.eye(3))


def press(robot: dyn.Model, target: float = 1.4) -> NativeAdapter:
    """The linkage, and a block on a table between its ball and a wall; nothing has friction."""
    static = [box("table", 0.2, (0.62, 0.0, 0.119)), box("wall", 0.4, (0.84, 0.0, 0.3))]
    block = box("block", 0.12, (0.565, 0.0, 0.2805), 2.0)
    return linkage_adapter(robot, target=target, free=[block], static=static, friction=0.0)


def surface_forces(engine: CpuEngine) -> dict[str, np.ndarray]:
    """Force of barriers on each body at the end of the last step, (3,) [N]."""
    contacts, names = engine.statistics.contacts, engine.contact_names
    forces = np.zeros((len(names), 3))
    for side, sign in ((0, 1.0), (1, -1.0)):
        np.add.at(forces, contacts.bodies[:, side], sign * contacts.normal_forces)
    return dict(zip(names, forces, strict=True))
