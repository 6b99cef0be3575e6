"""Bodies of a scene file: closed surfaces, and the mass of the true solid whatever the adapter."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from ipc_articulation.coupling.bodies import mesh_volume
from ipc_articulation.errors import MeshError
from ipc_articulation.scenefile import schema
from ipc_articulation.simulation.bodies import surface_and_solid, transform, up
from tests.simulation.scene_texts import free_scene, robot_scene, simulation

PI, X = np.pi, np.array([0.1, 0.2, 0.3])
BALLS, BARREL = 4 / 3 * PI * 1e-3, PI * 0.005  # both half spheres of a capsule, and its cylinder [m³]
DENSITY = 500.0
# Half a square of sides s, of height s: principal second moments s²/12 and s²/36 across, s²/12 along.
WEDGE = 0.04 * np.array([1 / 12 + 1 / 12, 1 / 36 + 1 / 12, 1 / 12 + 1 / 36])

# Shape, its volume, its principal moments of inertia per mass, and the size of its box.
SHAPES: list[tuple[dict[str, Any], float, Any, Any]] = [
    ({"type": "box", "size": [0.1, 0.2, 0.3]}, 0.006, np.array([0.13, 0.10, 0.05]) / 12, X),
    ({"type": "sphere", "radius": 0.1}, BALLS, np.full(3, 0.4 * 0.01), [0.2, 0.2, 0.2]),
    ({"type": "ellipsoid", "radii": [0.1, 0.2, 0.3]}, BALLS * 6, np.array([0.13, 0.10, 0.05]) / 5, 2 * X),
    ({"type": "cylinder", "radius": 0.1, "length": 0.5}, BARREL, [0.07 / 3, 0.07 / 3, 0.005], [0.2, 0.2, 0.5]),
    (
        {"type": "capsule", "radius": 0.1, "length": 0.5},
        BARREL + BALLS,
        [
            (BARREL * 0.28 / 12 + BALLS * (0.004 + 0.0625 + 0.01875)) / (BARREL + BALLS),
            (BARREL * 0.28 / 12 + BALLS * (0.004 + 0.0625 + 0.01875)) / (BARREL + BALLS),
            (BARREL * 0.005 + BALLS * 0.004) / (BARREL + BALLS),
        ],
        [0.2, 0.2, 0.7],
    ),
    ({"type": "mesh", "file": "wedge.stl"}, 0.004, WEDGE, [0.2, 0.2, 0.2]),
]
EVERY_SHAPE = pytest.mark.parametrize(("shape", "volume", "moments", "size"), SHAPES, ids=lambda v: str(v)[:20])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With a mesh: half of a cube of 0.2 m, cut along its diagonal."""
    prism = trimesh.creation.extrude_triangulation([[0, 0], [0.2, 0], [0, 0.2]], [[0, 1, 2]], 0.2)
    prism.export(tmp_path / "wedge.stl")
    return tmp_path


def parsed(shape: dict[str, Any], folder: Path) -> schema.ShapeEntry:
    shape = {key: tuple(value) if isinstance(value, list) else value for key, value in shape.items()}
    body = schema.BodyEntry.model_validate({"name": "thing", "shape": shape}, context={"folder": folder})
    return body.shape


