"""Surfaces of shapes: closed, outward, of the right size, about the origin."""

from pathlib import Path

import numpy as np
import pytest
import trimesh

from ipc_articulation.errors import MeshError
from ipc_articulation.scenefile import schema
from ipc_articulation.simulation.surfaces import transform, triangles, up, volume

SHAPES = [
    (schema.Box(type="box", size=(0.1, 0.2, 0.3)), 0.006, (0.1, 0.2, 0.3)),
    (schema.Sphere(type="sphere", radius=0.1), 4 / 3 * np.pi * 1e-3, (0.2, 0.2, 0.2)),
    (schema.Cylinder(type="cylinder", radius=0.1, length=0.5), np.pi * 0.005, (0.2, 0.2, 0.5)),
    (schema.Capsule(type="capsule", radius=0.1, length=0.5), np.pi * (0.005 + 4 / 3 * 1e-3), (0.2, 0.2, 0.7)),
]


@pytest.mark.parametrize(("shape", "exact", "size"), SHAPES, ids=lambda value: getattr(value, "type", ""))
def test_shapes_are_closed_and_nearly_of_their_volume(shape: schema.Shape, exact: float, size: tuple) -> None:
    vertices, faces = triangles(shape)
    assert trimesh.Trimesh(vertices, faces).is_watertight
    inscribed = volume(vertices, faces)
    assert 0.9 * exact < inscribed <= exact * (1 + 1e-12)  # positive: faces look outward
    np.testing.assert_allclose(vertices.max(axis=0), np.array(size) / 2, rtol=0.02)
    np.testing.assert_allclose(vertices.min(axis=0), -np.array(size) / 2, rtol=0.02)


def test_a_mesh_file_is_scaled(tmp_path: Path) -> None:
    trimesh.creation.box((1, 1, 1)).export(tmp_path / "box.stl")
    shape = schema.Mesh.model_validate({"type": "mesh", "file": "box.stl", "scale": 0.1}, context={"folder": tmp_path})
    assert volume(*triangles(shape)) == pytest.approx(1e-3)


def test_an_open_mesh_is_refused_by_name(tmp_path: Path) -> None:
    box = trimesh.creation.box((1, 1, 1))
    trimesh.Trimesh(box.vertices, box.faces[:-1]).export(tmp_path / "open.stl")
    shape = schema.Mesh.model_validate({"type": "mesh", "file": "open.stl"}, context={"folder": tmp_path})
    with pytest.raises(MeshError, match=r"mesh '.*open\.stl' is not closed, so it has no volume and no mass"):
        triangles(shape)


def test_a_pose_turns_then_moves() -> None:
    half = np.sqrt(0.5)
    T = transform(schema.Pose(position=(1, 2, 3), quaternion=(half, 0, 0, half)))
    np.testing.assert_allclose(T @ [1, 0, 0, 1], [1, 3, 3, 1], atol=1e-12)


def test_up_is_against_gravity() -> None:
    np.testing.assert_allclose(up((0, -9.8, 0)), [0, 1, 0])
    np.testing.assert_allclose(up((0, 0, 0)), [0, 0, 1])
