"""Robots with loops in scene files."""

from pathlib import Path

import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation.errors import SceneFileError
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.simulation.robot_model import make_model
from ipc_articulation.simulation.robot_simulation import RobotSimulation
from tests.adapters.native.linkages import surface_forces

SCENE = Path(__file__).parents[2] / "scenes" / "four_bar_press.yaml"
TEXT = SCENE.read_text()


class Pressed:
    """The scene run to its end: nearest surfaces and largest gap at the pin on the way, and the state at the end."""

    def __init__(self, folder: Path) -> None:
        scene, document = read_scene(SCENE)
        self.scene = scene
        self.simulation = simulation = RobotSimulation(scene, document, "cpu", folder, scene.steps)
        self.coupling = coupling = simulation.coupling
        self.nearest, self.gap = np.inf, 0.0
        (pin,) = scene.robot.pins
        for step in range(scene.steps):
            simulation.step(step)
            self.nearest = min(self.nearest, simulation.minimum_distance())
            pose = dict(zip(simulation.body_names, coupling.body_poses, strict=True))
            ends = pose[pin.first] @ [*pin.on_first, 1.0] - pose[pin.second] @ [*pin.on_second, 1.0]
            self.gap = max(self.gap, float(np.linalg.norm(ends)))


@pytest.fixture(scope="module")
def pressed(tmp_path_factory: pytest.TempPathFactory) -> Pressed:
    return Pressed(tmp_path_factory.mktemp("press"))


@pytest.mark.slow
def test_the_press_never_interpenetrates_and_its_loop_stays_closed(pressed: Pressed) -> None:
    assert 0.0 < pressed.nearest < 5e-4
    assert pressed.gap < 1e-5
    assert pressed.simulation.joint_names == ("crank_joint",)
    assert pressed.simulation.body_names == ("crank", "rocker", "coupler", "block")


def test_the_force_on_the_crank_is_the_walls_by_virtual_work(pressed: Pressed) -> None:
    """τ_c = -F ∂x/∂θ: F from the wall's barrier, x of the coupler's foremost vertex."""
    adapter, link = pressed.coupling.adapter, pressed.coupling.robot.links[2]
    pose = adapter.link_poses()[2]
    vertex = link.mesh.vertices[(link.mesh.vertices @ pose[0, :3]).argmax()]
    x, ends = adapter.q, []
    for step in (-1e-5, 1e-5):
        adapter.q = dyn.integrate(adapter.model, x, [step])
        ends.append((adapter.link_poses()[2] @ [*vertex, 1.0])[0])
    adapter.q = x
    force = surface_forces(pressed.simulation.engine.cpu)["wall"][0]
    assert force > 150.0
    work = -force * (ends[1] - ends[0]) / 2e-5
    np.testing.assert_allclose(pressed.coupling.contact_force, [work], rtol=0.02)


def model_of(folder: Path, old: str = "", new: str = "") -> object:
    assert old in TEXT
    text = TEXT.replace(old, new, 1).replace("model: four_bar", f"model: {SCENE.parent}/four_bar")
    file = folder / "scene.yaml"
    file.write_text(text)
    return make_model(*read_scene(file))


def test_the_loop_is_closed_from_where_its_joints_start(tmp_path: Path) -> None:
    model = model_of(tmp_path)
    np.testing.assert_allclose(model.adapter.q, [1.7, 1.60545, -1.69328], atol=1e-5)
    np.testing.assert_array_equal(model.start, [1.7])
    assert model.actuated == ["crank_joint"]


def test_any_joint_of_the_loop_may_drive_it(tmp_path: Path) -> None:
    adapter = model_of(tmp_path, "driver: crank_joint", "driver: rocker_joint").adapter
    assert [joint.name for joint in adapter.describe().joints] == ["rocker_joint"]
    np.testing.assert_allclose(adapter.theta(), [1.6], atol=1e-14)


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("driver: crank_joint", "driver: crank", "driver 'crank' is none of the loop's joints ['crank_joint', 'rocker"),
        ("joints: [crank_joint, rocker", "joints: [crank, rocker", "'crank'"),
        ("on_first: [0.35", "on_first: [0.36", "pin 'pin': its ends on 'coupler' and 'rocker' are 0.01 m apart"),
        ("lengths: [0.3, 0.35, 0.25]", "lengths: [0.3, 0.02, 0.25]", "the loop cannot be closed from here"),
        ("type: four_bar", "type: five_bar", "unknown type 'five_bar'"),
    ],
)
def test_wrong_loops_are_told(tmp_path: Path, old: str, new: str, text: str) -> None:
    with pytest.raises(SceneFileError) as caught:
        model_of(tmp_path, old, new)
    assert text in str(caught.value)


def test_another_adapter_that_knows_no_loops_is_told(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    text = TEXT.replace("adapter: native", "adapter: mujoco").replace("integrator: implicit\n", "")
    (tmp_path / "scene.yaml").write_text(text.replace("model: four_bar", f"model: {SCENE.parent}/four_bar"))
    with pytest.raises(SceneFileError, match="adapter 'mujoco' knows no loops; `native` does"):
        make_model(*read_scene(tmp_path / "scene.yaml"))


def test_geared_joints(tmp_path: Path) -> None:
    """A rotor that turns three times as far as an arm is not in the scene."""
    urdf = SCENE.with_suffix(".urdf").read_text()
    bodies = "".join(
        f'<link name="{name}"><inertial><mass value="0.1"/>'
        '<inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        f'<joint name="{name}_joint" type="continuous"><parent link="base"/><child link="{name}"/></joint>'
        for name in ("rotor", "arm")
    )
    (tmp_path / "geared.urdf").write_text(urdf.replace("</robot>", f"{bodies}</robot>"))
    text = TEXT.replace("four_bar_press.urdf", "geared.urdf")
    loop = "  loops:\n    - {type: gear, joints: [arm_joint, rotor_joint], ratio: 3}\n"
    (tmp_path / "scene.yaml").write_text(text.replace("  loops:\n", loop))
    adapter = make_model(*read_scene(tmp_path / "scene.yaml")).adapter
    mechanism = adapter.describe()
    assert [joint.name for joint in mechanism.joints] == ["crank_joint", "arm_joint"]
    assert [link.name for link in mechanism.links] == ["crank", "rocker", "coupler", "arm"]
    np.testing.assert_allclose(adapter.predict().mass[1, 1], 0.001 + 9 * 0.001, rtol=1e-12)
