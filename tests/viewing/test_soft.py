"""Soft bodies in pictures and exports: their surfaces, and every vertex where the recording has it."""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from numpy.testing import assert_allclose

from ipc_articulation.errors import ViewingError
from ipc_articulation.meshing.boundary import is_closed
from ipc_articulation.meshing.grids import box_tetrahedra, rectangle_triangles
from ipc_articulation.recording import Recording, Scenery, SoftShape
from ipc_articulation.viewing.bodies import bounds
from ipc_articulation.viewing.exporting import export
from ipc_articulation.viewing.forces import ForceArrows
from ipc_articulation.viewing.replaying import write_page
from ipc_articulation.viewing.replaying.played import Played
from ipc_articulation.viewing.replaying.viser_scene import ViserScene
from ipc_articulation.viewing.soft_strain import SoftStrain, StrainScale
from ipc_articulation.viewing.soft_surfaces import SoftSurface
from ipc_articulation.viewing.strain_colours import strain_colours
from tests.viewing.made import DT, UP, recording
from tests.viewing.test_pictures import SMALL, drawn

ROWS = np.array([0, 2, 4])
Y_UP = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])  # z goes to y


def solid() -> SoftShape:
    vertices, cells = box_tetrahedra((0.4, 0.4, 0.4), (2, 2, 2))
    return SoftShape("a sponge", cells.astype(np.int32), vertices, 0.0)


def sheet() -> SoftShape:
    vertices, cells = rectangle_triangles((0.4, 0.4), (2, 2))
    return SoftShape("towel", cells.astype(np.int32), vertices + np.array([1.0, 0.0, 0.0]), 0.001)


def rod() -> SoftShape:
    points = np.array([[-1.0, 0.0, 0.0], [-1.0, 0.0, 0.4], [-1.0, 0.3, 0.7]])
    return SoftShape("cable", np.array([[0, 1], [1, 2]], dtype=np.int32), points, 0.05)


@pytest.fixture
def made() -> Recording:
    """Five rows in which everything rises and widens."""
    shapes = (solid(), sheet(), rod())
    made = Recording("run", DT, 4, (), (), scenery=Scenery((), (), UP, soft=shapes))
    made.rows = 5
    start = np.concatenate([shape.vertices for shape in shapes])
    for row in range(5):
        made.buffers["soft_positions"][row] = (1.0 + 0.1 * row) * start + [0.0, 0.0, 0.2 * row]
    return made


def volume(vertices: np.ndarray, faces: np.ndarray) -> float:
    return float(np.linalg.det(vertices[faces]).sum()) / 6.0


