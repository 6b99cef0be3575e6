"""Soft bodies, cloth and rods in scene files: values, and what is refused, with its place."""

from pathlib import Path

import pytest

from ipc_articulation.errors import SceneFileError
from ipc_articulation.scenefile.published_materials import PUBLISHED, elastic_values
from ipc_articulation.scenefile.reading import read_scene

SCENE = """\
adapter: none
dt: 0.01
steps: 10
materials:
  cotton: {friction: 0.3, density: 500}
  jelly: {youngs_modulus: 1e4, poissons_ratio: 0.4}
bodies:
  - {name: post, shape: {type: box, size: [1, 1, 1]}, fixed: true}
walls:
  - {name: side, point: [0, 0, 0], normal: [1, 0, 0]}
soft:
  - name: sponge
    shape: {type: sphere, radius: 0.05}
    resolution: 0.02
    material: foam
    attach:
      - {to: post, within: 0.01}
  - name: pudding
    shape: {type: box, size: [0.1, 0.1, 0.1]}
    resolution: 0.02
    material: jelly
    youngs_modulus: 2e4
cloth:
  - name: towel
    shape: {type: grid, size: [0.4, 0.3], cells: [8, 6]}
    material: cotton
    fixed:
      - {side: -x}
rods:
  - name: cable
    shape: {type: polyline, points: [[0, 0, 0], [1, 0, 0]], segments: 5}
    thickness: 0.01
    material: rubber
"""


def write(folder: Path, text: str) -> Path:
    file = folder / "scene.yaml"
    file.write_text(text)
    return file


def test_values_are_the_bodys_own_else_its_materials_else_published(tmp_path: Path) -> None:
    scene, _ = read_scene(write(tmp_path, SCENE))
    values = {body.name: elastic_values(body, scene.materials) for body in scene.soft_bodies}
    foam, cotton = PUBLISHED["foam"], PUBLISHED["cotton"]
    assert (values["sponge"].youngs_modulus, values["sponge"].density) == (foam.youngs_modulus, foam.density)
    assert (values["pudding"].youngs_modulus, values["pudding"].poissons_ratio) == (2e4, 0.4)
    assert values["pudding"].density == 1000.0
    assert (values["towel"].thickness, values["towel"].density) == (cotton.thickness, 500.0)
    assert values["cable"].youngs_modulus == PUBLISHED["rubber"].youngs_modulus


def test_the_thickness_of_a_body_is_its_own(tmp_path: Path) -> None:
    scene, _ = read_scene(write(tmp_path, SCENE), {"cloth.towel.thickness": 0.002})
    assert elastic_values(scene.cloth[0], scene.materials).thickness == 0.002
    assert elastic_values(scene.rods[0], scene.materials).thickness == 0.01


