"""Soft bodies of scene files as libuipc's geometries: meshes, energies, held vertices, contact."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from uipc.backend import SceneVisitor

from ipc_articulation.errors import SceneFileError
from ipc_articulation.frontend.attributes import read, read_meta
from ipc_articulation.meshing.boundary import volumes
from ipc_articulation.simulation.building import build
from tests.simulation.scene_texts import BOX, free_scene, robot_scene
from tests.simulation.scene_texts import read as read_file

SPONGE = {"name": "sponge", "shape": {"type": "box", "size": [0.2, 0.2, 0.2]}, "resolution": 0.1, "material": "foam"}
TOWEL = {"name": "towel", "shape": {"type": "grid", "size": [0.4, 0.2], "cells": [4, 2]}, "material": "cotton"}
CABLE = {
    "name": "cable",
    "shape": {"type": "line", "length": 0.4, "segments": 4},
    "thickness": 0.01,
    "material": "rubber",
}
POST = {"name": "post", "shape": BOX, "pose": {"position": [0, 0, 0.5]}, "fixed": True}


def built(folder: Path, content: dict[str, Any]) -> Any:
    """The simulation on the engine that computes nothing; that of a robot on the CPU engine."""
    engine = "none" if content["adapter"] == "none" else "cpu"
    return build(*read_file(folder, content), engine, folder / "workspace", 10)


def geometry(simulation: Any, name: str) -> Any:
    return next(
        slot.geometry()
        for slot in SceneVisitor(simulation._uipc_scene).geometries()
        if read_meta(slot.geometry(), "name", "") == name
    )


def stitch(simulation: Any) -> Any:
    """The geometry of the only attachment."""
    uid = 30
    (found,) = [
        slot.geometry()
        for slot in SceneVisitor(simulation._uipc_scene).geometries()
        if int(read_meta(slot.geometry(), "constitution_uid", 0)) == uid
    ]
    return found


def refused(folder: Path, content: dict[str, Any]) -> str:
    with pytest.raises(SceneFileError) as caught:
        built(folder, content)
    return str(caught.value)


def test_vertices_are_where_the_pose_puts_them(tmp_path: Path) -> None:
    pose = {"position": [1, 2, 3], "rpy": [0, 0, np.pi / 2]}
    simulation = built(tmp_path, free_scene(cloth=[{**TOWEL, "pose": pose}]))
    (shape,) = simulation.soft_shapes
    np.testing.assert_allclose(np.ptp(shape.vertices, axis=0), [0.2, 0.4, 0.0], atol=1e-12)
    np.testing.assert_allclose(shape.vertices.mean(axis=0), [1, 2, 3], atol=1e-12)
    np.testing.assert_array_equal(simulation.measure(is_start=True)["soft_positions"], shape.vertices)


def test_every_kind_has_its_constitution_and_values(tmp_path: Path) -> None:
    other = {**SPONGE, "name": "block", "model": "arap", "pose": {"position": [1, 0, 0]}}
    cover = {**TOWEL, "name": "cover", "membrane": "strain_limiting", "bending": 0, "pose": {"position": [2, 0, 0]}}
    scene = free_scene(soft=[SPONGE, other], cloth=[TOWEL, cover], rods=[CABLE])
    simulation = built(tmp_path, scene | {"contact": {"enabled": False}})
    uids = {
        name: int(read_meta(geometry(simulation, name), "constitution_uid", 0)) for name in simulation_names(simulation)
    }
    assert uids == {"sponge": 10, "block": 9, "towel": 11, "cover": 819, "cable": 12}
    assert read(geometry(simulation, "block").tetrahedra(), "kappa")[0] == 2.5e5  # half of foam's 5e5 Pa
    assert read(geometry(simulation, "towel").vertices(), "thickness")[0] == pytest.approx(0.159e-3)
    E, h, nu = 8.21e5, 3.18e-4, 0.243
    bending = read(geometry(simulation, "towel").edges(), "bending_stiffness")
    assert bending[0] == pytest.approx(E * h**3 / (12 * (1 - nu**2)))
    assert geometry(simulation, "cover").edges().find("bending_stiffness") is None
    assert read(geometry(simulation, "cable").edges(), "kappa")[0] == 2e6
    assert read(geometry(simulation, "cable").vertices(), "bending_stiffness")[0] == 2e6
    assert read(geometry(simulation, "cable").vertices(), "thickness")[0] == 0.005
    assert read_meta(geometry(simulation, "sponge"), "mass_density", 0) == 25.0


def simulation_names(simulation: Any) -> list[str]:
    return [shape.name for shape in simulation.soft_shapes]


def test_fixed_vertices_stand_still_and_the_others_have_the_velocity(tmp_path: Path) -> None:
    fixed = [{"side": "-x"}, {"box": [[0.19, 0.09, -1], [1, 1, 1]]}]
    towel = {**TOWEL, "velocity": [0, 0, 2], "fixed": fixed, "attach": [{"to": "world", "vertices": [7]}]}
    made = geometry(built(tmp_path, free_scene(cloth=[towel])), "towel")
    held = np.flatnonzero(read(made.vertices(), "is_fixed"))
    np.testing.assert_array_equal(held, [0, 5, 7, 10, 14])
    speed = read(made.vertices(), "velocity")[:, 2]
    assert (speed[held] == 0.0).all()
    assert (np.delete(speed, held) == 2.0).all()


@pytest.mark.parametrize(
    ("region", "expected"), [({"side": "end"}, [4]), ({"nearest": [[-1, 0, 0], [0.01, 1, 0]]}, [0, 2])]
)
def test_vertices_of_a_rod_are_found(tmp_path: Path, region: dict[str, Any], expected: list[int]) -> None:
    made = geometry(built(tmp_path, free_scene(rods=[{**CABLE, "fixed": [region]}])), "cable")
    np.testing.assert_array_equal(np.flatnonzero(read(made.vertices(), "is_fixed")), expected)


@pytest.mark.parametrize(
    ("region", "text"),
    [
        ({"side": "start"}, "'towel' is no rod, so it has no start; its sides are -x, +x"),
        ({"vertices": [3, 15]}, "'towel' has no vertex 15; it has 0 to 14"),
        (
            {"box": [[1, 1, 1], [2, 2, 2]]},
            "no vertex of 'towel' is in the box; in its own frame they are in [-0.2, -0.1, 0]",
        ),
    ],
)
def test_regions_without_vertices_are_refused(tmp_path: Path, region: dict[str, Any], text: str) -> None:
    message = refused(tmp_path, free_scene(cloth=[{**TOWEL, "fixed": [{"side": "+x"}, region]}]))
    assert text in message
    assert "scene.yaml:" in message


def test_a_rod_is_held_by_the_nearest_triangle_as_stiffly_as_asked(tmp_path: Path) -> None:
    cable = {
        **CABLE,
        "pose": {"position": [0.31, 0.013, 0.52]},
        "attach": [{"to": "post", "side": "start", "stiffness": 700}],
    }
    simulation = built(tmp_path, free_scene(bodies=[POST], rods=[cable]))
    made = stitch(simulation)
    vertex, *corners = read(made.instances(), "topo")[0]
    post = geometry(simulation, "post")
    a, b, c = (post.positions().view()[corners].reshape(3, 3) + np.array([0, 0, 0.5])).tolist()
    normal = np.cross(np.subtract(b, a), np.subtract(c, a))
    area = 0.5 * np.linalg.norm(normal)
    assert vertex == 0
    np.testing.assert_allclose(np.abs(normal) / (2 * area), [1, 0, 0], atol=1e-12)
    height, G = 0.01, 0.75 * read(made.instances(), "mu")[0]
    assert G * area / (3 * height) == pytest.approx(700)
    assert read(made.instances(), "lambda")[0] == pytest.approx(10 / 9 * G)


def test_vertices_within_a_distance_are_held(tmp_path: Path) -> None:
    sponge = {**SPONGE, "pose": {"position": [0, 0, 0.703]}, "attach": [{"to": "post", "within": 0.01}]}
    made = stitch(built(tmp_path, free_scene(bodies=[POST], soft=[sponge])))
    held = read(made.instances(), "topo")[:, 0]
    np.testing.assert_array_equal(np.sort(held), np.arange(9))  # the lowest layer of 27


def test_what_holds_and_what_is_held_do_not_touch_unless_they_are_to(tmp_path: Path) -> None:
    for contact in (False, True):
        hold = {"to": "post", "within": 0.01, "contact": contact}
        sponge = {**SPONGE, "pose": {"position": [0, 0, 0.703]}, "attach": [hold]}
        simulation = built(tmp_path, free_scene(bodies=[POST], soft=[sponge]))
        assert model(simulation, "sponge", "post").is_enabled() is contact
        assert model(simulation, "sponge", "sponge").is_enabled()


def model(simulation: Any, first: str, second: str) -> Any:
    """The contact model between two bodies."""
    numbers = [int(read_meta(geometry(simulation, name), "contact_element_id", 0)) for name in (first, second)]
    return simulation._uipc_scene.contact_tabular().at(*numbers)


def test_links_of_a_robot_hold_soft_bodies(tmp_path: Path) -> None:
    cable = {**CABLE, "pose": {"position": [0.25, 0, 0.9]}, "attach": [{"to": "lower", "side": "start"}]}
    simulation = built(tmp_path, robot_scene(rods=[cable]))
    made = stitch(simulation)
    assert len(read(made.instances(), "topo")) == 1
    assert not model(simulation, "cable", "lower").is_enabled()
    assert model(simulation, "cable", "upper").is_enabled()
    assert model(simulation, "cable", "lower").friction_rate() == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("hold", "text"),
    [
        ({"to": "pots", "within": 0.1}, "unknown link or body 'pots'; did you mean 'post'? known: post, world"),
        ({"to": "post", "within": 0.1}, "no vertex is within 0.1 m of 'post'; the nearest is 0.3 m away"),
    ],
)
def test_attachments_to_nothing_are_refused(tmp_path: Path, hold: dict[str, Any], text: str) -> None:
    message = refused(tmp_path, free_scene(bodies=[POST], soft=[{**SPONGE, "attach": [hold]}]))
    assert text in message


def test_a_link_without_shape_holds_nothing(tmp_path: Path) -> None:
    (tmp_path / "bare.xml").write_text(
        "<mujoco><worldbody><body name='bare'><joint name='turn'/><inertial pos='0 0 0' mass='1' "
        "diaginertia='0.01 0.01 0.01'/></body></worldbody></mujoco>"
    )
    hold = {**CABLE, "attach": [{"to": "bare", "side": "start"}]}
    message = refused(
        tmp_path, {"adapter": "mujoco", "dt": 0.002, "steps": 1, "robot": {"model": "bare.xml"}, "rods": [hold]}
    )
    assert "'bare' has no surface that anything could be attached to; attach to another link or body" in message


def test_friction_and_rules_are_those_of_rigid_bodies(tmp_path: Path) -> None:
    pairs = [{"between": ["towel", "post"], "enabled": False}, {"between": ["soft", "ground"], "friction": 0.7}]
    scene = free_scene(
        contact={"friction": 0.2, "pairs": pairs},
        materials={"soft": {"friction": 0.4, "youngs_modulus": 1e5, "poissons_ratio": 0.3, "resistance": 1e7}},
        bodies=[{**POST, "friction": 0.6}],
        ground={"height": -1},
        soft=[{**SPONGE, "material": "soft", "self_collision": False}],
        cloth=[{**TOWEL, "pose": {"position": [1, 0, 0]}}],
    )
    simulation = built(tmp_path, scene)
    assert model(simulation, "sponge", "post").friction_rate() == 0.6
    assert model(simulation, "sponge", "ground").friction_rate() == 0.7
    assert model(simulation, "sponge", "towel").friction_rate() == 0.4
    assert model(simulation, "towel", "ground").friction_rate() == 0.2
    assert model(simulation, "sponge", "ground").resistance() == 1e7
    assert not model(simulation, "towel", "post").is_enabled()
    assert not model(simulation, "sponge", "sponge").is_enabled()
    assert read_meta(geometry(simulation, "sponge"), "self_collision", 1) == 0
    assert model(simulation, "towel", "towel").is_enabled()


def test_environments_are_those_of_rigid_bodies(tmp_path: Path) -> None:
    scene = free_scene(
        bodies=[{**POST, "environment": "left"}],
        soft=[{**SPONGE, "environment": "left"}],
        cloth=[{**TOWEL, "environment": "right"}],
        rods=[{**CABLE, "pose": {"position": [0, 0, -1]}}],
    )
    simulation = built(tmp_path, scene)
    number = {
        name: int(read_meta(geometry(simulation, name), "subscene_element_id", -1))
        for name in ("post", "sponge", "towel", "cable")
    }
    assert number["sponge"] == number["post"] != 0
    assert number["cable"] == 0
    tabular = simulation._uipc_scene.subscene_tabular()
    assert not tabular.at(number["towel"], number["post"]).is_enabled()
    assert tabular.at(number["towel"], number["cable"]).is_enabled()
    assert tabular.at(number["towel"], number["towel"]).is_enabled()


def test_a_closed_surface_from_a_file_is_filled(tmp_path: Path) -> None:
    trimesh.creation.icosphere(3, 50.0).export(tmp_path / "ball.stl")
    shape = {"type": "mesh", "file": "ball.stl", "scale": 0.001}
    (made,) = built(tmp_path, free_scene(soft=[{**SPONGE, "shape": shape, "resolution": 0.02}])).soft_shapes
    assert volumes(made.vertices, made.cells).sum() == pytest.approx(4 / 3 * np.pi * 0.05**3, rel=0.1)


def test_an_open_surface_is_refused(tmp_path: Path) -> None:
    ball = trimesh.creation.icosphere(2, 0.05)
    trimesh.Trimesh(ball.vertices, ball.faces[1:]).export(tmp_path / "ball.obj")
    content = free_scene(soft=[{**SPONGE, "shape": {"type": "mesh", "file": "ball.obj"}}])
    message = refused(tmp_path, content)
    assert "is not closed, so it has no volume and no mass; close it, or give another shape: 3 of its" in message


def test_a_shape_that_is_thinner_than_its_elements_is_refused(tmp_path: Path) -> None:
    content = free_scene(soft=[{**SPONGE, "shape": {"type": "cylinder", "radius": 0.1, "length": 0.01}}])
    assert "elements of 0.1 m are too coarse for this shape" in refused(tmp_path, content)


def test_tetrahedra_come_from_a_file(tmp_path: Path) -> None:
    meshio = pytest.importorskip("meshio")
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [9, 9, 9.0]])
    meshio.write(tmp_path / "one.vtu", meshio.Mesh(points, [("tetra", np.array([[0, 2, 1, 3]]))]))
    shape = {"type": "tetrahedra", "file": "one.vtu", "scale": 0.1}
    sponge = {key: value for key, value in SPONGE.items() if key != "resolution"} | {"shape": shape}
    (made,) = built(tmp_path, free_scene(soft=[sponge])).soft_shapes
    assert len(made.vertices) == 4
    assert volumes(made.vertices, made.cells)[0] == pytest.approx(0.1**3 / 6)


def test_numbers_of_vertices_are_those_of_the_file(tmp_path: Path) -> None:
    meshio = pytest.importorskip("meshio")
    points = np.array([[9, 9, 9], [0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    meshio.write(tmp_path / "one.vtu", meshio.Mesh(points, [("tetra", np.array([[1, 2, 3, 4]]))]))
    sponge = {key: value for key, value in SPONGE.items() if key != "resolution"}
    sponge |= {"shape": {"type": "tetrahedra", "file": "one.vtu"}, "fixed": [{"vertices": [4]}]}
    made = geometry(built(tmp_path, free_scene(soft=[sponge])), "sponge")
    assert read(made.vertices(), "is_fixed").tolist() == [0, 0, 0, 1]
    sponge["fixed"] = [{"vertices": [0]}]
    assert "has no vertex 0; it has 1 to 4" in refused(tmp_path, free_scene(soft=[sponge]))


def test_numbers_of_vertices_are_those_of_an_obj_file(tmp_path: Path) -> None:
    points = "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n"
    (tmp_path / "two.obj").write_text(f"{points}vt 0 0\nf 7/1 6/1 5/1\nf 2/1 3/1 4/1\n")
    towel = {**TOWEL, "shape": {"type": "mesh", "file": "two.obj", "scale": 0.1}, "fixed": [{"vertices": [4, 6]}]}
    simulation = built(tmp_path, free_scene(cloth=[towel]))
    made, (shape,) = geometry(simulation, "towel"), simulation.soft_shapes
    held = shape.vertices[read(made.vertices(), "is_fixed") == 1]
    assert len(shape.vertices) == 4
    np.testing.assert_allclose(sorted(held.tolist()), [[0.1, 0, 0], [0.1, 0.1, 0]])


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        ([("triangle", [[0, 1, 2]])], "holds no tetrahedra, but triangle; give a surface as `type: mesh` to fill it"),
        (
            [("tetra", [[0, 1, 2, 3]]), ("pyramid", [[0, 1, 4, 2, 3]])],
            "holds 1 cells 'pyramid'; give tetrahedra of four corners alone, elements of order 1",
        ),
        ([("tetra", [[0, 1, 2, 4]])], "tetrahedron 0 has no volume; 1 of 1 are like that"),
        ([("tetra", [[1, 2, 3, 4], [0, 1, 2, 3], [0, 2, 3, 1]])], "tetrahedron 1 is there 2 times; give each once"),
    ],
)
def test_files_without_usable_tetrahedra_are_refused(tmp_path: Path, cells: Any, text: str) -> None:
    meshio = pytest.importorskip("meshio")
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0.0]])
    meshio.write(tmp_path / "one.vtu", meshio.Mesh(points, [(kind, np.array(part)) for kind, part in cells]))
    sponge = {**SPONGE, "shape": {"type": "tetrahedra", "file": "one.vtu"}}
    del sponge["resolution"]
    assert text in refused(tmp_path, free_scene(soft=[sponge]))


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("meshio")
    (tmp_path / "one.msh").write_text("nonsense")
    sponge = {**SPONGE, "shape": {"type": "tetrahedra", "file": "one.msh"}}
    del sponge["resolution"]
    message = refused(tmp_path, free_scene(soft=[sponge]))
    assert "one.msh' cannot be read by meshio; give an unstructured grid as .msh, .vtu or .vtk file" in message


def test_cloth_whose_edges_have_three_triangles_is_refused(tmp_path: Path) -> None:
    text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nf 1 2 3\nf 2 1 4\nf 1 2 5\n"
    (tmp_path / "fin.obj").write_text(text)
    message = refused(tmp_path, free_scene(cloth=[{**TOWEL, "shape": {"type": "mesh", "file": "fin.obj"}}]))
    assert "3 triangles share the edge of vertices 0 and 1; cloth has at most 2" in message


@pytest.mark.parametrize("number", ["nan", "inf", "1e400"])
def test_cloth_with_a_vertex_that_is_not_finite_is_refused(tmp_path: Path, number: str) -> None:
    (tmp_path / "torn.obj").write_text(f"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 {number}\nf 1 2 3\nf 2 4 3\n")
    message = refused(tmp_path, free_scene(cloth=[{**TOWEL, "shape": {"type": "mesh", "file": "torn.obj"}}]))
    assert f"torn.obj': vertex 3 is (1, 1, {float(number):g}); give three finite numbers" in message


@pytest.mark.parametrize("key", ["vertices", "nearest"])
def test_a_region_without_vertices_is_refused(tmp_path: Path, key: str) -> None:
    message = refused(tmp_path, free_scene(soft=[{**SPONGE, "fixed": [{key: []}]}]))
    assert f"soft[0].fixed[0].{key} should have at least 1 item" in message
