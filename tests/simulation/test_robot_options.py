"""What a scene file says of a robot, with either multibody engine."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from ipc_articulation.engine import engine as engine_module
from ipc_articulation.errors import IpcArticulationError, SceneFileError, UnsupportedError
from ipc_articulation.repairs import strict
from ipc_articulation.simulation import robot_simulation
from ipc_articulation.simulation.building import build
from tests.simulation.scene_texts import read, robot_scene, simulation

ADAPTERS = pytest.mark.parametrize("adapter", ["mujoco", "native"])


def played(folder: Path, steps: int = 10, **keys: Any) -> Any:
    made = simulation(folder, robot_scene(**keys), steps)
    for step in range(steps):
        made.step(step)
    return made.measure(is_start=False)


@ADAPTERS
def test_joints_begin_with_their_velocity(tmp_path: Path, adapter: str) -> None:
    robot = {"initial": {"elbow": 0.2}, "initial_velocity": {"elbow": 1.0}, "actuators": []}
    theta = played(tmp_path, 5, adapter=adapter, robot=robot, integrator="Euler")["theta"]
    assert theta[1] == pytest.approx(0.25, abs=2e-3)


@ADAPTERS
def test_damping_by_expression_the_last_holds(tmp_path: Path, adapter: str) -> None:
    robot = {"actuators": [], "initial_velocity": {"elbow": 1.0}, "damping": {".*": 1000.0, "elbow": 0.0}}
    still = played(tmp_path, adapter=adapter, robot=robot | {"damping": 1000.0})["theta"]
    moving = played(tmp_path, adapter=adapter, robot=robot)["theta"]
    assert abs(still[1]) < 0.01
    assert moving[1] > 0.05


@ADAPTERS
def test_dry_friction_by_expression_holds_joints_up_to_it(tmp_path: Path, adapter: str) -> None:
    def fallen(**frictionloss: float) -> Any:
        robot = {"actuators": [], "initial": {"elbow": 1.0}, "frictionloss": frictionloss}
        return played(tmp_path, adapter=adapter, gravity=[0, 0, -9.81], robot=robot, integrator="Euler")["theta"]

    np.testing.assert_allclose(fallen(**{".*": 100.0}), [0.0, 1.0], atol=0.03)  # MuJoCo's is soft
    slips = fallen(**{".*": 100.0, "elb.*": 0.0})
    assert abs(slips[0]) < 0.03
    assert slips[1] > 1.1


@ADAPTERS
def test_armature_adds_to_the_mass_of_the_joints_that_match(tmp_path: Path, adapter: str) -> None:
    def mass(**robot: Any) -> np.ndarray:
        made = simulation(tmp_path, robot_scene(adapter=adapter, robot=robot, integrator="Euler"))
        made.step(0)
        result: np.ndarray = made.coupling.mass
        return result

    np.testing.assert_allclose(mass(armature={"elb.*": 2.5}) - mass(), np.diag([0.0, 2.5]), atol=1e-9)


@ADAPTERS
@pytest.mark.parametrize(
    ("robot", "message"),
    [
        ({"damping": {"elbw": 1.0}}, "'elbw' matches no joint; did you mean 'elbow'"),
        ({"initial_velocity": {"elbw": 1.0}}, "unknown joint 'elbw'; did you mean 'elbow'"),
        (
            {"damping": {"elbow": -1.0}},
            "must be a number ≥ 0, or a mapping of joint names or expressions to such, got -1.0",
        ),
        ({"frictionloss": {"elbw": 1.0}}, "'elbw' matches no joint; did you mean 'elbow'"),
        ({"damping": {"(": 1.0}}, "no regular expression"),
        ({"collision": "box"}, "robot.collision"),
        ({"untouchable": [["upper", "uper"]]}, "'uper' matches no material, body, link or wall; did you mean 'upper'"),
    ],
)
def test_faults_are_told_with_their_place(tmp_path: Path, adapter: str, robot: dict[str, Any], message: str) -> None:
    with pytest.raises(SceneFileError, match=message) as caught:
        simulation(tmp_path, robot_scene(adapter=adapter, robot=robot))
    assert caught.value.line is not None


def test_hulls_close_the_meshes_of_links_and_leave_bodies_alone(tmp_path: Path) -> None:
    trimesh.creation.torus(0.1, 0.03).export(tmp_path / "ring.stl")
    half = trimesh.creation.box((0.2, 0.2, 0.2))
    trimesh.Trimesh(half.vertices, half.faces[:-1]).export(tmp_path / "open.stl")
    (tmp_path / "arm.urdf").write_text(
        """<robot name="arm"><link name="base"/><link name="tip">
        <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
        <collision><geometry><mesh filename="open.stl"/></geometry></collision></link>
        <joint name="turn" type="continuous"><parent link="base"/><child link="tip"/><axis xyz="0 0 1"/></joint>
        </robot>"""
    )
    ring = {"name": "ring", "shape": {"type": "mesh", "file": "ring.stl"}, "pose": {"position": [1, 0, 0]}}
    content = robot_scene(robot={"model": "arm.urdf", "actuators": []}, bodies=[ring])
    for adapter in ("mujoco", "native"):
        with strict(), pytest.raises(SceneFileError, match="closed"):
            simulation(tmp_path, content | {"adapter": adapter})
        made = simulation(tmp_path, content | {"adapter": adapter, "robot": content["robot"] | {"collision": "hull"}})
        surfaces = {surface.name: surface for surface in made.surfaces}
        tip, ring_surface = (trimesh.Trimesh(surfaces[n].vertices, surfaces[n].faces) for n in ("tip", "ring"))
        assert tip.volume == pytest.approx(0.008)
        assert not ring_surface.is_convex


@ADAPTERS
@pytest.mark.parametrize(("suffix", "kind"), [("ply", "mesh"), ("glb", "mesh"), ("", "ellipsoid")])
def test_bodies_of_any_mesh_file_and_ellipsoids(tmp_path: Path, adapter: str, suffix: str, kind: str) -> None:
    shape: dict[str, Any] = {"type": "ellipsoid", "radii": [0.1, 0.2, 0.3]}
    expected = 4.0 / 3.0 * np.pi * 0.006
    if kind == "mesh":
        trimesh.creation.box((1.0, 2.0, 3.0)).export(tmp_path / f"box.{suffix}")
        shape, expected = {"type": "mesh", "file": f"box.{suffix}", "scale": 0.1}, 0.006
    bodies = [{"name": "thing", "shape": shape, "density": 1000, "pose": {"position": [2, 0, 0]}}]
    made = simulation(tmp_path, robot_scene(adapter=adapter, bodies=bodies))
    (body,) = made.coupling.robot.free
    assert body.mass == pytest.approx(1000 * expected, rel=1e-6)
    largest = 0.3 if kind == "ellipsoid" else 0.15
    np.testing.assert_allclose(np.abs(body.mesh.vertices[:, 2]).max(), largest, rtol=1e-2)


def test_an_adapter_that_cannot_do_all_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("ipc_articulation.adapters.native.scene_model.SceneModel.build")
    with pytest.raises(SceneFileError, match="adapter 'native' cannot read scene files: its SceneModel has no build"):
        simulation(tmp_path, robot_scene(adapter="native"))


def test_joints_without_names_have_those_of_the_coupling(tmp_path: Path) -> None:
    (tmp_path / "bare.xml").write_text(
        "<mujoco><worldbody><body name='b'><joint type='hinge'/><geom size='0.1'/></body></worldbody></mujoco>"
    )
    (tmp_path / "own.py").write_text("def control(state):\n    assert state.joints, state\n    return {}\n")
    robot = {"model": "bare.xml", "actuators": []}
    made = simulation(tmp_path, robot_scene(robot=robot, controller={"type": "python", "python": "own.py:control"}))
    made.step(0)
    assert len(made.joint_names) == 1


@pytest.mark.parametrize("adapter", ["mujoco", "native"])
def test_a_joint_takes_one_actuator(tmp_path: Path, adapter: str) -> None:
    actuators = [{"joints": ".*", "kp": 200}, {"joints": ["elbow"], "kp": 10}]
    with pytest.raises(SceneFileError, match="joint 'elbow' has an actuator already; give one a joint") as caught:
        simulation(tmp_path, robot_scene(adapter=adapter, robot={"actuators": actuators}))
    assert caught.value.line is not None


def test_several_steps_of_mujoco_in_one_of_the_scene(tmp_path: Path) -> None:
    made = simulation(tmp_path, robot_scene(robot={"substeps": 5}))
    adapter = made.coupling.adapter
    made.step(0)
    assert adapter.step_count == 5
    assert adapter.data.time == pytest.approx(adapter.dt)


def test_substeps_are_refused_where_the_adapter_takes_one_step(tmp_path: Path) -> None:
    with pytest.raises(SceneFileError, match="adapter 'native' knows no substeps; `mujoco` does"):
        simulation(tmp_path, robot_scene(adapter="native", robot={"substeps": 5}))


def test_loops_are_refused_where_the_adapter_closes_none(tmp_path: Path) -> None:
    gear = {"type": "gear", "joints": ["shoulder", "elbow"], "ratio": 2.0}
    with pytest.raises(SceneFileError, match="adapter 'mujoco' knows no loops; `native` does"):
        simulation(tmp_path, robot_scene(robot={"loops": [gear]}))


@pytest.mark.parametrize(
    ("engine", "joints"),
    [("cuda", "chains"), ("auto", "own"), ("cpu", "own")],
)
def test_joints_are_lowered_for_cuda_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str, joints: str
) -> None:
    def couple(*_: Any, **keys: Any) -> None:
        raise UnsupportedError(keys["joints"])

    monkeypatch.setattr(robot_simulation, "couple", couple)
    with pytest.raises(IpcArticulationError, match=joints):
        build(*read(tmp_path, robot_scene()), engine, tmp_path / "workspace", 1)


def test_robots_run_on_the_cpu_where_the_engine_is_left_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "has_gpu", lambda: True)
    made = build(*read(tmp_path, robot_scene()), "auto", tmp_path / "workspace", 1)
    assert made.engine.backend_name() == "cpu"
