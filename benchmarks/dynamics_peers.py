"""The same robots in other engines: each gives its name and, by algorithm, a function that does the work for one state.

The state is random but fixed. Where an engine keeps results until the state changes, setting the state is part of the
work.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import metadata
from itertools import cycle
from pathlib import Path

import numpy as np

Work = dict[str, Callable[[], object]]
Peer = Callable[[Path, bool], tuple[str, Work]]


def pinocchio_work(urdf: Path, floating: bool) -> tuple[str, Work]:
    import pinocchio as pin

    free = [pin.JointModelFreeFlyer()] if floating else []
    model = pin.buildModelFromUrdf(str(urdf), *free)
    data, rng = model.createData(), np.random.default_rng(0)
    q = pin.integrate(model, pin.neutral(model), rng.normal(size=model.nv))
    v, a = rng.normal(size=(2, model.nv))
    return f"pinocchio {pin.__version__}", {
        "crba": lambda: pin.crba(model, data, q),
        "bias": lambda: pin.nonLinearEffects(model, data, q, v),
        "aba": lambda: pin.aba(model, data, q, v, a),
        "rnea": lambda: pin.rnea(model, data, q, v, a),
    }


def mujoco_work(urdf: Path, floating: bool) -> tuple[str, Work]:
    """MuJoCo's stages up to the same results, contact and other constraints off; several Python calls each."""
    import mujoco

    spec = mujoco.MjSpec.from_string(without_shapes(urdf))
    if floating:
        spec.worldbody.first_body().add_freejoint()
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model = spec.compile()
    data, rng = mujoco.MjData(model), np.random.default_rng(0)
    data.qvel, data.qacc = rng.normal(size=(2, model.nv))
    mujoco.mj_integratePos(model, data.qpos, rng.normal(size=model.nv), 1.0)
    M, tau = np.zeros((model.nv, model.nv)), np.zeros(model.nv)

    def crba() -> None:
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_makeM(model, data)
        mujoco.mj_fullM(model, data, M)

    def newton_euler(with_acceleration: int) -> None:
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        mujoco.mj_rne(model, data, with_acceleration, tau)

    return f"mujoco {mujoco.__version__}", {
        "crba": crba,
        "bias": lambda: newton_euler(0),
        "aba": lambda: mujoco.mj_forward(model, data),
        "rnea": lambda: newton_euler(1),
    }


def drake_work(urdf: Path, floating: bool) -> tuple[str, Work]:
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import MultibodyForces

    plant = MultibodyPlant(0.0)
    robot = Parser(plant).AddModelsFromString(without_shapes(urdf), "urdf")[0]
    if not floating:
        root = plant.get_body(plant.GetBodyIndices(robot)[0])
        plant.WeldFrames(plant.world_frame(), root.body_frame())
    plant.Finalize()
    context, rng = plant.CreateDefaultContext(), np.random.default_rng(0)
    q, (v, a) = plant.GetPositions(context), rng.normal(size=(2, plant.num_velocities()))
    forces = MultibodyForces(plant)

    def at_state(work: Callable[[], object]) -> Callable[[], object]:
        def run() -> object:
            plant.SetPositionsAndVelocities(context, np.concatenate([q, v]))
            return work()

        return run

    return f"drake {metadata.version('drake')}", {
        "crba": at_state(lambda: plant.CalcMassMatrix(context)),
        "bias": at_state(lambda: plant.CalcBiasTerm(context) - plant.CalcGravityGeneralizedForces(context)),
        "rnea": at_state(lambda: plant.CalcInverseDynamics(context, a, forces)),
    }


def dart_work(urdf: Path, floating: bool) -> tuple[str, Work]:
    import tempfile

    import dartpy

    with tempfile.NamedTemporaryFile("w", suffix=".urdf") as file:
        file.write(without_shapes(urdf, fixed_to_world=not floating))
        file.flush()
        skeleton = dartpy.utils.DartLoader().parseSkeleton(file.name)
    rng, n = np.random.default_rng(0), skeleton.getNumDofs()
    v, a = rng.normal(size=(2, n))
    positions = cycle(rng.normal(size=(2, n)))  # a position set twice would change nothing

    def at_state(work: Callable[[], object]) -> Callable[[], object]:
        def run() -> object:
            skeleton.setPositions(next(positions))
            skeleton.setVelocities(v)
            return work()

        return run

    def aba() -> None:
        skeleton.setForces(a)
        skeleton.computeForwardDynamics()

    def rnea() -> None:
        skeleton.setAccelerations(a)
        skeleton.computeInverseDynamics()

    return f"dart {metadata.version('dartpy')}", {
        "crba": at_state(skeleton.getMassMatrix),
        "bias": at_state(skeleton.getCoriolisAndGravityForces),
        "aba": at_state(aba),
        "rnea": at_state(rnea),
    }


def without_shapes(urdf: Path, fixed_to_world: bool = False) -> str:
    """A URDF without meshes, mimic joints and what else only some engines read."""
    from lxml import etree

    robot = etree.parse(str(urdf)).getroot()
    etree.strip_elements(robot, "visual", "collision", "mimic", "transmission", "gazebo", "mujoco", etree.Comment)
    if fixed_to_world:
        children = {joint.find("child").get("link") for joint in robot.iter("joint")}
        root = next(link.get("name") for link in robot.iter("link") if link.get("name") not in children)
        etree.SubElement(robot, "link", name="world")
        joint = etree.SubElement(robot, "joint", name="to_world", type="fixed")
        etree.SubElement(joint, "parent", link="world")
        etree.SubElement(joint, "child", link=root)
    return etree.tostring(robot, encoding="unicode")


PEERS: dict[str, Peer] = {
    "pinocchio": pinocchio_work,
    "mujoco": mujoco_work,
    "drake": drake_work,
    "dart": dart_work,
}
