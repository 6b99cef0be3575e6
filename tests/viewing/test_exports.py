"""Exports are read back by other libraries: every vertex is where the recording has it."""

import json
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh
from numpy.testing import assert_allclose

from ipc_articulation.errors import ViewingError
from ipc_articulation.recording import Recording, Visual
from ipc_articulation.spatial import rotation_from_quaternion
from ipc_articulation.viewing.bodies import placed
from ipc_articulation.viewing.exporting import export
from tests.viewing.made import recording

ROWS = np.array([0, 3, 10])
TOLERANCE = 1e-6  # m
Y_UP = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])  # z goes to y


def expected(made: Recording, name: str, row: int) -> np.ndarray:
    body = next(surface for surface in made.scenery.surfaces if surface.name == name)
    moving = name in made.body_names
    return placed(body.vertices, made.body_poses[row, made.body_names.index(name)] if moving else body.pose)


@pytest.fixture
def made() -> Recording:
    """As IPC's bodies are: rigid but for 1e-7."""
    made = recording()
    made.buffers["body_poses"][..., :3, :3] += 1e-7 * np.random.default_rng(1).standard_normal((11, 2, 3, 3))
    return made


def test_obj(made: Recording, tmp_path: Path) -> None:
    shown: list[int] = []
    words = export(made, "obj", None, tmp_path, ROWS, "link", shown.append)
    assert words == f"{tmp_path / 'obj'}: 3 files run_*.obj, from 0 s to 1 s"
    assert shown == [1, 2, 3]
    for k, row in enumerate(ROWS):
        scene = trimesh.load(tmp_path / "obj" / f"run_{k:04d}.obj", split_object=True, process=False)
        read = {mesh.metadata.get("name", name): mesh for name, mesh in scene.geometry.items()}
        assert len(read) == 3
        text = (tmp_path / "obj" / f"run_{k:04d}.obj").read_text()
        points = np.array([line.split()[1:] for line in text.splitlines() if line.startswith("v ")], dtype=float)
        for body, vertices in zip(made.scenery.surfaces, np.split(points, 3), strict=True):
            assert_allclose(vertices, expected(made, body.name, row), atol=TOLERANCE)
            mesh = read["_".join(body.name.split())]
            assert_allclose(mesh.bounds, [vertices.min(axis=0), vertices.max(axis=0)], atol=TOLERANCE)
            assert mesh.volume == pytest.approx(0.5 * 0.4 * 0.3)  # faces are right
    assert (tmp_path / "obj" / "materials.mtl").read_text().count("newmtl") == 3


def test_gltf(made: Recording, tmp_path: Path) -> None:
    file = tmp_path / "run.glb"
    words = export(made, "gltf", file, tmp_path, ROWS)
    assert words.startswith(f"{file}: 1 s; rigid poses put vertices up to ")
    scene = trimesh.load(file)
    for body in made.scenery.surfaces:
        transform, geometry = scene.graph[body.name]
        at_start = placed(scene.geometry[geometry].vertices, transform)
        assert_allclose(at_start, expected(made, body.name, 0) @ Y_UP.T, atol=TOLERANCE)
    time, motion = animation(file)
    assert_allclose(time, made.time[ROWS], atol=TOLERANCE)
    assert set(motion) == {"link", "a crate"}
    for name, tracks in motion.items():
        vertices = scene.geometry[name].vertices
        for k, row in enumerate(ROWS):
            turn = rotation_from_quaternion(np.roll(tracks["rotation"][k], 1))
            assert_allclose(vertices @ turn.T + tracks["translation"][k], expected(made, name, row), atol=TOLERANCE)


