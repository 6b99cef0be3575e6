"""Bodies of a scene file weigh what MuJoCo's do, which knows the true solids."""

from pathlib import Path

import numpy as np
import pytest
import trimesh
from ipc_articulation.adapters.native.scene_bodies import scene_body

from tests.adapters.native.mechanisms import at

mujoco = pytest.importorskip("mujoco")

SHAPES = [
    ({"type": "box", "size": (0.1, 0.2, 0.3)}, "0.05 0.1 0.15"),
    ({"type": "sphere", "radius": 0.1}, "0.1"),
    ({"type": "cylinder", "radius": 0.1, "length": 0.5}, "0.1 0.25"),
    ({"type": "capsule", "radius": 0.1, "length": 0.5}, "0.1 0.25"),
]


@pytest.mark.parametrize(("shape", "size"), SHAPES)
def test_mass_and_inertia_are_those_of_the_solid(shape: dict, size: str) -> None:
    geom = f'<geom type="{shape["type"]}" size="{size}" density="500"/>'
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody><body><freejoint/>{geom}</body></worldbody></mujoco>")
    body = scene_body("thing", shape, at(1, 2, 3), None, 500.0, 0.7)
    assert body.mass == pytest.approx(model.body_mass[1])
    # MuJoCo sorts the principal moments
    np.testing.assert_allclose(sorted(np.diag(body.inertia)), sorted(model.body_inertia[1]), rtol=1e-12)
    np.testing.assert_array_equal(body.center, 0.0)
    assert (body.name, body.friction, body.pose[2, 3]) == ("thing", 0.7, 3.0)


def test_a_mass_given_replaces_the_density() -> None:
    body = scene_body("ball", {"type": "sphere", "radius": 0.1}, np.eye(4), 2.5, 500.0, 0.5)
    assert body.mass == 2.5
    np.testing.assert_allclose(body.inertia, 0.4 * 2.5 * 0.01 * np.eye(3))


def test_a_round_body_stands_on_its_own_axis() -> None:
    rod = scene_body("rod", {"type": "cylinder", "radius": 0.01, "length": 1.0}, np.eye(4), 1.0, 0.0, 0.5)
    assert rod.inertia[2, 2] < 0.01 * rod.inertia[0, 0]


def test_a_mesh_keeps_the_frame_of_its_file(tmp_path: Path) -> None:
    wedge = trimesh.creation.box((0.2, 0.2, 0.2))
    wedge.apply_translation((0.5, 0, 0))
    wedge.export(tmp_path / "wedge.stl")
    shape = {"type": "mesh", "file": tmp_path / "wedge.stl", "scale": 2.0}
    body = scene_body("wedge", shape, np.eye(4), None, 500.0, 0.5)
    assert body.mass == pytest.approx(500.0 * 0.064)
    np.testing.assert_allclose(body.center, [1.0, 0.0, 0.0])
    np.testing.assert_allclose(body.inertia, body.mass * 0.16 / 6.0 * np.eye(3), atol=1e-6)
    np.testing.assert_allclose(body.mesh.vertices.max(axis=0), [1.2, 0.2, 0.2])
