"""What is seen of a scene: bodies of robots and around them, with both adapters, in scripts and in scene files."""

from pathlib import Path

import mujoco
import numpy as np
import pytest
import uipc
from ipc_articulation.adapters.mujoco import MujocoAdapter, load_model
from ipc_articulation.adapters.native import NativeAdapter

from ipc_articulation import couple, run
from ipc_articulation import dynamics as dyn
from ipc_articulation.watching.subject import Subject
from tests.watching.scenes import add_box, config

URDF = """
<robot name="arm">
  <link name="base"><visual><geometry><box size="0.2 0.2 0.4"/></geometry></visual></link>
  <link name="arm">
    <inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="1 0.1 0.1"/></geometry></collision>
  </link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 3"/>
    <axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="10" velocity="10"/></joint>
</robot>"""

MJCF = """
<mujoco>
  <option timestep="0.01"/>
  <worldbody>
    <geom type="box" size="0.1 0.1 0.2" pos="0 2 0" contype="0" conaffinity="0" rgba="1 0 0 1"/>
    <body name="sign" pos="2 0 0"><geom type="sphere" size="0.1" contype="0" conaffinity="0" rgba="0 1 0 1"/></body>
    <body name="arm" pos="0 0 1">
      <joint name="turn" axis="0 1 0"/>
      <geom type="box" size="0.5 0.05 0.05" mass="1" group="3"/>
    </body>
  </worldbody>
</mujoco>"""

SCENE = "adapter: {adapter}\nrobot: {{model: {file}}}\ndt: 0.01\nsteps: 1\n"


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    for name, text in (("arm.urdf", URDF), ("arm.xml", MJCF)):
        (tmp_path / name).write_text(text)
    return {name: tmp_path / name for name in ("arm.urdf", "arm.xml")}


def heights(subject: Subject) -> dict[str, float]:
    """Height of each drawn body's box [m], by name."""
    return {surface.name: float(np.ptp(surface.points[:, 2])) for surface in subject.scenery.surfaces}


def test_a_base_that_is_only_drawn(files: dict[str, Path]) -> None:
    model = load_model(files["arm.urdf"])
    model.opt.timestep = 0.01
    adapters = (
        MujocoAdapter(model, mujoco.MjData(model)),
        NativeAdapter(dyn.read_urdf(files["arm.urdf"]).build(), dt=0.01),
    )
    for adapter in adapters:
        seen = heights(Subject(couple(uipc.Scene(config()), adapter)))
        assert seen == pytest.approx({"base": 0.4, "arm": 0.1})


@pytest.mark.parametrize("adapter", ["mujoco", "native"])
def test_what_is_only_drawn_in_a_scene_file(files: dict[str, Path], adapter: str, tmp_path: Path) -> None:
    expected = {"arm.urdf": {"base", "arm"}, "arm.xml": {"world", "sign", "arm"}}
    for name, bodies in expected.items():
        scene = tmp_path / f"{adapter}_{name[4:]}.yaml"
        scene.write_text(SCENE.format(adapter=adapter, file=name))
        result = run(scene, engine="cpu", quiet=True, pictures=False, out=tmp_path / "out")
        surfaces = {surface.name: surface for surface in result.recording.scenery.surfaces}
        assert set(surfaces) == bodies
        if "world" in bodies:
            (box,) = surfaces["world"].visual
            np.testing.assert_allclose(box.vertices.mean(axis=0), [0.0, 2.0, 0.0], atol=1e-6)


def test_what_is_only_drawn_is_not_in_the_scene(files: dict[str, Path]) -> None:
    model = mujoco.MjModel.from_xml_path(str(files["arm.xml"]))
    coupling = couple(uipc.Scene(config()), MujocoAdapter(model, mujoco.MjData(model)))
    subject = Subject(coupling)
    assert set(heights(subject)) == {"world", "sign", "arm"}
    assert subject.names == ("arm", "world")  # the second is the parent of joints on the world
    assert {surface.role for surface in subject.scenery.surfaces if surface.name != "arm"} == {"fixed"}


def test_two_robots_whose_links_have_the_same_names() -> None:
    """Each link has its own looks; those of the other robot, and of a free body of the same name, are theirs."""
    scene, scale = uipc.Scene(config()), {"first": 0.2, "second": 0.3}
    couplings = []
    for x, size in zip((0.0, 3.0), scale.values(), strict=True):
        text = f"""<mujoco><option timestep="0.01"/><worldbody><body name="arm" pos="{x} 0 1"><joint axis="0 1 0"/>
          <geom type="sphere" size="0.1" group="3"/>
          <geom type="box" size="{size} {size} {size}" contype="0" conaffinity="0"/></body></worldbody></mujoco>"""
        model = mujoco.MjModel.from_xml_string(text)
        couplings.append(couple(scene, MujocoAdapter(model, mujoco.MjData(model))))
    add_box(scene, "arm", 5.0)
    for watched in (*couplings, scene):
        subject = Subject(watched)
        assert heights(subject) == pytest.approx({"arm (1)": 0.4, "arm (2)": 0.6, "arm (3)": 0.2})
        assert [surface.role for surface in subject.scenery.surfaces] == ["link", "link", "free"]
        assert subject.free_names == ("arm (3)",)