def test_the_surface_of_a_solid_encloses_it_with_sharp_edges() -> None:
    surface = SoftSurface(solid())
    vertices = surface.vertices(solid().vertices)
    assert volume(vertices, surface.faces) == pytest.approx(0.4**3)
    assert len(vertices) == 6 * 9  # every side of the box has its own
    corners = vertices[surface.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (np.sum(normals * corners.mean(axis=1), axis=1) > 0.0).all()


def test_a_rod_is_a_closed_tube_that_looks_outward() -> None:
    surface, straight = SoftSurface(rod()), np.array([[0.0, 0, 0], [0, 0, 1], [0, 0, 3]])
    vertices = surface.vertices(straight)
    assert is_closed(surface.faces)
    circle = 0.5 * 10 * np.sin(2 * np.pi / 10) * 0.05**2  # of ten sides
    assert volume(vertices, surface.faces) == pytest.approx(3.0 * circle)
    assert_allclose(np.linalg.norm(vertices[:-2, :2], axis=1), 0.05)


def test_tubes_do_not_twist_where_rods_bend() -> None:
    surface = SoftSurface(rod())
    rings = surface.vertices(rod().vertices)[:-2].reshape(3, 10, 3)
    along = rings[1:] - rings[:-1]
    middle = np.diff(rod().vertices, axis=0)
    cosines = (
        np.sum(along * middle[:, None], axis=2)
        / np.linalg.norm(along, axis=2)
        / np.linalg.norm(middle, axis=1)[:, None]
    )
    assert cosines.min() > 0.98


def test_bounds_are_those_of_all_rows(made: Recording) -> None:
    low, high = bounds(made)
    positions = made.soft_positions
    assert_allclose(low, positions.min(axis=(0, 1)))
    assert_allclose(high, positions.max(axis=(0, 1)))


def expected(made: Recording, shape: SoftShape, row: int) -> np.ndarray:
    return SoftSurface(shape).vertices(made.soft_positions_of(shape.name)[row])


def test_obj(made: Recording, tmp_path: Path) -> None:
    export(made, "obj", None, tmp_path, ROWS)
    for k, row in enumerate(ROWS):
        text = (tmp_path / "obj" / f"run_{k:04d}.obj").read_text()
        points = np.array([line.split()[1:] for line in text.splitlines() if line.startswith("v ")], dtype=float)
        wanted = np.concatenate([expected(made, shape, row) for shape in made.scenery.soft])
        assert_allclose(points, wanted, atol=1e-8)
    scene = trimesh.load(tmp_path / "obj" / "run_0002.obj", split_object=True, process=False)
    volumes = {mesh.metadata.get("name", name): mesh.volume for name, mesh in scene.geometry.items()}
    assert volumes["a_sponge"] == pytest.approx((1.4 * 0.4) ** 3)


def test_gltf_has_morph_targets_and_their_weights(made: Recording, tmp_path: Path) -> None:
    export(made, "gltf", tmp_path / "run.glb", tmp_path, ROWS)
    tree, data = parts((tmp_path / "run.glb").read_bytes())
    (animation,) = tree["animations"]
    for shape in made.scenery.soft:
        index = next(k for k, node in enumerate(tree["nodes"]) if node["name"] == shape.name)
        mesh = tree["meshes"][tree["nodes"][index]["mesh"]]
        base = numbers(tree, data, mesh["primitives"][0]["attributes"]["POSITION"]).reshape(-1, 3)
        targets = [numbers(tree, data, t["POSITION"]).reshape(-1, 3) for t in mesh["primitives"][0]["targets"]]
        channel = next(c for c in animation["channels"] if c["target"] == {"node": index, "path": "weights"})
        sampler = animation["samplers"][channel["sampler"]]
        assert_allclose(numbers(tree, data, sampler["input"]), [0.0, 0.2, 0.4], atol=1e-7)
        weights = numbers(tree, data, sampler["output"]).reshape(3, 2)
        for k, row in enumerate(ROWS):
            there = base + sum(w * target for w, target in zip(weights[k], targets, strict=True))
            assert_allclose(there, expected(made, shape, row), atol=1e-6)


def parts(content: bytes) -> tuple[Any, bytes]:
    """JSON and binary part of a GLB file."""
    (length,) = struct.unpack_from("<I", content, 12)
    return json.loads(content[20 : 20 + length]), content[28 + length :]


def numbers(tree: Any, data: bytes, accessor: int) -> np.ndarray:
    described = tree["accessors"][accessor]
    view = tree["bufferViews"][described["bufferView"]]
    count = described["count"] * {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[described["type"]]
    return np.frombuffer(data, "<f4", count, view.get("byteOffset", 0) + described.get("byteOffset", 0))


def test_usd_has_time_samples_of_points(made: Recording, tmp_path: Path) -> None:
    pytest.importorskip("pxr")
    from pxr import Usd, UsdGeom

    export(made, "usd", tmp_path / "run.usda", tmp_path, ROWS)
    stage = Usd.Stage.Open(str(tmp_path / "run.usda"))
    for shape in made.scenery.soft:
        name = "_".join(shape.name.split())
        mesh = UsdGeom.Mesh(stage.GetPrimAtPath(f"/scene/{name}/{name}"))
        for row in ROWS:
            points = np.array(mesh.GetPointsAttr().Get(24.0 * DT * row))
            assert_allclose(points, expected(made, shape, row), atol=1e-6)


@pytest.mark.slow
def test_pictures_show_soft_bodies_where_they_are(made: Recording, tmp_path: Path) -> None:
    made.__dict__["scenery"] = Scenery(
        (), ((np.array([0.0, 0, -0.5]), UP),), UP, (0.0, -6.0, 1.0), (0.0, 0.0, 0.5), made.scenery.soft
    )
    first, last = (drawn(made, [row], tmp_path / f"{row}.png", size=SMALL)[0] for row in (0, 4))
    heights = []
    for image in (first, last):
        red, green, blue = np.moveaxis(image[..., :3], -1, 0)
        is_green = (green > 1.15 * red) & (green > 1.05 * blue)
        assert is_green.mean() > 0.01
        heights.append(np.nonzero(is_green)[0].mean())
    assert heights[1] < heights[0] - 10  # pixels, from the top


def test_the_browser_gets_the_vertices_of_each_row(made: Recording) -> None:
    viser = pytest.importorskip("viser")
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    try:
        stage = ViserScene(server, made.scenery, (), made.soft_positions[0], 0.1, "role", "visual")
        nothing = np.zeros((0, 3)), np.zeros((0, 4)), np.zeros((0, 2, 3))
        stage.place(*nothing, made.soft_positions[3])
        for node, shape in zip(stage._soft, made.scenery.soft, strict=True):
            assert_allclose(node.plain.vertices, expected(made, shape, 3), atol=1e-6)
            assert np.array_equal(node.plain.faces, node.surface.faces)
    finally:
        server.stop()


@pytest.fixture
def stretched(made: Recording) -> Recording:
    """The sponge is stretched along x by x/4 in the last row, the others are at rest."""
    start = np.concatenate([shape.vertices for shape in made.scenery.soft])
    made.buffers["soft_positions"][:] = start
    own = made.header.soft_slices["a sponge"]
    x = start[own, 0] + 0.2
    made.buffers["soft_positions"][4, own, 0] = x + 0.5 * 0.25 * x**2
    return made


def colours_of(made: Recording, row: int) -> np.ndarray:
    """Colours of strain at the vertices of all surfaces, 0 to 255."""
    strain = SoftStrain(made)
    shades = strain_colours(strain.at(row), strain.scale())
    own = [shades[made.header.soft_slices[shape.name]][SoftSurface(shape).sources] for shape in made.scenery.soft]
    return np.concatenate(own)


def test_strain_colours_are_those_of_the_map() -> None:
    scale = StrainScale(0.5, "")
    found = strain_colours(np.array([-1.0, 0.0, 0.25, 0.5, 9.0]), scale)
    assert found.tolist() == [[68, 1, 84], [68, 1, 84], [32, 144, 140], [253, 231, 36], [253, 231, 36]]


def test_obj_has_colours_of_strain(stretched: Recording, tmp_path: Path) -> None:
    export(stretched, "obj", None, tmp_path, np.array([0, 4]), "strain")
    for k, row in enumerate((0, 4)):
        text = (tmp_path / "obj" / f"run_{k:04d}.obj").read_text()
        read = np.array([line.split()[4:] for line in text.splitlines() if line.startswith("v ")], dtype=float)
        wanted = colours_of(stretched, row)
        assert_allclose(255.0 * read, wanted, atol=0.02)
        assert (len(np.unique(wanted, axis=0)) == 1) == (row == 0)


def test_gltf_has_colours_of_strain_that_are_morphed(stretched: Recording, tmp_path: Path) -> None:
    export(stretched, "gltf", tmp_path / "run.glb", tmp_path, np.array([0, 4]), "strain")
    tree, data = parts((tmp_path / "run.glb").read_bytes())
    at_start, at_end = [], []
    for shape in stretched.scenery.soft:
        node = next(node for node in tree["nodes"] if node["name"] == shape.name)
        primitive = tree["meshes"][node["mesh"]]["primitives"][0]
        material = tree["materials"][primitive["material"]]
        assert material["pbrMetallicRoughness"]["baseColorFactor"] == [1.0] * 4
        assert material["doubleSided"]
        at_start.append(numbers(tree, data, primitive["attributes"]["COLOR_0"]).reshape(-1, 3))
        at_end.append(at_start[-1] + numbers(tree, data, primitive["targets"][0]["COLOR_0"]).reshape(-1, 3))
    for light, row in ((at_start, 0), (at_end, 4)):
        screen = 255.0 * 1.055 * np.concatenate(light) ** (1 / 2.4) - 255.0 * 0.055
        wanted = colours_of(stretched, row)
        assert_allclose(screen[wanted > 12], wanted[wanted > 12], atol=0.05)


def test_usd_has_colours_of_strain(stretched: Recording, tmp_path: Path) -> None:
    pytest.importorskip("pxr")
    from pxr import Usd, UsdGeom

    export(stretched, "usd", tmp_path / "run.usda", tmp_path, np.array([0, 4]), "strain")
    stage = Usd.Stage.Open(str(tmp_path / "run.usda"))
    for row in (0, 4):
        read = []
        for shape in stretched.scenery.soft:
            name = "_".join(shape.name.split())
            mesh = UsdGeom.Mesh(stage.GetPrimAtPath(f"/scene/{name}/{name}"))
            primvar = mesh.GetDisplayColorPrimvar()
            assert primvar.GetInterpolation() == "vertex"
            read.append(np.array(primvar.Get(24.0 * DT * row)))
        screen = 255.0 * 1.055 * np.concatenate(read) ** (1 / 2.4) - 255.0 * 0.055
        wanted = colours_of(stretched, row)
        assert_allclose(screen[wanted > 12], wanted[wanted > 12], atol=0.05)


def test_the_browser_sorts_triangles_into_bands_of_strain(stretched: Recording) -> None:
    viser = pytest.importorskip("viser")
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    try:
        played = Played(server, stretched, "strain", ForceArrows(stretched), "visual")
        played.show(4)
        sponge, towel, _ = played.stage._soft
        shown = [handle for handle in sponge._bands if handle.visible]
        assert not sponge.plain.visible
        assert sum(len(handle.faces) for handle in shown) == len(sponge.surface.faces)
        corners = np.concatenate([handle.vertices[handle.faces] for handle in shown])
        own = stretched.header.soft_slices["a sponge"]
        wanted = sponge.surface.vertices(stretched.soft_positions[4, own])[sponge.surface.faces]
        assert_allclose(np.sort(corners.ravel()), np.sort(wanted.ravel()), atol=1e-6)
        assert len(shown) > 1
        assert max(handle.vertices[:, 0].max() for handle in shown[-1:]) == pytest.approx(wanted[..., 0].max())
        assert [handle.visible for handle in towel._bands] == [True] + [False] * (len(towel._bands) - 1)
        played.colour_by("role")
        assert sponge.plain.visible
        assert not any(handle.visible for handle in sponge._bands)
        assert_allclose(sponge.plain.vertices[sponge.plain.faces], wanted, atol=1e-6)
    finally:
        server.stop()


def test_colours_of_strain_need_soft_bodies(tmp_path: Path) -> None:
    made = recording()
    with pytest.raises(ViewingError, match="has no soft bodies, whose strain colours could show"):
        export(made, "obj", None, tmp_path, ROWS, "strain")
    with pytest.raises(ViewingError, match="has no soft bodies, whose strain colours could show"):
        write_page(made, tmp_path / "page.html", "strain")