@pytest.mark.parametrize(
    ("old", "new", "place", "text"),
    [
        ("poissons_ratio: 0.4", "poissons_ratio: 0.5", "6:48", "Poisson's ratio must be at least 0 and less than 0.5"),
        ("material: jelly", "poissons_ratio: -0.1", "21:21", "Poisson's ratio must be at least 0 and less than 0.5"),
        ("youngs_modulus: 2e4", "youngs_modulus: -2e4", "22:21", "soft[1].youngs_modulus should be greater than 0"),
        (
            "material: foam",
            "material: foma",
            "15:15",
            "unknown material 'foma'; did you mean 'foam'? materials: cotton",
        ),
        (
            "    material: jelly\n    youngs_modulus: 2e4\n",
            "",
            "18:5",
            "'pudding' needs youngs_modulus and poissons_rat",
        ),
        (
            "    material: cotton\n",
            "    material: jelly\n",
            "24:5",
            "'towel' needs thickness; material 'jelly' has none",
        ),
        (
            "    resolution: 0.02\n    material: foam",
            "    material: foam",
            "12:5",
            "'sponge' needs `resolution`, the length",
        ),
        (
            "{to: post, within: 0.01}",
            "{to: post}",
            "17:9",
            "give `within`, one of box, nearest, side, vertices, or both",
        ),
        (
            "{to: post, within: 0.01}",
            "{to: side, side: -x}",
            "17:14",
            "'side' is a half-space; attach 'sponge' to a link",
        ),
        (
            "{to: post, within: 0.01}",
            "{to: towel, side: -x}",
            "17:14",
            "'towel' is soft; attach 'sponge' to a link, to",
        ),
        (
            "{to: post, within: 0.01}",
            "{to: world, within: 0.01}",
            "17:29",
            "attached to the world do not move; `within`",
        ),
        ("{side: -x}", "{}", "28:9", "give one of box, nearest, side, vertices; got none"),
        ("{side: -x}", "{side: -x, vertices: [0]}", "28:9", "give one of box, nearest, side, vertices; got side, vert"),
        ("{side: -x}", "{side: left}", "28:16", "cloth[0].fixed[0].side should be '-x', '+x', '-y', '+y', '-z', '+z'"),
        ("{side: -x}", "{vertices: [-1]}", "28:21", "vertices[0] should be greater than or equal to 0, got -1"),
        ("name: cable", "name: post", "30:11", "the name 'post' is already used"),
        ("name: cable", "name: sponge", "30:11", "the name 'sponge' is already used"),
        ("name: post", "name: world", "8:12", "the name 'world' means what never moves; give another one, such as"),
        ("name: side", "name: world", "10:12", "the name 'world' means what never moves"),
        ("name: sponge", "name: world", "12:11", "the name 'world' means what never moves"),
        ("name: towel", "name: world", "24:11", "the name 'world' means what never moves"),
        ("name: cable", "name: world", "30:11", "the name 'world' means what never moves"),
        ("cells: [8, 6]", "cells: [0, 6]", "25:51", "cells[0] should be greater than 0, got 0"),
        ("cells: [8, 6]", "cells: [8000, 6000]", "25:50", "a grid has at most 1,000,000 cells, got 48,000,000"),
        (
            "segments: 5}",
            "segments: 10000000000000}",
            "31:71",
            "a rod has at most 1,000,000 segments, got 10,000,000,000,000",
        ),
        (
            "{type: polyline, points: [[0, 0, 0], [1, 0, 0]], segments: 5}",
            f"{{type: line, length: 1, segments: 1{'0' * 200}}}",
            "31:46",
            "a rod has at most 1,000,000 segments, got more than 10^15",
        ),
        (
            "resolution: 0.02\n    material: jelly",
            "resolution: 0.0002\n    material: jelly",
            "20:17",
            "a box has at most 1,000,000 cells, got 125,000,000: give a larger resolution, about 0.001 m",
        ),
        ("[1, 0, 0]]", "[0, 0, 0]]", "31:49", "point 1 of a polyline must differ from the one before it"),
        ("points: [[0, 0, 0], [1, 0, 0]]", "points: [[0, 0, 0]]", "31:37", "points should have at least 2 items"),
        ("type: sphere", "type: ball", "13:19", "unknown type 'ball'; valid: box, capsule, cylinder, ellipsoid, mesh"),
        ("    thickness: 0.01\n", "", "30:5", "missing key 'thickness'"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(tmp_path: Path, old: str, new: str, place: str, text: str) -> None:
    assert old in SCENE
    with pytest.raises(SceneFileError) as caught:
        read_scene(write(tmp_path, SCENE.replace(old, new, 1)))
    assert text in str(caught.value)
    assert f"scene.yaml:{place}:" in str(caught.value)


def test_a_file_of_tetrahedra_has_its_own_resolution(tmp_path: Path) -> None:
    (tmp_path / "a.msh").write_text("")
    text = SCENE.replace("{type: sphere, radius: 0.05}", "{type: tetrahedra, file: a.msh}")
    with pytest.raises(
        SceneFileError, match=r":14:17: the file of 'sponge' has its elements already; `resolution` has"
    ):
        read_scene(write(tmp_path, text))


def test_published_materials_are_plausible() -> None:
    """Every value is in SI units, and has a source."""
    for material in PUBLISHED.values():
        assert 1e4 < material.youngs_modulus < 1e10
        assert 0.0 < material.poissons_ratio < 0.5
        assert 10.0 < material.density < 1e4
        assert len(material.source) > 20
        assert material.thickness is None or 1e-4 < material.thickness < 1e-3
