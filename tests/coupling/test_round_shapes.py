"""Polyhedra of round shapes."""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ipc_articulation.coupling.robots import RobotSetup
from ipc_articulation.coupling.solids import Facets, surface
from ipc_articulation.dynamics.model.shapes import Capsule, Cylinder, Geometry, Sphere
from ipc_articulation.errors import AdapterError, SceneFileError
from tests.adapters.shared.engines import NAMES
from tests.simulation.scene_texts import free_scene, read, simulation

RADIUS = 0.1
SHAPES = [Sphere(RADIUS), Cylinder(RADIUS, 0.2), Capsule(RADIUS, 0.2)]
WHEEL = """
<robot name="cart">
  <link name="base"/>
  <link name="wheel">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><cylinder radius="0.1" length="0.2"/></geometry></collision>
  </link>
  <joint name="axle" type="continuous"><parent link="base"/><child link="wheel"/><axis xyz="0 0 1"/></joint>
</robot>
"""


def heights(geometry: Geometry, sections: int | None) -> np.ndarray:
    """How high its axis, along z, is above the ground as it rolls through a turn, (20000,) [m]."""
    angle = 2.0 * np.pi * np.arange(20000) / 20000
    vertices = surface(geometry, facets=Facets(sections=sections)).vertices
    hull = vertices[np.linalg.norm(vertices[:, :2], axis=1) > 0.5 * RADIUS]
    return (np.stack([np.cos(angle), np.sin(angle)], axis=1) @ hull[:, :2].T).max(axis=1)


@pytest.mark.parametrize("geometry", SHAPES)
def test_without_sections_nothing_is_outside_the_shape(geometry: Geometry) -> None:
    high = heights(geometry, None)
    assert high.max() <= RADIUS * (1.0 + 1e-12)
    assert high.mean() < 0.999 * RADIUS


@pytest.mark.parametrize("geometry", SHAPES[1:])
@pytest.mark.parametrize("sections", [8, 33, 64])
def test_with_sections_a_wheel_is_as_high_as_the_shape_on_average(geometry: Geometry, sections: int) -> None:
    sides = sections + sections % 2 if isinstance(geometry, Capsule) else sections
    high = heights(geometry, sections)
    assert high.mean() == pytest.approx(RADIUS, rel=1e-6 if sides == sections else 1e-3)
    assert np.ptp(high) == pytest.approx(RADIUS * 0.5 * (np.pi / sides) ** 2, rel=0.1)


@pytest.mark.parametrize("sections", [8, 40, 64])
def test_with_sections_a_ball_is_as_high_as_the_shape_on_average(sections: int) -> None:
    towards = np.random.default_rng(5).normal(size=(20000, 3))
    towards /= np.linalg.norm(towards, axis=1)[:, None]
    vertices = surface(Sphere(RADIUS), facets=Facets(sections=sections)).vertices
    assert (towards @ vertices.T).max(axis=1).mean() == pytest.approx(RADIUS, rel=2e-4)


def test_sections_make_a_shape_finer_and_its_solid_stays(tmp_path: Path) -> None:
    sizes = []
    for sections in (None, 64):
        (folder := tmp_path / str(sections)).mkdir()
        shape = {"type": "ellipsoid", "radii": [0.1, 0.2, 0.3]} | ({} if sections is None else {"sections": sections})
        made = simulation(folder, free_scene(bodies=[{"name": "egg", "shape": shape, "density": 1000.0}]))
        sizes.append((len(made.engine.cpu.model.surfaces.points), made.engine.cpu.model.context.bodies.mass))
    assert [count for count, _ in sizes] == [162, 2562]
    np.testing.assert_array_equal(sizes[0][1], sizes[1][1])


@pytest.mark.parametrize("name", NAMES)
def test_every_adapter_has_sections(name: str, tmp_path: Path) -> None:
    pytest.importorskip(f"tests.adapters.shared.{name}_side")
    (tmp_path / "cart.urdf").write_text(WHEEL)
    file = import_module(f"ipc_articulation.adapters.{name}.scene_model").SceneModel(tmp_path / "cart.urdf", [])
    for sections, vertices in ((None, 66), (48, 98)):
        setup = RobotSetup(0.01, np.array([0.0, 0.0, -9.81]), "implicitfast", facets=Facets(sections=sections))
        (link,) = (body for body in file.build(setup).adapter.describe().links if body.name == "wheel")
        assert len(link.mesh.vertices) == vertices


@pytest.mark.parametrize("sections", [7, 257, 12.5, True, "many"])
def test_numbers_of_sections_that_are_none(sections: Any, tmp_path: Path) -> None:
    native = pytest.importorskip("tests.adapters.native.mechanisms")
    from ipc_articulation.adapters.native import NativeAdapter

    with pytest.raises(AdapterError, match=r"sections is .*, must be a whole number from 8 to 256, or None"):
        NativeAdapter(native.arm().build(), 0.01, sections=sections)
    body = {"name": "ball", "mass": 1.0, "shape": {"type": "sphere", "radius": 0.1, "sections": sections}}
    with pytest.raises(SceneFileError, match=r"bodies\[0\]\.shape\.sections"):
        read(tmp_path, free_scene(bodies=[body]))


def test_a_box_has_no_sections(tmp_path: Path) -> None:
    body = {"name": "box", "mass": 1.0, "shape": {"type": "box", "size": [0.1, 0.1, 0.1], "sections": 32}}
    with pytest.raises(SceneFileError, match="sections"):
        read(tmp_path, free_scene(bodies=[body]))
