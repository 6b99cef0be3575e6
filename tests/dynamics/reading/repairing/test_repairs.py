"""Repairs of URDF files: what is reported and what is read; strict repairs are errors with the same beginning."""

import warnings
from time import process_time

import numpy as np
import pytest

from ipc_articulation.dynamics.joints import FixedJoint, PrismaticJoint, RevoluteJoint, SphericalJoint
from ipc_articulation.dynamics.model.shapes import Box, Cylinder, MeshFile
from ipc_articulation.dynamics.reading import read_urdf
from ipc_articulation.dynamics.reading.base import loose_base
from ipc_articulation.dynamics.reading.loops import closes_loops
from ipc_articulation.dynamics.reading.repairing import document
from ipc_articulation.errors import ModelError
from ipc_articulation.repairs import collected, strict

INERTIA = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
INERTIAL = f'<inertial><mass value="1"/>{INERTIA}</inertial>'


def robot(arm=INERTIAL, elbow="", kind="revolute", more=""):
    """Two links and a joint; line 3 is the arm's, line 4 the elbow's, line 5 for more."""
    return f"""<robot name="r">
<link name="base"/>
<link name="arm">{arm}</link>
<joint name="elbow" type="{kind}"><parent link="base"/><child link="arm"/>{elbow}</joint>
{more}
</robot>"""


def shaped(geometry):
    return robot(INERTIAL + f"<collision><geometry>{geometry}</geometry></collision>")


def joint(name, parent, child, inside="", kind="revolute"):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def read(given, **options):
    """The mechanism and the texts of the repairs, which are errors if they are strict."""
    with collected() as texts:
        mechanism = read_urdf(given, **options)
    if texts:
        with strict(), pytest.raises(ModelError) as error:
            read_urdf(given, **options)
        assert texts[0].startswith(f"{error.value}; ")
    return mechanism, texts


def repaired(given, **options):
    """The mechanism, and the text of its only repair."""
    mechanism, (text,) = read(given, **options)
    return mechanism, text


def arm(mechanism):
    return next(link for link in mechanism.links if link.name == "arm")


def elbow(mechanism):
    return next(joint for joint in mechanism.joints if joint.name == "elbow")


def test_a_good_file_is_read_without_a_repair():
    assert read(robot())[1] == []


GOOD = robot().encode()
XML = b'<?xml version="1.0"?>'


@pytest.mark.parametrize(
    ("content", "place", "fault", "remedy"),
    [
        (XML.replace(b"1.0", b"0.0") + b"\n" + GOOD, 1, "Unsupported version '0.0'", "read as version 1.0"),
        (b"\n\n<!-- a -->" + XML + GOOD, 3, "XML declaration allowed only at the start", "the declaration is ignored"),
        (GOOD + b"\n<robot/>", 7, "Extra content at the end", "what follows </robot> is ignored"),
        (GOOD + b"\x00", 6, "Extra content at the end", "what follows </robot> is ignored"),
        (b"hello\n" + GOOD, 1, "text before the first element", "the text is ignored"),
        (GOOD.replace(b"<link", b"<!-- a -- b --><link", 1), 2, "Double hyphen", "ignored"),
        (GOOD.replace(b"<link", b"&nbsp;<link", 1), 2, "Entity 'nbsp'", "left out"),
        (GOOD.replace(b'name="r"', b'name="r & s"'), 1, "xmlParseEntityRef: no name", "the character «&» is left out"),
        (GOOD.replace(b'name="base"', b'name="base" name="b"'), 2, "Attribute name redefined", "the first value"),
        (GOOD.replace(b"<link", b"<gazebo:a/><link", 1), 2, "Namespace prefix", "other tool"),
        (GOOD.replace(b'name="base"', b'gz:v="1" name="base"'), 2, "Namespace prefix gz", "read as another tool's"),
    ],
)
def test_xml_that_is_almost_well_formed(tmp_path, content, place, fault, remedy):
    file = tmp_path / "robot.urdf"
    file.write_bytes(content)
    mechanism, text = repaired(file)
    assert text.startswith(f"{file}:{place}: not well-formed XML: ")
    assert fault in text
    assert remedy in text
    assert [link.name for link in mechanism.links] == ["base", "arm"]