def mass_properties(geometry: Any) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass [kg], centre [m] and inertia about it [kg·m²] that libuipc has of a body, from its 12x12 mass matrix."""
    mass = float(geometry.meta().find("abd_mass").view()[0])
    first = np.ravel(geometry.meta().find("abd_mass_x_bar").view()[0])
    second = np.reshape(geometry.meta().find("abd_mass_x_bar_x_bar").view()[0], (3, 3))
    centre = first / mass
    about = second - mass * np.outer(centre, centre)
    return mass, centre, np.trace(about) * np.eye(3) - about


@EVERY_SHAPE
def test_a_body_weighs_the_same_with_every_adapter(
    folder: Path, shape: dict[str, Any], volume: float, moments: Any, size: Any
) -> None:
    pytest.importorskip("mujoco")
    bodies = [{"name": "thing", "shape": shape, "density": DENSITY, "pose": {"position": [1, 0, 0]}}]
    found = []
    for make in (free_scene, robot_scene, lambda **keys: robot_scene(adapter="native", **keys)):
        made = simulation(folder, make(bodies=bodies))
        (owner,) = made._uipc_scene.objects().find("thing")
        slot = made._uipc_scene.geometries().find(owner.geometries().ids()[0])[0]
        found.append(mass_properties(slot.geometry()))
    tolerance = 1e-12 if shape["type"] != "mesh" else 1e-6  # STL keeps single precision
    for mass, centre, inertia in found:
        assert mass == pytest.approx(DENSITY * volume, rel=tolerance)
        np.testing.assert_allclose(
            sorted(np.linalg.eigvalsh(inertia)), sorted(mass * np.array(moments)), rtol=tolerance
        )
        np.testing.assert_allclose(inertia, found[0][2], rtol=1e-12, atol=1e-16)
        np.testing.assert_allclose(centre, found[0][1], rtol=1e-12, atol=1e-16)


LINKS = {
    "box": 'size="0.05 0.1 0.15"',
    "sphere": 'size="0.1"',
    "ellipsoid": 'size="0.1 0.2 0.3"',
    "cylinder": 'size="0.1 0.25"',
    "capsule": 'size="0.1 0.25"',
    "mesh": 'mesh="wedge"',
}


@EVERY_SHAPE
def test_a_link_with_a_density_weighs_what_a_body_does(
    folder: Path, shape: dict[str, Any], volume: float, moments: Any, size: Any
) -> None:
    mujoco = pytest.importorskip("mujoco")
    from ipc_articulation.adapters.mujoco import mechanism_from_mujoco

    geom = f'<geom type="{shape["type"]}" {LINKS[shape["type"]]} density="{DENSITY}"/>'
    asset = '<mesh name="wedge" file="wedge.stl" inertia="exact"/>'
    text = (
        f"<mujoco><asset>{asset}</asset><worldbody><body name='link'><joint name='turn'/>{geom}</body></worldbody>"
        "</mujoco>"
    )
    (folder / "link.xml").write_text(text)
    model = mujoco.MjModel.from_xml_path(str(folder / "link.xml"))
    (link,) = mechanism_from_mujoco(model).links
    _, homogeneous = surface_and_solid(parsed(shape, folder))
    tolerance = 1e-12 if shape["type"] != "mesh" else 1e-6
    assert link.mass == pytest.approx(DENSITY * homogeneous.volume, rel=tolerance)
    np.testing.assert_allclose(link.centre, homogeneous.centre, atol=1e-7)
    np.testing.assert_allclose(
        np.linalg.eigvalsh(link.inertia), np.linalg.eigvalsh(link.mass * homogeneous.inertia), rtol=tolerance
    )


@EVERY_SHAPE
def test_surfaces_are_closed_and_inscribed(
    folder: Path, shape: dict[str, Any], volume: float, moments: Any, size: Any
) -> None:
    mesh, homogeneous = surface_and_solid(parsed(shape, folder))
    assert trimesh.Trimesh(mesh.vertices, mesh.faces).is_watertight
    assert 0.9 * volume < mesh_volume(mesh) <= volume * (1 + 1e-6)  # positive: faces look outward
    np.testing.assert_allclose(np.ptp(mesh.vertices, axis=0), size, rtol=0.03)
    assert homogeneous.volume == pytest.approx(volume, rel=1e-6)


def test_a_mass_given_replaces_the_density(folder: Path) -> None:
    bodies = [{"name": "ball", "shape": {"type": "sphere", "radius": 0.1}, "mass": 2.5}]
    made = simulation(folder, free_scene(bodies=bodies))
    (owner,) = made._uipc_scene.objects().find("ball")
    mass, _, inertia = mass_properties(made._uipc_scene.geometries().find(owner.geometries().ids()[0])[0].geometry())
    assert mass == pytest.approx(2.5)
    np.testing.assert_allclose(inertia, 0.4 * 2.5 * 0.01 * np.eye(3), atol=1e-12)


def test_a_mesh_is_scaled_and_keeps_the_frame_of_its_file(folder: Path) -> None:
    cube = trimesh.creation.box((0.2, 0.2, 0.2))
    cube.apply_translation((0.5, 0, 0))
    cube.export(folder / "cube.ply")
    mesh, homogeneous = surface_and_solid(parsed({"type": "mesh", "file": "cube.ply", "scale": 2.0}, folder))
    assert homogeneous.volume == pytest.approx(0.064)
    np.testing.assert_allclose(homogeneous.centre, [1.0, 0.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(homogeneous.inertia, 0.16 / 6.0 * np.eye(3), atol=1e-6)
    np.testing.assert_allclose(mesh.vertices.max(axis=0), [1.2, 0.2, 0.2])


def test_an_open_mesh_is_refused_by_name(folder: Path) -> None:
    box = trimesh.creation.box((1, 1, 1))
    trimesh.Trimesh(box.vertices, box.faces[:-1]).export(folder / "open.stl")
    with pytest.raises(MeshError, match=r"mesh '.*open\.stl' is not closed, so it has no volume and no mass"):
        surface_and_solid(parsed({"type": "mesh", "file": "open.stl"}, folder))


def test_a_pose_turns_then_moves() -> None:
    half = np.sqrt(0.5)
    T = transform(schema.PoseEntry(position=(1, 2, 3), quaternion=(half, 0, 0, half)))
    np.testing.assert_allclose(T @ [1, 0, 0, 1], [1, 3, 3, 1], atol=1e-12)


def test_up_is_against_gravity() -> None:
    np.testing.assert_allclose(up((0, -9.8, 0)), [0, 1, 0])
    np.testing.assert_allclose(up((0, 0, 0)), [0, 0, 1])


@pytest.mark.parametrize("ground", [{}, {"ground": {"height": 0}}])
def test_a_scene_without_bodies_runs(tmp_path: Path, ground: dict[str, Any]) -> None:
    made = simulation(tmp_path, free_scene(bodies=[], **ground))
    made.step(0)
    assert made.measure(is_start=False)["minimum_distance"] == np.inf
