"""Which files a robot's file may name."""

import os
import shutil
import sysconfig
import tempfile
from pathlib import Path

import pytest

from ipc_articulation.dynamics.reading import read_urdf
from ipc_articulation.dynamics.reading.readable import Readable
from ipc_articulation.repairs import RepairWarning

HERE = Path("a/b/c/d/robot")


@pytest.fixture
def allows(tmp_path):
    """Whether a file, made where a path leads from the robot's folder, may be read."""
    (tmp_path / HERE).mkdir(parents=True)

    def answer(name, *given, whole=False, make=Path.touch):
        file = tmp_path / HERE / name
        file.parent.mkdir(parents=True, exist_ok=True)
        make(file)
        return Readable(tmp_path / HERE, [tmp_path / folder for folder in given]).allows(file, whole)

    return answer


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("part", True),
        ("meshes/part.txt", True),
        ("../meshes/part.STL", True),
        ("../../../../../part.png", True),
        ("../common/scene.xml", True),
        ("../notes.txt", False),
        ("../../secret", False),
    ],
)
def test_all_files_beside_the_robot_and_parts_of_robots_above_it_may_be_read(allows, name, allowed):
    assert allows(name) == allowed


@pytest.mark.parametrize(("name", "allowed"), [("../../../part.stl", True), ("../../../../part.stl", False)])
def test_whole_paths_lead_to_near_folders_only(allows, name, allowed):
    assert allows(name, whole=True) == allowed


def test_all_files_of_given_folders_may_be_read(allows):
    assert allows("../../shared/part", "a/b/c/shared", whole=True)


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_only_files_are_read(allows, make):
    assert not allows("part.stl", make=make)


@pytest.mark.parametrize(
    ("target", "given", "allowed"),
    [
        ("/dev/zero", [], False),
        ("/etc/hostname", [], False),
        ("../here.stl", [], True),
        ("/etc/hostname", ["."], False),
    ],
)
def test_a_link_counts_as_what_it_leads_to(allows, target, given, allowed):
    allows("../here.stl")
    assert allows("part.stl", *given, make=lambda file: file.symlink_to(target)) == allowed


def test_links_in_given_folders_lead_to_parts_of_robots_anywhere(allows):
    other = Path(sysconfig.get_path("stdlib")) / "idlelib" / "Icons" / "idle_16.png"
    if not other.is_file() or other.resolve().parts[1] == Path(tempfile.gettempdir()).resolve().parts[1]:
        pytest.skip("no picture outside the folder of temporary files")
    link = lambda file: (file.unlink(missing_ok=True), file.symlink_to(other))  # noqa: E731
    assert not allows("part.png", make=link)
    assert allows("part.png", ".", make=link)


def test_names_that_no_file_can_have_are_no_error():
    assert not Readable(Path()).allows(Path("x" * 5000))
    assert not Readable(Path()).allows(Path("a\0b"))


def test_a_urdf_file_reads_no_link_to_another_place(tmp_path):
    shutil.copy("/etc/hostname", tmp_path / "real.stl")
    (tmp_path / "part.stl").symlink_to("/etc/hostname")
    file = tmp_path / "r.urdf"
    shape = '<visual><geometry><mesh filename="part.stl"/></geometry></visual>'
    file.write_text(f'<robot name="r"><link name="arm">{shape}</link></robot>')
    with pytest.warns(RepairWarning, match=r"r.urdf:1: link 'arm': mesh file 'part.stl' not found"):
        assert not read_urdf(file).links[0].visual