def test_a_file_is_recovered_by_all_who_ask_about_it(tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_bytes(XML.replace(b"1.0", b"0.0") + GOOD)
    with collected() as texts:
        assert loose_base(file) is None
        assert not closes_loops(file)
        read_urdf(file)
    assert len(texts) == 1


@pytest.mark.parametrize(
    ("declared", "content", "found"),
    [
        ("foo", "Küka".encode(), "utf-8"),
        ("utf-16", b"Kuka", "utf-8"),
        ("utf-8", "Küka".encode("latin-1"), "latin-1"),
    ],
)
def test_wrong_encodings(tmp_path, declared, content, found):
    file = tmp_path / "robot.urdf"
    text = f'<?xml version="1.0" encoding="{declared}"?>' + robot()
    file.write_bytes(text.encode().replace(b'name="r"', b'name="' + content + b'"'))
    mechanism, text = repaired(file)
    assert text == f"{file}:1: the file's encoding is not {declared}; read as {found}"
    assert mechanism.name == content.decode(found)


@pytest.mark.parametrize("content", [b"print(1)\n", b"a: \xff\n"])
def test_a_file_without_any_tag_is_not_said_to_have_a_wrong_encoding(tmp_path, content):
    file = tmp_path / "robot.urdf"
    file.write_bytes(content)
    with collected() as texts, pytest.raises(ModelError, match=":1: not well-formed XML: Start tag expected"):
        read_urdf(file)
    assert texts == []


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_byte_order_marks_are_no_fault(tmp_path, encoding):
    file = tmp_path / "robot.urdf"
    file.write_bytes(('<?xml version="1.0"?>' + robot()).replace('"r"', '"Küka"').encode(encoding))
    mechanism, texts = read(file)
    assert (mechanism.name, texts) == ("Küka", [])


def test_blanks_before_the_declaration_are_no_fault_of_the_robot(tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_text('\n\n<?xml version="1.0"?>' + robot(kind="hinge"))
    _, texts = read(file)
    assert [text.split(": ")[0] for text in texts] == [f"{file}:3", f"{file}:6"]


@pytest.mark.parametrize("name", ["macro", "property"])
@pytest.mark.parametrize("declared", ["", ' xmlns:xacro="http://ros.org/wiki/xacro"'])
def test_definitions_of_xacro_are_ignored(name, declared):
    text = robot(more=f'<xacro:{name} name="a"><link name="x"/></xacro:{name}>')
    mechanism, texts = read(text.replace('name="r"', f'name="r"{declared}'))
    assert len(mechanism.links) == 2
    assert texts[-1].startswith("<text>:5: this is a xacro file; ")
    assert texts[-1].endswith("; the definition is ignored")


@pytest.mark.parametrize("use", ["include", "if", "arm"])
def test_what_xacro_would_replace_is_refused(use):
    with pytest.raises(ModelError, match=r"^<text>:5: this is a xacro file; give what"):
        read(robot(more=f'<xacro:{use} xmlns:xacro="http://ros.org/wiki/xacro"/>'))


def test_unknown_names_are_reported_once_each():
    inside = '<joint_properties damping="1"/><axis xyz="0 0 1" frame="a"/>'
    more = '<link name="hand"/>' + joint("wrist", "arm", "hand", "<joint_properties/>", kind="fixed")
    mechanism, texts = read(robot(elbow=inside, more=more))
    np.testing.assert_array_equal(elbow(mechanism).joint.elements, RevoluteJoint((0, 0, 1)).elements)
    assert len(texts) == 2
    assert texts[0].startswith("<text>:4: joint 'elbow': <joint> has the unknown element <joint_properties>; valid: ")
    assert texts[0].endswith("; the element is ignored; likewise 'wrist'")
    assert texts[1].endswith("<axis> has the unknown attribute 'frame'; valid: xyz; the attribute is ignored")


@pytest.mark.parametrize(
    ("text", "misspelt"),
    [
        (robot(elbow='<limit lowr="0"/>'), "'lowr'"),
        (robot(elbow='<origin xzy="0 0 1"/>'), "'xzy'"),
        (robot(elbow="<limits/>"), "<limits>"),
        (robot(arm="<inertail/>"), "<inertail>"),
        (robot(more="<lnk/>"), "<lnk>"),
    ],
)
def test_misspelt_names_stay_errors(text, misspelt):
    with pytest.raises(ModelError, match=f"{misspelt}; did you mean"):
        read(text)


@pytest.mark.parametrize(
    ("text", "what", "read_as"),
    [
        (robot(elbow='<axis xyz="0 0 1"/><axis xyz="0 1 0"/>'), "<joint> has more than one <axis>", (0, 0, 1)),
        (robot(elbow='<axis xyz="0, 0, 1"/>'), '<axis> has xyz="0, 0, 1"; give 3 finite numbers', (0, 0, 1)),
        (robot(elbow='<axis xyz="0 0 1 0"/>'), '<axis> has xyz="0 0 1 0"; give 3 finite numbers', (0, 0, 1)),
        (robot(elbow='<axis xyz="0 0 0"/>'), "a joint axis must be three finite numbers, not all zero", (1, 0, 0)),
        (robot(elbow='<axis xyz="$(optenv A 0 0 1)"/>'), '<axis> has xyz="$(optenv A 0 0 1)"', (0, 0, 1)),
    ],
)
def test_axes(text, what, read_as):
    mechanism, said = repaired(text)
    assert said.startswith(f"<text>:4: joint 'elbow': {what}")
    assert elbow(mechanism).joint.elements == RevoluteJoint(read_as).elements


@pytest.mark.parametrize(
    ("kind", "expected"), [("Revolute", RevoluteJoint), ("slide", PrismaticJoint), ("ball", SphericalJoint)]
)
def test_other_names_of_types(kind, expected):
    mechanism, said = repaired(robot(kind=kind))
    assert type(elbow(mechanism).joint) is expected
    assert said.startswith(f"<text>:4: joint 'elbow': unknown type '{kind}'; ")


def test_equal_limits_of_position_are_none():
    mechanism, said = repaired(robot(elbow='<limit lower="0" upper="0" effort="2"/>'))
    assert np.isneginf(elbow(mechanism).lower)
    fault = "equal limits of position; the joint has no limits of position, as in RaiSim"
    assert said == f"<text>:4: joint 'elbow': {fault}"


def test_limits_that_contradict_each_other_are_left_out():
    mechanism, said = repaired(robot(elbow='<limit lower="1" upper="-1" effort="2"/>'))
    assert (elbow(mechanism).lower, elbow(mechanism).upper, elbow(mechanism).effort) == (-np.inf, np.inf, 2.0)
    assert said == (
        "<text>:4: joint 'elbow': lower limit [1.0] above upper limit [-1.0]; "
        "the joint has no limits of position, as in Bullet and MuJoCo"
    )


@pytest.mark.parametrize("text", ["-1.57.", "-1.57f", "-1.57;", "-1.57,", "$(optenv LOWEST -1.57)"])
def test_numbers_end_where_other_readers_stop(text):
    mechanism, said = repaired(robot(elbow=f'<limit lower="{text}"/>'))
    assert elbow(mechanism).lower == -1.57
    assert said == f'<text>:4: joint \'elbow\': <limit> has lower="{text}"; give a number; read as "-1.57"'


@pytest.mark.parametrize("text", ["1 2", "1,5", "one", "${a}", "$(arg a)", "1.2.3"])
def test_numbers_that_mean_nothing_are_refused(text):
    with pytest.raises(ModelError, match="<limit> has lower="):
        read(robot(elbow=f'<limit lower="{text}"/>'))


@pytest.mark.parametrize("name", ["effort", "velocity"])
def test_limits_of_zero_are_unknown(name):
    mechanism, said = repaired(robot(elbow=f'<limit {name}="0"/>'))
    assert getattr(elbow(mechanism), name) == np.inf
    assert said == f"<text>:4: joint 'elbow': <limit> has {name}=\"0\"; the joint has no limit of {name}"


@pytest.mark.parametrize("name", ["damping", "friction"])
def test_negative_losses_would_drive_the_joint(name):
    mechanism, said = repaired(robot(elbow=f'<dynamics {name}="-0.5"/>'))
    assert getattr(elbow(mechanism), name) == 0.0
    assert said == f"<text>:4: joint 'elbow': <dynamics> has {name}=\"-0.5\"; the joint has no {name}"


@pytest.mark.parametrize(
    ("leader", "more", "fault"),
    [
        ("elbow", "", "mimics itself"),
        ("shoulder", "", "mimics the unknown joint 'shoulder'; joints: elbow"),
        ("", "", '<mimic> lacks joint="…"'),
        (
            "wrist",
            f'<link name="hand">{INERTIAL}</link>' + joint("wrist", "arm", "hand", '<mimic joint="elbow"/>'),
            "mimics 'wrist', which mimics it in a circle",
        ),
    ],
)
def test_mimics_that_determine_nothing_are_left_out(leader, more, fault):
    mechanism, said = repaired(robot(elbow=f'<mimic joint="{leader}"/>', more=more))
    assert elbow(mechanism).mimic is None
    assert said == f"<text>:4: joint 'elbow': {fault}; <mimic> is left out, the joint moves freely"
    assert len(mechanism.build().followers) == bool(more)


def test_a_joint_that_mimics_a_fixed_one_is_fixed():
    more = '<link name="hand"/>' + joint("wrist", "arm", "hand", kind="fixed")
    text = robot(elbow='<mimic joint="wrist"/>', more=more)
    mechanism, said = repaired(text)
    assert isinstance(elbow(mechanism).joint, FixedJoint)
    assert said == "<text>:4: joint 'elbow': mimics 'wrist', which is fixed; the joint is fixed, too"
    mechanism, said = repaired(text.replace("<mimic ", '<mimic offset="1" '))
    assert isinstance(elbow(mechanism).joint, RevoluteJoint)
    assert said.endswith("; <mimic> is left out, the joint moves freely")


def test_a_repeated_link_is_left_out():
    mechanism, said = repaired(robot(more=f'<link name="arm">{INERTIAL}</link>'))
    assert len(mechanism.links) == 2
    assert said == (
        "<text>:5: link 'arm': line 3 has the same name; give each link its own; the repetition is left out"
    )


def test_different_links_with_the_same_name_are_refused():
    with pytest.raises(ModelError, match="line 3 has the same name; give each link its own"):
        read(robot(more='<link name="arm"/>'))


def test_a_joint_with_the_name_of_another_is_renamed():
    mechanism, said = repaired(robot(more='<link name="hand"/>' + joint("elbow", "arm", "hand", kind="fixed")))
    assert [joint.name for joint in mechanism.joints] == ["root_joint", "elbow", "elbow_2"]
    assert said.endswith("; renamed to 'elbow_2'")


def test_the_largest_tree_is_kept():
    mechanism, said = repaired(robot(more='<link name="world"/>'))
    assert [link.name for link in mechanism.links] == ["base", "arm"]
    assert said == (
        "<text>:1: links 'base', 'world' are no joint's child; join all but one of them to the rest; "
        "the tree of 'base' is kept, the others are left out"
    )


@pytest.mark.parametrize(
    ("inertial", "fault", "mass", "moments"),
    [
        (INERTIAL.replace('izz="1"', 'izz="3"'), "principal moments of inertia 1, 1, 3", 1, (4 / 3, 4 / 3, 8 / 3)),
        (INERTIAL.replace('izz="1"', 'izz="-1"'), "principal moments of inertia -1, 1, 1", 1, None),
        (INERTIAL.replace('value="1"', 'value="-1"'), "mass -1 kg; it must be positive", 1e-9, (1, 1, 1)),
        (INERTIAL.replace('value="1"', 'value="0"'), "mass 0 kg; it must be positive", 1e-9, (1, 1, 1)),
        ('<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixz="0" iyz="0"/></inertial>', "", 1, (1, 1, 1)),
    ],
)
def test_inertias_that_no_body_has(inertial, fault, mass, moments):
    mechanism, texts = read(robot(inertial))
    assert fault in texts[0]
    assert arm(mechanism).mass == mass
    found = np.linalg.eigvalsh(arm(mechanism).inertia)
    assert found[0] + found[1] >= found[2]
    if moments:
        np.testing.assert_allclose(found, moments, rtol=1e-6)
    mechanism.build()


def test_possible_inertias_stay_bit_for_bit():
    inertia = '<inertia ixx="0.1" ixy="0.001" ixz="0.0003" iyy="0.2" iyz="-0.004" izz="0.25"/>'
    mechanism, texts = read(robot(INERTIAL.replace(INERTIA, inertia)))
    assert texts == []
    rows = [[0.1, 0.001, 0.0003], [0.001, 0.2, -0.004], [0.0003, -0.004, 0.25]]
    np.testing.assert_array_equal(arm(mechanism).inertia, rows)


@pytest.mark.parametrize(
    ("shape", "mass", "moments"),
    [
        ('<box size="0.1 0.2 0.3"/>', 6.0, np.array([0.13, 0.1, 0.05]) / 2),
        ('<sphere radius="0.1"/>', 4.18879, 3 * [0.4 * 4.18879 * 0.01]),
        ('<cylinder radius="0.1" length="0.2"/>', 6.283185, [0.036652, 0.036652, 0.0314159]),
        ("", 4.18879e-3, 3 * [0.4 * 4.18879e-7]),
    ],
)
def test_the_end_of_a_chain_without_mass_gets_that_of_its_shape(shape, mass, moments):
    inside = f'<collision><origin xyz="0 0 1"/><geometry>{shape}</geometry></collision>' if shape else ""
    mechanism, said = repaired(robot(inside))
    assert said.startswith("<text>:3: link 'arm': joint 'elbow' moves no mass; the link is given ")
    assert arm(mechanism).mass == pytest.approx(mass)
    np.testing.assert_allclose(np.diag(arm(mechanism).inertia), moments, rtol=1e-5)
    np.testing.assert_array_equal(arm(mechanism).centre, (0, 0, 1) if shape else (0, 0, 0))
    mechanism.build()


def test_massless_links_above_massive_ones_stay_massless():
    more = f'<link name="hand">{INERTIAL}</link>' + joint("wrist", "arm", "hand")
    mechanism, texts = read(robot("", more=more))
    assert texts == []
    assert arm(mechanism).mass == 0.0
    mechanism.build()


def test_shapes_without_geometry_are_left_out():
    mechanism, texts = read(robot(INERTIAL + "<visual/><visual><geometry/></visual><collision><geometry/></collision>"))
    assert (arm(mechanism).visual, arm(mechanism).collision) == ((), ())
    assert len(texts) == 3


def test_the_first_of_several_shapes_is_used():
    mechanism, said = repaired(shaped('<cylinder radius="1" length="2"/><box size="1 1 1"/>'))
    assert [shape.geometry for shape in arm(mechanism).collision] == [Cylinder(1.0, 2.0)]
    assert said.startswith("<text>:3: link 'arm': <geometry> has 2 shapes; give one of box, ")


def test_materials_in_geometries_are_ignored():
    mechanism, said = repaired(shaped('<box size="1 1 1"/><material name="a"/>'))
    assert arm(mechanism).collision[0].geometry == Box((1.0, 1.0, 1.0))
    assert "the unknown element <material>" in said


@pytest.fixture
def package(tmp_path, monkeypatch):
    """The URDF file of a package, and its mesh; a function that reads a file with a mesh of a name."""
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    file, mesh = (
        tmp_path / "top" / "arms" / "urdf" / "arm.urdf",
        tmp_path / "top" / "arms" / "meshes" / "fine" / "Arm.stl",
    )
    for path in (file, mesh, mesh.parents[1] / "other" / "hand.stl", tmp_path / "elsewhere" / "arm.stl"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (file.parents[1] / "package.xml").touch()

    def meshes(name, kind="collision"):
        shape = f'<{kind}><geometry><mesh filename="{name}"/></geometry></{kind}>'
        file.write_text(robot(INERTIAL + shape))
        with warnings.catch_warnings():
            mechanism, texts = read(file)
        return [shape.geometry for shape in getattr(arm(mechanism), kind)], texts

    return file, mesh, meshes


@pytest.mark.parametrize(
    "name",
    [
        "meshes/fine/arm.stl",
        "fine/Arm.stl",
        "../../meshes/fine/Arm.stl",
        "..\\meshes\\fine\\Arm.stl",
        "C:\\robots\\arms\\meshes\\fine\\Arm.stl",
        "package://arms/arms/meshes/fine/Arm.stl",
        "package://arms_description/meshes/fine/Arm.STL",
        "file:///opt/robots/arms/meshes/fine/Arm.stl",
        "file://meshes/fine/Arm.stl",
        "/home/someone/arms/meshes/fine/Arm.stl",
        "Arm.stl",
    ],
)
def test_meshes_are_found_by_the_end_of_their_path(package, name):
    _, mesh, meshes = package
    (geometry,), (said,) = meshes(name)
    assert geometry == MeshFile(mesh)
    assert said.endswith(f"; the file with the same end of its path is used, '{mesh}'")


@pytest.mark.slow
def test_links_that_form_a_loop_are_no_files(package):
    file, mesh, meshes = package
    loop = mesh.parents[1] / "ring"
    loop.mkdir()
    (loop / "round").symlink_to(loop)
    (loop / "Arm.stl").symlink_to(loop / "arm.stl")
    (loop / "arm.stl").symlink_to(loop / "Arm.stl")
    assert meshes("Arm.stl")[0] == [MeshFile(mesh)]
    found, (said,) = meshes("gone.stl")
    assert found == []
    assert said.startswith(f"{file}:3: link 'arm': mesh file 'gone.stl' not found; ")


@pytest.mark.parametrize(
    "name",
    ["model://arms/meshes/fine/Arm.stl", "package:///arms/meshes/fine/Arm.stl", "package://meshes/fine/Arm.stl"],
)
def test_other_forms_of_packages_are_no_fault(package, name):
    _, mesh, meshes = package
    (geometry,), texts = meshes(name)
    assert (geometry, texts) == (MeshFile(mesh), [])


@pytest.mark.parametrize(("scale", "read_as"), [("2", 2.0), ("1 1 1 1", 1.0)])
def test_scales_are_three_numbers(package, scale, read_as):
    _, _, meshes = package
    (geometry,), (said,) = meshes(f'../meshes/fine/Arm.stl" scale="{scale}')
    assert geometry.scale == 3 * (read_as,)
    assert f'<mesh> has scale="{scale}"; give 3 finite numbers; read as' in said


@pytest.mark.parametrize("kind", ["visual", "collision"])
@pytest.mark.parametrize("name", ["nothing.stl", "package://arms/nothing.stl", "file:///etc/hostname", "/etc/hostname"])
def test_missing_meshes_and_those_of_others_are_left_out(package, kind, name):
    file, _, meshes = package
    found, (said,) = meshes(name, kind)
    assert found == []
    assert said.startswith(f"{file}:3: link 'arm': mesh file '{name}' not found; looked for ")
    assert said.endswith(f"; the {kind} is left out")


@pytest.mark.parametrize("name", ["", "  "])
def test_meshes_without_a_name_are_left_out(package, name):
    file, _, meshes = package
    found, (said,) = meshes(name)
    assert found == []
    assert said.startswith(f"{file}:3: link 'arm': <mesh> lacks filename=")
    assert said.endswith(" is left out")


@pytest.mark.parametrize(
    "name", ["../" * 30 + "etc/hostname", "package://etc/hostname", "package://arms/../../../../etc/x"]
)
def test_nothing_outside_the_files_folders_is_read(package, name):
    _, _, meshes = package
    assert meshes(name)[0] == []


BOMB = "<!DOCTYPE robot [<!ENTITY a0 'aaaaaaaaaa'>{}]><robot><link name='b'/>&a9;</robot>".format(
    "".join(f"<!ENTITY a{i} '{10 * f'&a{i - 1};'}'>" for i in range(1, 10))
)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", ": the file is empty; give a URDF file"),
        (b" \n", ": the file is empty; give a URDF file"),
        (b"hello", ":1: not well-formed XML: Start tag expected"),
        (bytes(range(256)) * 100, ":"),
        (GOOD[:-20], ":4: not well-formed XML: "),
        (GOOD[:120], ":3: not well-formed XML: "),
        (GOOD.replace(b"</joint>", b""), ":6: not well-formed XML: Opening and ending tag mismatch"),
        (b"<robot name=a/>", ":1: not well-formed XML: AttValue"),
        (BOMB.encode(), ":1: not well-formed XML: Maximum entity amplification factor exceeded"),
        (b"<robot>" + 100_000 * b"<a>", ":1: not well-formed XML: Excessive depth"),
        (b"<html><p/></html>", ":1: the outermost element is <html>; that of a URDF file is <robot>"),
        (b"<robot>" + 100_000 * b'<link name="a"/>' + b"</robot>", ":1: <robot> has 100000 links; the most are 10000"),
        (
            b"<robot><link name='a'>" + 20_000 * b"<collision/>" + b"</link></robot>",
            ":1: <robot> has 20000 collisions; the most are 10000",
        ),
    ],
)
def test_what_is_no_robot_is_refused(tmp_path, content, message):
    file = tmp_path / "robot.urdf"
    file.write_bytes(content)
    with pytest.raises(ModelError) as error:
        read_urdf(file)
    assert str(error.value).startswith(f"{file}{message}")


def test_entities_of_other_files_are_left_out(tmp_path):
    (tmp_path / "secret").write_text('<link name="secret"/>')
    file = tmp_path / "robot.urdf"
    file.write_text(f'<!DOCTYPE robot [<!ENTITY a SYSTEM "{tmp_path}/secret">]>' + robot(more="&a;"))
    mechanism, said = repaired(file)
    assert [link.name for link in mechanism.links] == ["base", "arm"]
    assert "Entity 'a' not defined" in said


def test_entities_that_contain_themselves_are_refused():
    with pytest.raises(ModelError, match="not well-formed XML: "):
        read('<!DOCTYPE robot [<!ENTITY a "&b;"><!ENTITY b "&a;">]>' + robot(more="&a;"))


COUNT = 1000


@pytest.mark.parametrize(
    ("name", "inside"), [("j{}", '<mimic joint="x{}"/>'), ("j{}", '<mimic joint="j{}"/>'), ("j", "<unknown{}/>")]
)
def test_long_files_are_repaired_in_linear_time(name, inside):
    links = "".join(f'<link name="l{i}"/>' for i in range(COUNT))
    joints = (joint(name.format(i), f"l{i}", f"l{i + 1}", inside.format(i + 1)) for i in range(COUNT - 1))
    start = process_time()
    with collected():
        read_urdf(f"<robot>{links}{''.join(joints)}</robot>")
    assert process_time() - start < 8.0  # 1 s; where each joint is compared with all others, more


def test_files_that_are_too_large_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(document, "LARGEST", 1 << 20)
    file = tmp_path / "robot.urdf"
    file.write_bytes(b" " * (2 << 20))
    with pytest.raises(ModelError, match=r"the file has more than 1 MB; give a URDF file$"):
        read_urdf(file)


@pytest.mark.parametrize("xyz", ["0,0 0,0 0,25", "0,05, 0,05, 0,2", "1,5 2 3"])
def test_commas_that_may_be_decimal_marks_are_refused(xyz):
    with pytest.raises(
        ModelError, match=rf"^<text>:4: joint 'elbow': <origin> has xyz=\"{xyz}\"; give 3 finite numbers$"
    ):
        read_urdf(robot(elbow=f'<origin xyz="{xyz}"/>'))


@pytest.mark.parametrize("declared", ["", ' xmlns:drake="https://drake.mit.edu/"'])
def test_a_joint_of_another_tool_is_named(declared):
    """What hangs on it is a tree of its own, and left out."""
    theirs = joint("ball_1", "arm", "hand", kind="ball").replace("joint name", "drake:joint name")
    theirs = theirs.replace("</joint>", "</drake:joint>")
    text = robot(more=f'<link name="hand">{INERTIAL}</link>{theirs}').replace("<robot", f"<robot{declared}")
    mechanism, texts = read(text)
    said = "<text>:5: joint 'ball_1': it is a <drake:joint>, which is another tool's; the joint is left out"
    assert said in texts
    assert [link.name for link in mechanism.links] == ["base", "arm"]
    assert len(texts) == (2 if declared else 3)