def animation(file: Path) -> tuple[np.ndarray, dict[str, dict[str, np.ndarray]]]:
    """Times and tracks of each node, read by glTF's own rules."""
    data = file.read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    tree, binary = json.loads(data[20 : 20 + length]), data[28 + length :]

    def values(index: int) -> np.ndarray:
        accessor = tree["accessors"][index]
        view = tree["bufferViews"][accessor["bufferView"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        read = np.frombuffer(binary, "<f4", accessor["count"] * width, view["byteOffset"]).reshape(-1, width)
        assert_allclose(read.min(axis=0), accessor["min"])
        return read

    (track,) = tree["animations"]
    motion: dict[str, dict[str, np.ndarray]] = {}
    for channel in track["channels"]:
        sampler, node = track["samplers"][channel["sampler"]], tree["nodes"][channel["target"]["node"]]
        assert "matrix" not in node  # or viewers ignore the animation
        motion.setdefault(node["name"], {})[channel["target"]["path"]] = values(sampler["output"])
        time = values(sampler["input"])[:, 0]
    return time, motion


@pytest.mark.parametrize("suffix", ["usda", "usdc"])
def test_usd(made: Recording, tmp_path: Path, suffix: str) -> None:
    usd, geom = pytest.importorskip("pxr.Usd"), pytest.importorskip("pxr.UsdGeom")
    file = tmp_path / f"run.{suffix}"
    assert export(made, "usd", file, tmp_path, ROWS) == f"{file}: 1 s, 3 samples"
    stage = usd.Stage.Open(str(file))
    assert (geom.GetStageUpAxis(stage), geom.GetStageMetersPerUnit(stage)) == ("Z", 1.0)
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0.0, 24.0)
    bodies = {prim.GetDisplayName(): prim for prim in stage.GetPrimAtPath("/scene").GetChildren()}
    assert set(bodies) == {"link", "a crate", "wall"}
    for name, prim in bodies.items():
        points = np.array(geom.Mesh(prim.GetChild(prim.GetName())).GetPointsAttr().Get())
        for row in ROWS:
            matrix = np.array(geom.Xformable(prim).ComputeLocalToWorldTransform(24.0 * made.time[row]))
            assert_allclose(points @ matrix[:3, :3] + matrix[3, :3], expected(made, name, row), atol=TOLERANCE)


def renamed(made: Recording, *names: str) -> Recording:
    """With other names of the link, the crate and the wall, of which none moves."""
    surfaces = tuple(replace(body, name=name) for body, name in zip(made.scenery.surfaces, names, strict=True))
    made.__dict__["scenery"] = replace(made.scenery, surfaces=surfaces)
    return made


def test_bodies_may_have_names_of_gltf_nodes_above_them(made: Recording, tmp_path: Path) -> None:
    export(renamed(made, "scene", "a crate", "wall"), "gltf", tmp_path / "run.glb", tmp_path, ROWS)
    scene = trimesh.load(tmp_path / "run.glb")
    for body in made.scenery.surfaces:
        transform, geometry = scene.graph[body.name]
        at_start = placed(scene.geometry[geometry].vertices, transform)
        assert_allclose(at_start, placed(body.vertices, body.pose) @ Y_UP.T, atol=TOLERANCE)


def test_names_in_obj_files_differ(made: Recording, tmp_path: Path) -> None:
    export(renamed(made, "a b", "a_b", "wall"), "obj", None, tmp_path, ROWS)
    for file, key in (("run_0000.obj", "o "), ("run_0000.obj", "usemtl "), ("materials.mtl", "newmtl ")):
        lines = (tmp_path / "obj" / file).read_text().splitlines()
        assert [line.removeprefix(key) for line in lines if line.startswith(key)] == ["a_b", "a_b_", "wall"]


# The crate's orange of the screen, #f0a050, in linear light by the formula of IEC 61966-2-1.
ORANGE = [((channel / 255.0 + 0.055) / 1.055) ** 2.4 for channel in (0xF0, 0xA0, 0x50)]


def glassy(made: Recording) -> Recording:
    """The wall has half its light pass."""
    *others, wall = made.scenery.surfaces
    visual = Visual(wall.vertices, wall.faces, (1.0, 1.0, 1.0, 0.5))
    made.__dict__["scenery"] = replace(made.scenery, surfaces=(*others, replace(wall, visual=(visual,))))
    return made


def test_gltf_has_linear_colours_and_opacity(made: Recording, tmp_path: Path) -> None:
    export(glassy(made), "gltf", tmp_path / "run.glb", tmp_path, ROWS)
    data = (tmp_path / "run.glb").read_bytes()
    tree = json.loads(data[20 : 20 + struct.unpack_from("<I", data, 12)[0]])
    materials = {material["name"]: material for material in tree["materials"]}
    assert_allclose(materials["a crate"]["pbrMetallicRoughness"]["baseColorFactor"], [*ORANGE, 1.0])
    assert_allclose(materials["wall"]["pbrMetallicRoughness"]["baseColorFactor"], [1.0, 1.0, 1.0, 0.5])
    assert [materials[name]["alphaMode"] for name in ("a crate", "wall")] == ["OPAQUE", "BLEND"]


def test_usd_has_linear_colours_opacity_and_flat_faces(made: Recording, tmp_path: Path) -> None:
    usd, geom = pytest.importorskip("pxr.Usd"), pytest.importorskip("pxr.UsdGeom")
    export(glassy(made), "usd", tmp_path / "run.usda", tmp_path, ROWS)
    stage = usd.Stage.Open(str(tmp_path / "run.usda"))
    crate, wall = (geom.Mesh(stage.GetPrimAtPath(f"/scene/{name}/{name}")) for name in ("a_crate", "wall"))
    assert_allclose(crate.GetDisplayColorAttr().Get()[0], ORANGE, rtol=1e-6)
    assert [mesh.GetDisplayOpacityAttr().Get()[0] for mesh in (crate, wall)] == [1.0, 0.5]
    assert crate.GetNormalsInterpolation() == "uniform"
    box = made.scenery.surfaces[1]
    normals = trimesh.Trimesh(box.vertices, box.faces, process=False).face_normals
    assert_allclose(crate.GetNormalsAttr().Get(), normals, atol=1e-6)


def test_obj_has_opacity(made: Recording, tmp_path: Path) -> None:
    export(glassy(made), "obj", None, tmp_path, ROWS)
    text = (tmp_path / "obj" / "materials.mtl").read_text()
    assert [line for line in text.splitlines() if line.startswith("d ")] == ["d 1.0000", "d 1.0000", "d 0.5000"]


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ("gltf", "run.txt: glTF is written as a binary .glb file"),
        ("usd", "run.txt: a USD file ends in .usdc, .usda, .usd"),
    ],
)
def test_another_ending_is_refused(made: Recording, tmp_path: Path, form: str, message: str) -> None:
    if form == "usd":
        pytest.importorskip("pxr")
    with pytest.raises(ViewingError) as caught:
        export(made, form, tmp_path / "run.txt", tmp_path, ROWS)
    assert str(caught.value) == message
