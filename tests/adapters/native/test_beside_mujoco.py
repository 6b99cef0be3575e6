"""The same scene with our own dynamics and with MuJoCo: the same description, the same steps, the same motion."""

from pathlib import Path

import numpy as np
import pytest

from ipc_articulation import couple, spatial
from ipc_articulation.coupling import Coupling
from ipc_articulation.coupling.adapter import CoupledRobot
from ipc_articulation.coupling.robots import Actuator, RobotSetup
from ipc_articulation.dynamics.joints import FloatingJoint
from ipc_articulation.errors import SceneFileError
from ipc_articulation.packages import find_file, package_folders
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.simulation.building import build
from tests.adapters.mujoco.test_floating import MODELS as FLOATING
from tests.adapters.native.floating import turned
from tests.adapters.native.mechanisms import Y
from tests.coupling.worlds import make_scene, make_world

mujoco_model = pytest.importorskip("ipc_articulation.adapters.mujoco.scene_model")
native_model = pytest.importorskip("ipc_articulation.adapters.native.scene_model")

SCENES = Path(__file__).parents[3] / "scenes"
ADAPTERS = "native", "mujoco"
JOINTED = "legs on hinges", "arm of balls", "balls on a floating base"
PANDA = "package://example-robot-data/robots/panda_description/urdf/panda.urdf"
START = np.array([0.0, 0.3, 0.0, -1.5, 0.0, 1.8, 0.5, 0.02, 0.02])
SWING = np.array([0.4, 0.2, -0.3, 0.3, 0.4, -0.3, 0.5, 0.015, 0.015])


def panda(folder: Path, integrator: str, dt: float, kp: float = 400.0, max_force: float = np.inf) -> dict:
    """The Panda with position actuators, by adapter, without mimic, which MuJoCo holds softly and we exactly."""
    try:
        text = find_file(PANDA, folder).read_text()
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    (folder / "panda.urdf").write_text(text.replace('<mimic joint="panda_finger_joint1"/>', ""))
    models = {}
    for name, module in (("native", native_model), ("mujoco", mujoco_model)):
        model = module.SceneModel(folder / "panda.urdf", package_folders())
        setup = RobotSetup(
            dt,
            np.array([0.0, 0.0, -9.81]),
            integrator,
            armature=dict.fromkeys(model.joint_names, 0.1),
            actuators=tuple(Actuator(joint, kp, 20.0, max_force) for joint in model.joint_names),
            start=dict(zip(model.joint_names, START, strict=True)),
        )
        models[name] = model.build(setup)
    return models


def coupled(driven, folder: Path) -> tuple[Coupling, object]:
    scene = make_scene(driven.adapter.dt, driven.adapter.gravity)
    coupling = couple(scene, driven.adapter)
    return coupling, make_world(scene, folder)


