"""Closed surfaces from mesh files of any format."""

import warnings
from io import BytesIO
from pathlib import Path
from typing import Any

import meshio
import numpy as np
import pytest
import trimesh

from ipc_articulation.coupling.mesh_files import closed_mesh, read_coloured
from ipc_articulation.errors import MeshError


@pytest.mark.parametrize("suffix", ["stl", "obj", "ply", "off", "glb"])
def test_a_box_is_a_box_in_every_format(tmp_path: Path, suffix: str) -> None:
    trimesh.creation.box((0.1, 0.2, 0.3)).export(tmp_path / f"box.{suffix}")
    mesh = closed_mesh(tmp_path / f"box.{suffix}", scale=10.0)
    assert len(mesh.vertices) == 8
    np.testing.assert_allclose(np.ptp(mesh.vertices, axis=0), [1, 2, 3], rtol=1e-6)


@pytest.mark.parametrize("line_end", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("is_ended", [True, False])
def test_stl_files_of_text_need_no_end_and_no_line_feeds(tmp_path: Path, line_end: str, is_ended: bool) -> None:
    text = trimesh.exchange.stl.export_stl_ascii(trimesh.creation.box((0.1, 0.2, 0.3)))
    lines = text.splitlines() if is_ended else text[: text.rindex("endsolid")].splitlines()
    (tmp_path / "box.stl").write_bytes(line_end.join(lines).encode())
    mesh = closed_mesh(tmp_path / "box.stl")
    np.testing.assert_allclose(np.ptp(mesh.vertices, axis=0), [0.1, 0.2, 0.3], rtol=1e-6)
    ((part, _),) = read_coloured(tmp_path / "box.stl", 1.0)
    assert len(part.faces) == 12


def test_parts_of_a_file_come_together_where_they_stand(tmp_path: Path) -> None:
    scene = trimesh.Scene()
    for x in (0.0, 1.0):
        there = trimesh.transformations.translation_matrix([x, 0, 0])
        scene.add_geometry(trimesh.creation.box((0.1, 0.1, 0.1)), transform=there)
    scene.export(tmp_path / "two.glb")
    mesh = closed_mesh(tmp_path / "two.glb")
    assert len(mesh.vertices) == 16
    np.testing.assert_allclose(np.ptp(mesh.vertices, axis=0), [1.1, 0.1, 0.1], atol=1e-6)


# An L of volume 3 as polygons: two corners are in the middle of straight edges, and the first does not see them all.
_FLAT_L = [(2, 1), (1, 1), (1, 2), (0, 2), (0, 1), (0, 0), (1, 0), (2, 0)]
_L = [(x, y, z) for z in (0, 1) for x, y in _FLAT_L]
_L_FACES = [list(range(7, -1, -1)), list(range(8, 16)), *([k, (k + 1) % 8, 8 + (k + 1) % 8, 8 + k] for k in range(8))]


def l_as_obj(first: int = 1) -> str:
    points = "".join(f"v {x} {y} {z}\n" for x, y, z in _L)
    return points + "".join(f"f {' '.join(str(k + first) for k in face)}\n" for face in _L_FACES)


def l_as_off() -> str:
    points = "".join(f"{x} {y} {z}\n" for x, y, z in _L)
    return "OFF\n16 10 0\n" + points + "".join(f"{len(face)} {' '.join(map(str, face))}\n" for face in _L_FACES)


def l_as_ply(is_binary: bool) -> bytes:
    blocks = [(f"{'quad' if len(face) == 4 else 'polygon'}", np.array([face], dtype=np.int32)) for face in _L_FACES]
    buffer = BytesIO()
    meshio.Mesh(np.array(_L, float), blocks).write(buffer, file_format="ply", binary=is_binary)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("l.obj", l_as_obj().encode()),
        ("marked.obj", l_as_obj().encode("utf-8-sig")),
        ("l.off", l_as_off().encode()),
        ("l.ply", l_as_ply(False)),
        ("binary.ply", l_as_ply(True)),
    ],
)
def test_concave_polygons_leave_their_notch_open(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    mesh = closed_mesh(tmp_path / name)
    ((shown, _),) = read_coloured(tmp_path / name, 1.0)
    for surface in (trimesh.Trimesh(mesh.vertices, mesh.faces), shown):
        assert surface.area == pytest.approx(14.0)
        assert surface.volume == pytest.approx(3.0)


def test_negative_indices_count_back_from_the_last_vertex_so_far(tmp_path: Path) -> None:
    other = l_as_obj(-16).replace("v 0 ", "v 9 ").replace("v 1 ", "v 10 ").replace("v 2 ", "v 11 ")
    (tmp_path / "two.obj").write_text(f"o a\n{l_as_obj(-16)}o b\n{other}")
    mesh = closed_mesh(tmp_path / "two.obj")
    assert trimesh.Trimesh(mesh.vertices, mesh.faces).volume == pytest.approx(6.0)
    np.testing.assert_allclose(np.ptp(mesh.vertices, axis=0), [11, 2, 1])


@pytest.mark.parametrize("more", ["f 1 1 2", "f 3 4 3", "f 1 1 1 1", "v 2 1 0\nf 1 17 9"])
def test_triangles_with_a_corner_twice_are_left_out(tmp_path: Path, more: str) -> None:
    (tmp_path / "l.obj").write_text(l_as_obj() + more)
    mesh = closed_mesh(tmp_path / "l.obj")
    assert len(mesh.faces) == 28
    assert trimesh.Trimesh(mesh.vertices, mesh.faces).volume == pytest.approx(3.0)


def test_3mf_files_are_in_their_unit(tmp_path: Path) -> None:
    pytest.importorskip("networkx")
    trimesh.creation.box((50.0, 20.0, 30.0)).export(tmp_path / "box.3mf")  # which says millimetres
    np.testing.assert_allclose(np.ptp(closed_mesh(tmp_path / "box.3mf").vertices, axis=0), [0.05, 0.02, 0.03])
    ((part, _),) = read_coloured(tmp_path / "box.3mf", 2.0)
    np.testing.assert_allclose(part.extents, [0.1, 0.04, 0.06])


def test_a_surface_that_looks_inward_is_turned(tmp_path: Path) -> None:
    box = trimesh.creation.box()
    box.invert()
    box.export(tmp_path / "box.ply")
    mesh = closed_mesh(tmp_path / "box.ply")
    assert trimesh.Trimesh(mesh.vertices, mesh.faces).volume == pytest.approx(1.0)


def test_an_open_surface_is_refused_with_its_open_edges(tmp_path: Path) -> None:
    box = trimesh.creation.box()
    trimesh.Trimesh(box.vertices, box.faces[:-1]).export(tmp_path / "open.obj")
    with pytest.raises(MeshError, match=r"open.obj' is not closed.*3 of its 18 edges do not have two triangles"):
        closed_mesh(tmp_path / "open.obj")


def test_what_follows_the_triangles_of_a_binary_stl_file_is_not_read(tmp_path: Path) -> None:
    box = trimesh.creation.box((0.1, 0.2, 0.3)).export(file_type="stl")
    (tmp_path / "box.STL").write_bytes(box + b"made by a tool")
    assert len(closed_mesh(tmp_path / "box.STL").faces) == 12


def test_a_binary_stl_file_that_ends_too_early_says_so(tmp_path: Path) -> None:
    (tmp_path / "box.stl").write_bytes(trimesh.creation.box().export(file_type="stl")[:-70])
    with pytest.raises(MeshError, match=r"box.stl' ends too early: it has 10 of 12 triangles$"):
        closed_mesh(tmp_path / "box.stl")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.stl", b"nothing", "a.stl' (cannot be read|holds no triangles)"),
        ("a.obj", b"v 0 0 0\n", "a.obj' (cannot be read|holds no triangles)"),
        ("a.obj", b"v 0 0 0\nv 1 0 0\nf 1 2 1\n", "a.obj' holds no triangles"),
        (
            "a.off",
            b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n",
            "a.off' .*: it does not have 3 vertices and 1 faces of these",
        ),
        ("a.obj", (l_as_obj() + "f 1 2 3 17").encode(), "a.obj' cannot be read: line 27 has vertex 17, of 16$"),
        ("a.obj", l_as_obj(0).encode(), "a.obj' cannot be read: line 17 has vertex 0, of 16$"),
        ("a.obj", l_as_obj(-17).encode(), "a.obj' cannot be read: line 17 has vertex 0, of 16$"),
        ("a.blend", b"x", "a.blend' cannot be read: .*formats that can: .*ply.*stl"),
    ],
)
def test_what_is_no_mesh_is_named(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(MeshError, match=message):
        closed_mesh(tmp_path / name)


def test_a_closed_surface_without_volume_is_refused(tmp_path: Path) -> None:
    (tmp_path / "flat.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 3 2\n")
    with pytest.raises(MeshError, match=r"mesh '.*flat.obj' has no volume; give it a thickness"):
        closed_mesh(tmp_path / "flat.obj")


def flat_tetrahedron() -> trimesh.Trimesh:
    """Closed and oriented alike, but its four corners are in one plane."""
    faces = [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]
    return trimesh.Trimesh([[0, 0, 0], [1, 0, 0.1], [1, 1, 0.2], [0, 1, 0.1]], faces, process=False)


def test_a_closed_surface_without_a_volume_is_refused(tmp_path: Path) -> None:
    flat_tetrahedron().export(tmp_path / "sheet.ply")
    with pytest.raises(MeshError, match=r"sheet.ply' has no volume; give it a thickness"):
        closed_mesh(tmp_path / "sheet.ply")


def boxes(tmp_path: Path, *boxes: tuple[float, float, bool]) -> Path:
    """A file of cubes: edge, place along x, and whether they look inward."""
    made = [
        trimesh.creation.box([edge] * 3, trimesh.transformations.translation_matrix([x, 0, 0])) for edge, x, _ in boxes
    ]
    for box, (_, _, is_inward) in zip(made, boxes, strict=True):
        if is_inward:
            box.invert()
    trimesh.util.concatenate(made).export(tmp_path / "boxes.ply")
    return tmp_path / "boxes.ply"


@pytest.mark.parametrize("others", [((1.0, 3.0, False),), ((0.5, 3.0, False),), ((2.0, 3.0, False), (1.0, 3.0, True))])
def test_parts_that_look_inward_are_turned_and_cavities_are_not(tmp_path: Path, others: Any) -> None:
    mesh = closed_mesh(boxes(tmp_path, (1.0, 0.0, True), *others))
    volume = 1.0 + sum(-(edge**3) if is_inward else edge**3 for edge, _, is_inward in others)
    assert trimesh.Trimesh(mesh.vertices, mesh.faces).volume == pytest.approx(volume)


@pytest.mark.parametrize("other", [(0.5, 0.0, False), (1.0, 0.5, False), (0.9, 0.6, False)])
def test_parts_that_overlap_are_told(tmp_path: Path, other: tuple[float, float, bool]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        closed_mesh(boxes(tmp_path, (1.0, 0.0, False), (0.5, 0.75, False)))  # they touch
    with pytest.warns(UserWarning, match=r"boxes.ply': its parts overlap, and what they share counts several times"):
        closed_mesh(boxes(tmp_path, (1.0, 0.0, False), other))


def test_a_surface_whose_triangles_are_not_oriented_alike_is_refused_for_that(tmp_path: Path) -> None:
    box = trimesh.creation.box()
    faces = np.vstack([box.faces[:1, ::-1], box.faces[1:]])
    trimesh.Trimesh(box.vertices, faces, process=False).export(tmp_path / "box.ply")
    with pytest.raises(MeshError, match=r"box.ply' is not closed.*: its triangles are not oriented alike"):
        closed_mesh(tmp_path / "box.ply")


def test_a_thin_plate_is_a_solid(tmp_path: Path) -> None:
    trimesh.creation.box((1.0, 1.0, 1e-6)).export(tmp_path / "plate.ply")
    mesh = closed_mesh(tmp_path / "plate.ply")
    assert np.ptp(mesh.vertices[:, 2]) == pytest.approx(1e-6)
