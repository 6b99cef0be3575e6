"""The files that an MJCF file includes and attaches: which are read, in which encoding, and from where."""

import os
import re

import pytest
import trimesh
from ipc_articulation.adapters.mujoco import load_model

from ipc_articulation.errors import ModelError
from ipc_articulation.repairs import RepairWarning, strict

BODY = "<body name='b'><joint name='j'/><geom type='box' size='1 1 1'/></body>"


def model(head="", world=BODY):
    return f"<mujoco>\n{head}<worldbody>{world}</worldbody></mujoco>"


INCLUDE = "<include file='{}'/>"
ATTACH = "<asset><model name='other' file='{}'/></asset>"
FLEX = "<worldbody><flexcomp name='f' type='gmsh' file='{}'/></worldbody>"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize("element", [INCLUDE, ATTACH, FLEX])
@pytest.mark.parametrize(
    "name", ["/etc/hostname", "../../../../../../../../etc/hostname", "folder", "pipe", "link.xml"]
)
def test_what_is_no_file_or_outside_is_refused_before_it_is_opened(tmp_path, element, name):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link.xml").symlink_to("/etc/hostname")
    tag = re.search(r"<(\w+) [^<]*file", element)[1]
    path = write(tmp_path / "robot.xml", model(element.format(name)))
    with pytest.raises(
        ModelError, match=rf"robot\.xml:2: <{tag}> names '{name}', which may not be read: it is no file, or"
    ):
        load_model(path)


@pytest.mark.parametrize("element", [INCLUDE, ATTACH])
def test_missing_files_are_named_with_their_line(tmp_path, element):
    path = write(tmp_path / "robot.xml", model(element.format("none.xml")))
    with pytest.raises(ModelError, match=r"robot\.xml:2: <\w+> names 'none\.xml'; there is no such file$"):
        load_model(path)


@pytest.mark.parametrize("element", [INCLUDE, ATTACH])
def test_files_that_contain_themselves_are_refused(tmp_path, element):
    path = write(tmp_path / "robot.xml", model(element.format("robot.xml")))
    with pytest.raises(ModelError, match=r"robot\.xml:2: <\w+> names 'robot\.xml', which contains this file itself$"):
        load_model(path)
    write(path, model(element.format("second.xml")))
    write(tmp_path / "second.xml", model(element.format("robot.xml")))
    with pytest.raises(ModelError, match=r"second\.xml:2: <\w+> names 'robot\.xml', which contains this file itself$"):
        load_model(path)


def test_entities_are_refused(tmp_path):
    text = "<!DOCTYPE mujoco [<!ENTITY other SYSTEM '/etc/hostname'>]>" + model(INCLUDE.format("&other;"))
    with pytest.raises(ModelError, match=r"robot\.xml:1: <!ENTITY> is nothing that MuJoCo reads"):
        load_model(write(tmp_path / "robot.xml", text))


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-8-sig"])
@pytest.mark.parametrize("part", ["robot.xml", "part.xml"])
def test_names_are_read_in_the_encoding_of_their_file(tmp_path, encoding, part):
    write(tmp_path / "robot.xml", model(INCLUDE.format("part.xml")))
    write(tmp_path / "part.xml", "<mujocoinclude><worldbody><body name='c'/></worldbody></mujocoinclude>")
    file = tmp_path / part
    file.write_bytes(re.sub(r"name='\w", "name='é", file.read_text()).encode(encoding))
    if encoding == "latin-1":
        with pytest.warns(RepairWarning, match=f"{part}:1: the file's encoding is not utf-8; read as latin-1"):
            assert load_model(tmp_path / "robot.xml").body("é").id
    else:
        assert load_model(tmp_path / "robot.xml").body("é").id


@pytest.mark.parametrize("content", ["", " \n"])
def test_an_empty_file_is_called_empty(tmp_path, content):
    with pytest.raises(ModelError, match=r"robot\.xml: the file is empty; give an MJCF file$"):
        load_model(write(tmp_path / "robot.xml", content))


@pytest.mark.parametrize("where", ["{}/hand.xml", "deep/{}/hand.xml"])
def test_attached_models_have_their_own_files_even_if_the_names_are_equal(tmp_path, where):
    """Both hands have a mesh `meshes/part.stl`, the second of them in a file that its model includes."""
    for side, size in (("left", 1.0), ("right", 3.0)):
        hand = tmp_path / where.format(side)
        asset = "<mujocoinclude><asset><mesh file='part.stl'/></asset></mujocoinclude>"
        write(hand.parent / "parts" / "asset.xml", asset)
        world = "<body name='b'><geom type='mesh' mesh='part'/></body>"
        head = "<compiler meshdir='meshes'/><include file='parts/asset.xml'/>"
        write(hand, model(head, world))
        (hand.parent / "meshes").mkdir()
        trimesh.creation.box(3 * (size,)).export(hand.parent / "meshes" / "part.stl")
    models = "".join(f"<model name='{side}' file='{where.format(side)}'/>" for side in ("left", "right"))
    world = "".join(f"<attach model='{side}' body='b' prefix='{side}_'/>" for side in ("left", "right"))
    with strict():
        found = load_model(write(tmp_path / "robot.xml", model(f"<asset>{models}</asset>", world)))
    assert found.body("left_b").mass == pytest.approx(1000.0)
    assert found.body("right_b").mass == pytest.approx(27000.0)
