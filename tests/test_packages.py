"""Files of installed packages are named `package://name/path` wherever a robot's file is taken."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ipc_articulation.adapters.mujoco import load_model

from ipc_articulation import dynamics as dyn
from ipc_articulation.dynamics.reading.loops import closes_loops
from ipc_articulation.errors import IpcArticulationError
from ipc_articulation.packages import unpacked

URDF = """\
<robot name="arm">
  <link name="base"/>
  <link name="bar">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><mesh filename="package://arm_parts/bar.stl"/></geometry></collision>
  </link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="bar"/></joint>
</robot>
"""
READERS: dict[str, Callable[..., Any]] = {
    "read_urdf": dyn.read_urdf,
    "read_robot": dyn.read_robot,
    "closes_loops": closes_loops,
    "load_model": load_model,
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a robot's file in a package, with a mesh in another one."""
    import trimesh

    for name in ("arm_robot", "arm_parts"):
        (tmp_path / name).mkdir()
    (tmp_path / "arm_robot/arm.urdf").write_text(URDF)
    trimesh.creation.box((1, 1, 1)).export(tmp_path / "arm_parts/bar.stl")
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path))
    return "package://arm_robot/arm.urdf"


@pytest.mark.parametrize("reader", READERS)
def test_robots_in_packages_are_read(reader: str, package: str) -> None:
    READERS[reader](package)
    READERS[reader](Path(package))


@pytest.mark.parametrize("reader", [*READERS, "read_osim"])
def test_a_robot_that_no_package_has_is_named(reader: str, package: str) -> None:
    read = READERS.get(reader, dyn.read_osim)
    with pytest.raises(IpcArticulationError, match=r"^no such file: 'package://arm_robot/leg\.urdf' \(looked at "):
        read("package://arm_robot/leg.urdf")


def test_other_arguments_stay_as_they_are() -> None:
    for given in ("arm.urdf", URDF, Path("arm.urdf"), None):
        assert unpacked(given) is given
