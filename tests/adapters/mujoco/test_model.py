import re

import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import find_package, load_model
from ipc_articulation.adapters.mujoco.bases import settle_bases
from ipc_articulation.adapters.mujoco.global_coordinates import make_local

from ipc_articulation.errors import AdapterError, MeshError, ModelError
from ipc_articulation.repairs import RepairWarning, strict
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


def test_a_missing_mesh_is_left_out_beside_others(urdf, tmp_path):
    fault = f"{urdf}:2: link 'l': mesh file 'package://my_robot/part.obj' not found; looked for {tmp_path}/my_robot/"
    alone = r"urdf:2: link 'l': none of its <collision> elements has a shape that can be read: it would pass through"
    with pytest.warns(RepairWarning, match=re.escape(fault)), pytest.raises(MeshError, match=alone):
        load_model(urdf, [tmp_path])
    ball = '<collision><geometry><sphere radius="1"/></geometry></collision><collision>'
    urdf.write_text(urdf.read_text().replace("<collision>", ball))
    with pytest.warns(RepairWarning, match=re.escape(fault)):
        assert load_model(urdf, [tmp_path]).ngeom == 1
    with strict(), pytest.raises(ModelError, match=re.escape(fault)):
        load_model(urdf, [tmp_path])


def test_links_without_inertial_have_no_mass_from_their_shapes(urdf):
    base = '<link name="base"><collision><geometry><sphere radius="1"/></geometry></collision></link>'
    urdf.write_text(re.sub("<collision>.*</collision>", "", URDF).replace('<link name="base"/>', base))
    assert load_model(urdf).body("base").mass == 0.0


def test_a_moving_link_without_mass_gets_the_least_that_mujoco_needs(urdf):
    joint = '<joint name="k" type="continuous"><parent link="{}"/><child link="{}"/></joint>'
    text = re.sub("<collision>.*</collision>", "", URDF).replace('<parent link="base"/>', '<parent link="between"/>')
    more = '<link name="between"/>' + joint.format("base", "between")
    urdf.write_text(text.replace("</robot>", f"{more}</robot>"))
    with pytest.warns(RepairWarning, match="MuJoCo needs a mass of a body that moves; 1e-09 kg is used"):
        model = load_model(urdf)
    assert model.body("between").mass == 1e-9


@pytest.mark.parametrize("inertia", [(0, 1, 1), (1, 1, 2), (1, 1, 2.0000001)])
def test_inertias_of_rods_and_plates_are_read(urdf, inertia):
    text = re.sub("<collision>.*</collision>", "", URDF)
    for axis, moment in zip(("xx", "yy", "zz"), inertia, strict=True):
        text = text.replace(f'i{axis}="1"', f'i{axis}="{moment}"')
    urdf.write_text(text)
    np.testing.assert_allclose(sorted(load_model(urdf).body("l").inertia), inertia, atol=3e-6)


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
    with strict(), pytest.raises(ModelError, match=re.escape(message)):
        load_model(urdf)


UNKNOWN = """<mujoco>
  <default><default class="a" group="1"><geom
    colour="red" size="0.3"/></default></default>
  <worldbody><body><joint/><geom class="a"/><geom class="a" weight="2" pos="1 0 0"/></body></worldbody>
</mujoco>"""


def test_attributes_that_mujoco_never_knew_are_left_out(tmp_path):
    (tmp_path / "r.xml").write_text(UNKNOWN)
    with pytest.warns(UserWarning, match="does not know") as warned:
        model = load_model(tmp_path / "r.xml")
    np.testing.assert_array_equal(model.geom_size[:, 0], 0.3)
    said = [str(warning.message) for warning in warned]
    assert ["r.xml:2: <default> has group" in text for text in said] == [True, False, False]
    assert ["r.xml:2: <geom> has colour" in text for text in said] == [False, True, False]
    assert ['r.xml:4: <geom> has weight="2"' in text for text in said] == [False, False, True]


