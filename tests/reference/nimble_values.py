"""Writes reference values of nimblephysics for three robots: `python tests/reference/nimble_values.py OUT.json`.

nimblephysics needs numpy < 2 and torch, so it has an environment of its own, outside the repository:

    python3.11 -m venv ../nimble-env
    ../nimble-env/bin/pip install torch==2.13.0
    ../nimble-env/bin/pip install 'numpy<2' nimblephysics==0.10.52.1
    ../nimble-env/bin/pip install --no-deps example-robot-data==6.0.0
    ../nimble-env/bin/python tests/reference/nimble_values.py tests/reference/nimble_values.json

Notation: q positions, u velocities, a = du/dt, M mass matrix, c(q, u) Coriolis, centrifugal and gravity forces,
tau control forces, d, k, q0 damping, stiffness and rest position of each degree of freedom, h the time step.
nimble's forward dynamics (`dart/dynamics/detail/GenericJoint.hpp`, `updateTotalForceDynamic`) is

    M a = tau - c - d u - k (q - q0 + h u)

and `World.step` without contact is u+ = u + h a, and q+ = q moved by the OLD velocity u over h. All three are checked
here with plain numpy for each state, to a relative error of 1e-10; the script raises where one does not hold.

Gravity and Coriolis forces are taken as c(q, 0) and c(q, u) - c(q, 0), because `getExternalForces` returns c and
`getGravityForces` returns the Coriolis forces in nimble's Python binding.
"""

import argparse
import json
import sysconfig
import xml.etree.ElementTree as ElementTree
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import nimblephysics as nimble
import numpy as np

GRAVITY = np.array([0.0, 0.0, -9.81])  # world frame [m/s^2]
TIME_STEP = 0.001  # [s]
STATES = 5
TOLERANCE = 1e-10  # of every check, relative to the largest entry

CONVENTIONS = {
    "units": "SI, radians; the world's z is up",
    "RevoluteJoint": "q: right-handed angle about the URDF axis, 0 as in the file; u = dq/dt",
    "PrismaticJoint": "q: distance along the URDF axis, 0 as in the file; u = dq/dt",
    "WeldJoint": "no degree of freedom",
    "FreeJoint": {
        "positions": "[theta, p]: R = exp(skew(theta)) maps root-link to world coordinates, p: origin of the root link "
        "in the world",
        "velocities": "[omega, v], both in ROOT-LINK coordinates: skew(omega) = R^T dR/dt, v = R^T dp/dt; NOT dq/dt",
        "accelerations": "[d omega/dt, d v/dt], the rates of those components; R (dv/dt + omega x v) = d2p/dt2",
        "forces": "[moment about the origin of the root link, force], both in root-link coordinates",
        "step": "R+ = R exp(h skew(omega)), p+ = p + h R v, with the OLD velocity and the OLD R: "
        "NOT the exponential of the twist",
    },
    "forward_dynamics": "M a = tau - c - d u - k (q - q0 + h u)",
    "step": "u+ = u + h a; q+ = q + h u with the OLD velocity (FreeJoint: see there)",
}


class Robot(NamedTuple):
    """One URDF of example-robot-data, and the seed of its random states."""

    name: str
    urdf: str  # relative to the folder `robots`
    fix_base: bool  # nimble lets a robot float unless its root link is called "world"
    seed: int


ROBOTS = (
    Robot("panda", "panda_description/urdf/panda.urdf", fix_base=True, seed=1),
    Robot("ur5", "ur_description/urdf/ur5_robot.urdf", fix_base=False, seed=2),
    Robot("go2", "go2_description/urdf/go2.urdf", fix_base=False, seed=3),
)
WITH_SPRINGS = Robot("panda", "panda_description/urdf/panda.urdf", fix_base=True, seed=4)


