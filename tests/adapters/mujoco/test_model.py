import re

import pytest
from ipc_articulation.adapters.mujoco import find_package, load_model

from ipc_articulation.errors import AdapterError, ModelError
from tests.adapters.mujoco.models import panda

URDF = """<robot name="r"><link name="base"/>
<link name="l"><collision><geometry><mesh filename="package://my_robot/part.{kind}"/></geometry></collision>
<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="base"/><child link="l"/><axis xyz="0 0 1"/></joint></robot>"""

TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


@pytest.fixture
def urdf(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(URDF.format(kind="obj"))
    return path


@pytest.mark.parametrize("as_parent", [True, False])
def test_meshes_are_found_in_a_package_or_in_its_parent(urdf, tmp_path, as_parent):
    folder = tmp_path / "share" / "my_robot"
    folder.mkdir(parents=True)
    (folder / "part.obj").write_text(TETRAHEDRON)
    model = load_model(urdf, [folder.parent if as_parent else folder])
    assert model.nmesh == 1
    assert model.joint(0).name == "j"


def test_missing_mesh(urdf, tmp_path):
    message = f"{urdf}: mesh 'package://my_robot/part.obj' does not exist; looked in {tmp_path / 'my_robot'}"
    with pytest.raises(AdapterError, match=re.escape(message)):
        load_model(urdf, [tmp_path])
    with pytest.raises(AdapterError, match="looked in no folder: package_dirs is empty"):
        load_model(urdf)


def test_missing_file(tmp_path):
    with pytest.raises(AdapterError, match=re.escape(f"model file '{tmp_path / 'no.xml'}' does not exist")):
        load_model(tmp_path / "no.xml")


def test_broken_file_names_itself(tmp_path):
    path = tmp_path / "broken.xml"
    path.write_text("<mujoco><worldbody><geom type='box'/></worldbody></mujoco>")
    with pytest.raises(AdapterError, match=re.escape(str(path))):
        load_model(path)


def test_missing_package():
    message = "robot package 'no-such-robots' is not installed; try: pip install 'ipc_articulation[robots]'"
    with pytest.raises(AdapterError, match=re.escape(message)):
        find_package("no-such-robots")


def test_panda_keeps_its_collision_meshes_and_its_base():
    model = panda()
    assert model.nmesh == 9
    assert model.body("panda_link0").id == 1


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ('<joint name="j" type="fixed"/>', "r.urdf:5: joint 'j': line 4 has the same name; give each joint its own"),
        ('<x:include xmlns:x="http://ros.org/wiki/xacro" filename="a"/>', "r.urdf:5: this is a xacro file; give what"),
        ('<link name="mast"/>', "r.urdf:1: links 'base', 'mast' are no joint's child; join all but one of them"),
    ],
)
def test_what_mujoco_would_drop_from_a_urdf_file_is_refused(urdf, extra, message):
    urdf.write_text(urdf.read_text().replace("</robot>", f"\n{extra}</robot>"))
    with pytest.raises(ModelError, match=re.escape(message)):
        load_model(urdf)