@pytest.mark.parametrize(
    "own", ["", '<mujoco><compiler strippath="true"/></mujoco>', '<mujoco><size nuser_geom="1"/></mujoco>']
)
def test_meshes_of_one_name_in_two_folders_are_two_meshes(tmp_path, own):
    robot = URDF.replace("package://my_robot/part.{kind}", "{side}/part.obj").replace('name="l"', 'name="{side}"')
    links = re.search("<link name=.{side}.*</link>", robot, re.DOTALL)[0]
    joint = re.search("<joint.*</joint>", robot)[0]
    text = '<link name="base"/>'
    for side, size in (("left", 1), ("right", 3)):
        (tmp_path / side).mkdir()
        (tmp_path / side / "part.obj").write_text(TETRAHEDRON.replace("1 0 0", f"{size} 0 0"))
        text += links.format(side=side) + joint.replace('"j"', f'"{side}"').replace('"l"', f'"{side}"')
    (tmp_path / "r.urdf").write_text(f'<robot name="r">{own}{text}</robot>')
    with strict():
        model = load_model(tmp_path / "r.urdf")
    extents = [
        np.ptp(model.mesh_vert[a : a + n], axis=0).max()
        for a, n in zip(model.mesh_vertadr, model.mesh_vertnum, strict=True)
    ]
    assert extents[1] > 2.0 * extents[0]


def test_options_in_a_urdf_file_are_left_out_by_name(urdf):
    own = '<mujoco><option density="1000" gravity="0 0 -1"><flag contact="disable"/></option><size nkey="3"/></mujoco>'
    urdf.write_text(re.sub("<collision>.*</collision>", "", URDF).replace("<link", f"{own}<link", 1))
    with pytest.warns(RepairWarning, match=r"r\.urdf:1: <option> of <mujoco> acts in MuJoCo alone; it is left out, as"):
        model = load_model(urdf)
    assert (model.opt.density, model.opt.gravity[2], model.opt.disableflags) == (0.0, -9.81, 0)


GLOBAL = """<mujoco><compiler angle="degree"
  coordinate="global"/>
<worldbody>
  <geom type="plane" size="1 1 1" pos="0 0 -1"/>
  <body name="hip" pos="1 0 2"><joint name="h" axis="0 1 0" pos="1 0 2.5"/><geom name="a" size="0.1" pos="1 0 1.8"/>
    <inertial pos="1 0 1.9" mass="2" diaginertia="1 1 1"/>
    <body name="knee"><joint name="k" axis="0 1 0" pos="1 0 1.5"/>
      <geom name="b" type="capsule" size="0.05" fromto="1 0 1.5 1 0 1"/><site name="s" pos="1.5 0 1"/>
      <body name="foot" pos="1 0 1"><joint name="f" axis="0 1 0" pos="1 0 1"/>
        <geom name="c" size="0.1" pos="1.2 0 0.9"/></body></body></body>
</worldbody></mujoco>"""


def test_global_coordinates_become_local_ones(tmp_path):
    """Everything is where the file puts it, also when the hip turns by 90° about (1, 0, 2.5): z - 2.5 becomes x - 1."""
    file = tmp_path / "old.xml"
    file.write_text(GLOBAL)
    said = (
        f'{file}:1: <compiler> has coordinate="global", which MuJoCo .* does not know; converted to local coordinates'
    )
    with pytest.warns(RepairWarning, match=said):
        model = load_model(file)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    expected = {"a": (1, 0, 1.8), "b": (1, 0, 1.25), "c": (1.2, 0, 0.9)}
    for name, place in expected.items():
        np.testing.assert_allclose(data.geom(name).xpos, place, atol=1e-12)
    np.testing.assert_allclose(data.xanchor, [(1, 0, 2.5), (1, 0, 1.5), (1, 0, 1)], atol=1e-12)
    np.testing.assert_allclose(data.xipos[1], (1, 0, 1.9), atol=1e-12)
    np.testing.assert_allclose(data.site("s").xpos, (1.5, 0, 1), atol=1e-12)
    assert model.geom("b").size[1] == pytest.approx(0.25)
    data.qpos[0] = np.pi / 2
    mujoco.mj_kinematics(model, data)
    for name, (x, _, z) in expected.items():
        np.testing.assert_allclose(data.geom(name).xpos, (z - 2.5 + 1, 0, 2.5 - (x - 1)), atol=1e-12)
    with strict(), pytest.raises(ModelError, match='coordinate="global"'):
        load_model(file)