@pytest.mark.slow
@pytest.mark.parametrize("dt", [0.002, 0.01])
@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
def test_panda_without_contact_moves_as_with_mujoco(integrator: str, dt: float, tmp_path: Path) -> None:
    motions = []
    for name, driven in panda(tmp_path, integrator, dt).items():
        coupling, world = coupled(driven, tmp_path / name)
        motion = []
        for k in range(round(1.0 / dt)):
            driven.command(START + SWING * np.sin(np.pi * k * dt) ** 2)
            coupling.step(world)
            motion.append([coupling.theta, coupling.theta_dot])
        motions.append(np.array(motion))
    assert np.abs(motions[0] - motions[0][0]).max() > 0.5
    np.testing.assert_allclose(motions[0][:, 0], motions[1][:, 0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(motions[0][:, 1], motions[1][:, 1], rtol=0, atol=1e-8)


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
@pytest.mark.parametrize("max_force", [np.inf, 8.0])
def test_every_step_is_mujocos_also_with_motors_at_their_limit(
    integrator: str, max_force: float, tmp_path: Path
) -> None:
    """MuJoCo, too, leaves out the gains of a motor that is at the limit of the actuator or of the joint."""
    models = panda(tmp_path, integrator, 0.01, max_force=max_force)
    native, mujoco = models["native"], models["mujoco"]
    rng, limited, moving = np.random.default_rng(3), 0, np.repeat([1.0, 0.0], [7, 2])  # the fingers rest mid-way
    for _ in range(20):
        q, v = START + moving * rng.uniform(-0.01, 0.01, 9), 0.3 * moving * rng.normal(size=9)
        targets = q + moving * rng.uniform(-0.05, 0.05, 9)
        native.adapter.q, native.adapter.v = q, v
        mujoco.data.qpos[:], mujoco.data.qvel[:] = q, v
        for driven in (native, mujoco):
            driven.command(targets)
        ours, theirs = native.adapter.predict(), mujoco.adapter.predict()
        force = native.adapter.drive.pd.forces(native.adapter.model, q, v)
        limited += int((np.abs(force) > native.adapter.model.coordinates.effort).sum())
        np.testing.assert_allclose(ours.mass, theirs.mass, rtol=0, atol=1e-12)
        np.testing.assert_allclose(ours.delta_theta_tilde, theirs.delta_theta_tilde, rtol=0, atol=1e-12)
        np.testing.assert_allclose(ours.link_poses, theirs.link_poses, rtol=0, atol=1e-12)
    assert limited > 20


def simulation(name: str, adapter: str, folder: Path):
    """A scene with an adapter."""
    try:
        scene, document = read_scene(SCENES / f"{name}.yaml")
    except SceneFileError as missing:
        pytest.skip(str(missing))
    return build(scene.model_copy(update={"adapter": adapter}), document, "cpu", folder, scene.steps)


def summary(mechanism: CoupledRobot) -> dict:
    bodies = (*mechanism.links, *mechanism.free, *mechanism.static)
    return {
        "bodies": [(body.name, body.friction, len(body.mesh.faces) if body.mesh else 0) for body in bodies],
        "joints": [(joint.name, joint.kind, joint.parent, joint.child) for joint in mechanism.joints],
        "planes": [(plane.name, plane.friction) for plane in mechanism.planes],
        "untouchable": mechanism.untouchable,
    }


def test_both_adapters_see_the_same_scene(tmp_path: Path) -> None:
    ours, theirs = (simulation("panda_push", name, tmp_path / name).coupling.robot for name in ADAPTERS)
    assert summary(ours) == summary(theirs)
    for a, b in zip((*ours.links, *ours.free), (*theirs.links, *theirs.free), strict=True):
        np.testing.assert_allclose(a.pose, b.pose, atol=1e-12)
        np.testing.assert_allclose(a.center, b.center, atol=1e-12)
        np.testing.assert_allclose(a.inertia, b.inertia, atol=1e-10)
        np.testing.assert_allclose(a.mesh.vertices.min(axis=0), b.mesh.vertices.min(axis=0), atol=1e-6)
        assert a.mass == pytest.approx(b.mass)
    for a, b in zip(ours.joints, theirs.joints, strict=True):
        np.testing.assert_allclose(a.axis, b.axis, atol=1e-12)
        offset = a.anchor - b.anchor  # anchors may differ along the axis; for slides it does not matter
        if a.kind == "revolute":
            np.testing.assert_allclose(offset - offset @ a.axis * a.axis, 0.0, atol=1e-12)


def ways_of_the_body(name: str, steps: int, folder: Path) -> np.ndarray:
    """Where the free body of a scene is after each step, with both adapters, (2, steps, 3)."""
    simulations = [simulation(name, adapter, folder / adapter) for adapter in ADAPTERS]
    ways = []
    for k in range(steps):
        for running in simulations:
            running.step(k)
        ways.append([running.coupling.body_poses[-1][:3, 3] for running in simulations])
    return np.moveaxis(np.array(ways), 1, 0)


def floating_pair(content: str, integrator: str, folder: Path) -> tuple:
    """The adapters of an MJCF model at the same random state: ours, MuJoCo's."""
    (folder / "model.xml").write_text(f"<mujoco><worldbody>{content}</worldbody></mujoco>")
    setup = RobotSetup(0.005, np.array([0.0, 0.0, -9.81]), integrator, pose=turned(Y, 0.3, (0.1, 0.2, 0.3)))
    ours, theirs = (module.SceneModel(folder / "model.xml", []).build(setup) for module in (native_model, mujoco_model))
    rng, model = np.random.default_rng(2), ours.adapter.model
    q = theirs.data.qpos + 0.3 * rng.normal(size=model.nq)
    for at_q, _ in model.rotations:
        q[at_q] /= np.linalg.norm(q[at_q])
    theirs.data.qpos[:], theirs.data.qvel[:] = q, rng.normal(size=model.nv)
    for body, at in zip(model.bodies, model.body_q, strict=False):
        if isinstance(body.joint, FloatingJoint):  # our own positions are in the file's world, which the scene turns
            H = np.linalg.inv(setup.pose) @ body.joint.pose_at(q[at : at + 7])
            q[at : at + 7] = *H[:3, 3], *spatial.quaternion_from_rotation(H[:3, :3])
    ours.adapter.q = q
    ours.adapter.v = ours.adapter._coordinates.velocity_to_model(q, theirs.data.qvel)
    return ours, theirs


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
@pytest.mark.parametrize("content", [FLOATING[name] for name in JOINTED], ids=JOINTED)
def test_floating_bases_and_ball_joints_step_as_mujocos(content: str, integrator: str, tmp_path: Path) -> None:
    ours, theirs = floating_pair(content, integrator, tmp_path)
    assert ours.joints == theirs.joints
    forces = np.random.default_rng(3).normal(size=len(ours.joints))
    for driven in (ours, theirs):
        driven.push(forces)
    for driven in (ours, theirs):
        for _ in range(20):  # each goes on from where it has gone
            prediction = driven.adapter.predict()
            driven.adapter.commit(prediction.delta_theta_tilde, np.zeros((0, 4, 4)), np.zeros((0, 4, 4)))
            driven.push(forces)
    a, b = ours.adapter, theirs.adapter
    np.testing.assert_allclose(a.theta(), b.theta(), rtol=0, atol=1e-10)
    np.testing.assert_allclose(a.theta_dot(), b.theta_dot(), rtol=0, atol=1e-9)
    np.testing.assert_allclose(a.link_poses(), b.link_poses(), rtol=0, atol=1e-10)
    np.testing.assert_allclose(a.predict().mass, b.predict().mass, rtol=0, atol=1e-10)
    np.testing.assert_allclose(a.predict().delta_theta_tilde, b.predict().delta_theta_tilde, rtol=0, atol=1e-10)


@pytest.mark.slow
def test_the_pendulum_of_an_mjcf_file_strikes_alike(tmp_path: Path) -> None:
    ours, theirs = ways_of_the_body("pendulum", 160, tmp_path)
    assert ours[-1, 0] > 0.35
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)


@pytest.mark.slow
def test_a_quadruped_lands_alike(tmp_path: Path) -> None:
    """Its feet meet the ground after 19 steps."""
    running = [simulation("go2_stand", adapter, tmp_path / adapter) for adapter in ADAPTERS]
    highest = 0.0
    for k in range(40):
        for each in running:
            each.step(k)
        ours, theirs = (each.coupling for each in running)
        np.testing.assert_allclose(ours.theta, theirs.theta, rtol=0, atol=1e-8)
        highest = max(highest, float(ours.contact_force[2]))
        np.testing.assert_allclose(ours.contact_force, theirs.contact_force, rtol=0, atol=1e-4)
    assert highest > 400.0


@pytest.mark.slow
def test_the_crate_is_pushed_to_the_same_place(tmp_path: Path) -> None:
    ours, theirs = ways_of_the_body("panda_push", 360, tmp_path)
    assert ours[150, 0] > 0.61  # pushed since 1.2 s or so
    assert ours[-1, 0] > 0.85
    assert np.abs(ours - theirs).max() < 1e-4