class Passive(NamedTuple):
    """Damping d, stiffness k and rest positions q0, each (nv,), in the units of each degree of freedom."""

    damping: np.ndarray
    stiffness: np.ndarray
    rest: np.ndarray

    def force(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """-d u - k (q - q0 + h u); nimble looks one step ahead in the spring."""
        return -self.damping * u - self.stiffness * (q - self.rest + TIME_STEP * u)


# --- loading ---------------------------------------------------------------------------------------------------------


def load(robot: Robot, folder: Path) -> tuple[Any, list[str]]:
    """A robot's skeleton, and what was changed in its URDF before loading. Inertias and joints stay as they are."""
    root = ElementTree.parse(folder / robot.urdf).getroot()
    for link in root.iter("link"):
        remove(link, "visual")
        remove(link, "collision")
    changes = ["visual and collision removed"]
    if sum(remove(joint, "mimic") for joint in root.iter("joint")):
        changes.append("mimic removed: every finger is free")
    if robot.fix_base:
        changes.append(f"link 'world' added, fixed joint from it to '{weld_to_world(root)}'")
    text = ElementTree.tostring(root, encoding="unicode")
    return nimble.utils.DartLoader().parseSkeletonString(text, ""), changes


def remove(element: ElementTree.Element, tag: str) -> int:
    """Removes the children with this tag and returns how many they were."""
    found = element.findall(tag)
    for child in found:
        element.remove(child)
    return len(found)


def weld_to_world(root: ElementTree.Element) -> str:
    """Adds a link 'world' and a fixed joint to the robot's root link, whose name is returned."""
    children = {child.get("link") for child in root.findall("joint/child")}
    (base,) = (link.get("name") for link in root.findall("link") if link.get("name") not in children)
    ElementTree.SubElement(root, "link", name="world")
    joint = ElementTree.SubElement(root, "joint", name="world_to_base", type="fixed")
    ElementTree.SubElement(joint, "parent", link="world")
    ElementTree.SubElement(joint, "child", link=base)
    return base


def set_passive(skeleton: Any, passive: Passive) -> None:
    for dof, d, k, q0 in zip(skeleton.getDofs(), *passive, strict=True):
        dof.setDampingCoefficient(d)
        dof.setSpringStiffness(k)
        dof.setRestPosition(q0)
        dof.setCoulombFriction(0.0)


def world_of(skeleton: Any) -> Any:
    world = nimble.simulation.World()
    world.addSkeleton(skeleton)
    world.setGravity(GRAVITY)
    world.setTimeStep(TIME_STEP)
    return world


# --- values ----------------------------------------------------------------------------------------------------------


def group(robot: Robot, folder: Path, springs: bool) -> dict[str, Any]:
    """All values of one robot, with random springs and dampers or with none."""
    rng = np.random.default_rng(robot.seed)
    skeleton, changes = load(robot, folder)
    world = world_of(skeleton)
    damping_in_file = [dof.getDampingCoefficient() for dof in skeleton.getDofs()]
    passive = random_passive(skeleton, rng) if springs else no_passive(skeleton)
    set_passive(skeleton, passive)
    return {
        "robot": robot.name,
        "urdf": robot.urdf,
        "changes": changes,
        "mass": skeleton.getMass(),
        "dofs": [dof.getName() for dof in skeleton.getDofs()],
        "joints": [joint_row(skeleton.getJoint(i)) for i in range(skeleton.getNumJoints())],
        "damping_in_file": damping_in_file,
        **{key: value.tolist() for key, value in passive._asdict().items()},
        "states": [state(world, skeleton, passive, rng) for _ in range(STATES)],
    }


def joint_row(joint: Any) -> dict[str, Any]:
    parent = joint.getParentBodyNode()
    return {
        "name": joint.getName(),
        "type": joint.getType(),
        "parent": parent.getName() if parent else "world",
        "child": joint.getChildBodyNode().getName(),
        "dofs": [joint.getDofName(i) for i in range(joint.getNumDofs())],
    }


def no_passive(skeleton: Any) -> Passive:
    rest = np.array([dof.getRestPosition() for dof in skeleton.getDofs()])
    return Passive(np.zeros(rest.size), np.zeros(rest.size), rest)


def random_passive(skeleton: Any, rng: np.random.Generator) -> Passive:
    nv = skeleton.getNumDofs()
    return Passive(rng.uniform(0.1, 1.0, nv), rng.uniform(1.0, 20.0, nv), random_positions(skeleton, rng))


def random_positions(skeleton: Any, rng: np.random.Generator) -> np.ndarray:
    """Uniform between the limits; where there is none, which is a free root, between -1 and 1."""
    lower, upper = skeleton.getPositionLowerLimits(), skeleton.getPositionUpperLimits()
    return rng.uniform(np.where(np.isfinite(lower), lower, -1.0), np.where(np.isfinite(upper), upper, 1.0))


def state(world: Any, skeleton: Any, passive: Passive, rng: np.random.Generator) -> dict[str, list]:
    """All values at one random state, checked."""
    q = random_positions(skeleton, rng)
    u = rng.uniform(-1.0, 1.0, q.size)
    tau = rng.uniform(-5.0, 5.0, q.size)
    values = {"q": q, "u": u, "tau": tau, **dynamics(world, skeleton, q, u, tau)}
    check(values, passive, free_root=skeleton.getJoint(0).getType() == "FreeJoint")
    return {key: value.tolist() for key, value in values.items()}


def dynamics(world: Any, skeleton: Any, q: np.ndarray, u: np.ndarray, tau: np.ndarray) -> dict[str, np.ndarray]:
    """What nimble says of a state, and the state one step later."""
    gravity = bias_force(skeleton, q, np.zeros(q.size))
    c = bias_force(skeleton, q, u)
    skeleton.setControlForces(tau)
    skeleton.computeForwardDynamics()
    values = {
        "mass_matrix": skeleton.getMassMatrix(),  # (nv, nv)
        "coriolis_and_gravity": c,
        "gravity": gravity,
        "coriolis": c - gravity,
        "acceleration": skeleton.getAccelerations(),
    }
    world.step()
    return {**values, "q_next": skeleton.getPositions(), "u_next": skeleton.getVelocities()}


def bias_force(skeleton: Any, q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """c(q, u); leaves the skeleton at that state."""
    skeleton.setPositions(q)
    skeleton.setVelocities(u)
    return skeleton.getCoriolisAndGravityForces()


# --- checks ----------------------------------------------------------------------------------------------------------


def check(values: dict[str, np.ndarray], passive: Passive, free_root: bool) -> None:
    """The three laws of this file's docstring."""
    q, u, a, q_next = (values[key] for key in ("q", "u", "acceleration", "q_next"))
    force = values["tau"] - values["coriolis_and_gravity"] + passive.force(q, u)
    expect("M a = tau - c - d u - k (q - q0 + h u)", a, np.linalg.solve(values["mass_matrix"], force))
    expect("u+ = u + h a", values["u_next"], u + TIME_STEP * a)
    first = 6 if free_root else 0
    expect("q+ = q + h u", q_next[first:], (q + TIME_STEP * u)[first:])
    if free_root:
        expect("H(q+) = H(q) H(h u)", transform(q_next[:6]), transform(q[:6]) @ transform(TIME_STEP * u[:6]))


def expect(law: str, found: np.ndarray, expected: np.ndarray) -> None:
    """Raises where a law does not hold to the tolerance."""
    error = np.abs(found - expected).max() / np.abs(expected).max()
    if not error < TOLERANCE:
        raise ArithmeticError(f"'{law}' has a relative error of {error:.1e}, allowed are {TOLERANCE:.0e}")


def transform(positions: np.ndarray) -> np.ndarray:
    """H = [exp(skew(theta)), p; 0, 1] of a FreeJoint's [theta, p] (`FreeJoint::convertToTransform`)."""
    H = np.eye(4)
    H[:3, :3] = rotation(positions[:3])
    H[:3, 3] = positions[3:]
    return H


def rotation(theta: np.ndarray) -> np.ndarray:
    """exp(skew(theta)) = 1 + sin(t) K + (1 - cos(t)) K^2, t = |theta| > 0, K = skew(theta) / t (Rodrigues)."""
    t = np.linalg.norm(theta)
    x, y, z = theta / t
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(t) * K + (1 - np.cos(t)) * K @ K


# --- output ----------------------------------------------------------------------------------------------------------


def robots_folder() -> Path:
    """Where pip put the robots of example-robot-data in this environment."""
    return Path(sysconfig.get_path("purelib"), "cmeel.prefix", "share", "example-robot-data", "robots")


def document(folder: Path) -> dict[str, Any]:
    return {
        "made_by": {name: version(name) for name in ("nimblephysics", "numpy", "example-robot-data")},
        "conventions": CONVENTIONS,
        "gravity": GRAVITY.tolist(),
        "time_step": TIME_STEP,
        "without_springs": [group(robot, folder, springs=False) for robot in ROBOTS],
        "with_springs": [group(WITH_SPRINGS, folder, springs=True)],
    }


def layout(value: Any, indent: str = "\n") -> str:
    """JSON with one line for each list of numbers or words. A float is written as its repr, so none loses a digit."""
    deeper = indent + " "
    if isinstance(value, dict):
        return "{" + ",".join(f"{deeper}{json.dumps(k)}: {layout(v, deeper)}" for k, v in value.items()) + indent + "}"
    if isinstance(value, list) and value and isinstance(value[0], dict | list):
        return "[" + ",".join(deeper + layout(item, deeper) for item in value) + indent + "]"
    return json.dumps(value)


def main() -> None:
    if int(version("numpy").split(".")[0]) >= 2:
        raise SystemExit("nimblephysics crashes with numpy >= 2: make the environment this file's docstring describes")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="the JSON file to write")
    out = parser.parse_args().out
    out.write_text(layout(document(robots_folder())) + "\n")
    print(f"{out}: all laws hold to {TOLERANCE:.0e}")


if __name__ == "__main__":
    main()