def test_global_coordinates_of_turned_bodies_are_refused(tmp_path):
    file = tmp_path / "old.xml"
    file.write_text(GLOBAL.replace('name="knee"', 'name="knee" euler="0 90 0"'))
    with pytest.raises(AdapterError, match="global coordinates no longer supported"):
        load_model(file)


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ('<inertial mass="10"/>', '<inertial> has no pos; left out, because <compiler> has inertiafromgeom="true"'),
        (
            '<joint type="fixed"/>',
            'type="fixed" of a <joint> is none of MJCF; left out, because a body without a joint',
        ),
    ],
)
def test_elements_that_mean_nothing_are_left_out(tmp_path, odd, said):
    file = tmp_path / "odd.xml"
    file.write_text(
        f"""<mujoco><compiler inertiafromgeom="true"/><worldbody><body><joint/><geom size="0.1"/>
<body>{odd}<geom size="0.1" mass="3"/></body></body></worldbody></mujoco>"""
    )
    with pytest.warns(RepairWarning, match=re.escape(f"{file}:2: {said}")):
        model = load_model(file)
    assert model.njnt == 1
    assert model.body_mass[2] == pytest.approx(3.0)


@pytest.mark.parametrize("odd", ['<joint type="fixed"/>', '<site weight="2"/>'])
def test_lines_of_refused_parts_are_those_of_xml(odd, tmp_path):
    """MuJoCo counts line feeds; Python's `splitlines` also breaks at the separators of Unicode."""
    file = tmp_path / "odd.xml"
    body = f'<body>{odd}<geom size="0.1"/></body>'
    file.write_text(f"<mujoco>\n<!-- a\u2028b\u0085c -->\n<worldbody>{body}</worldbody></mujoco>", encoding="utf-8")
    with pytest.warns(RepairWarning, match=re.escape(f"{file}:3: ")):
        assert load_model(file).njnt == 0


def test_an_include_that_is_repeated_is_named_with_its_line(tmp_path):
    (tmp_path / "part.xml").write_text('<mujocoinclude><body><geom size="0.1"/></body></mujocoinclude>')
    include = '<include file="part.xml"/>'
    (tmp_path / "r.xml").write_text(f"<mujoco><worldbody>\n{include}\n{include}</worldbody></mujoco>")
    with pytest.raises(ModelError, match=r"r\.xml:3: <include> names 'part\.xml' a second time"):
        load_model(tmp_path / "r.xml")


def test_repaired_inertias_are_told_with_their_line(tmp_path):
    body = '\n<body name="b"><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 9"/></body>'
    (tmp_path / "r.xml").write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    with pytest.warns(RepairWarning, match=r"r\.xml:2: body 'b': no body has its principal moments of inertia"):
        load_model(tmp_path / "r.xml")


def test_inertia_without_a_place_is_refused_where_it_counts(tmp_path):
    file = tmp_path / "odd.xml"
    file.write_text('<mujoco><worldbody><body><inertial mass="1"/><joint/></body></worldbody></mujoco>')
    with pytest.raises(AdapterError, match="required attribute missing: 'pos'"):
        load_model(file)


def test_a_chain_of_more_links_than_python_calls():
    """A thousand bodies one below the other, on a floating base; positions are global."""
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="base", pos=[0, 0, 1])
    body.add_freejoint()
    for k in range(1, 1500):
        body = body.add_body(name=f"link{k}", pos=[0.1 * k, 0, 1])
        body.add_joint(name=f"joint{k}", pos=[0.1 * k, 0, 1])
    make_local(spec)
    settle_bases(spec, None, None, [], "chain.xml")
    np.testing.assert_allclose(spec.body("link1499").pos, [0.1, 0, 0], atol=1e-10)
    np.testing.assert_allclose(spec.joint("joint1499").pos, 0, atol=1e-10)
