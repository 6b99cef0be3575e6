"""What of a Pinocchio model is in the scene: surfaces, static bodies, half-planes, and pairs that never touch."""

import coal
import numpy as np
import pinocchio as pin
import pytest

from tests.adapters.pinocchio.models import box, chain, moving, placement

SHAPES = {
    "box": (coal.Box(0.2, 0.4, 0.6), (0.1, 0.2, 0.3)),
    "sphere": (coal.Sphere(0.2), (0.2, 0.2, 0.2)),
    "ellipsoid": (coal.Ellipsoid(0.1, 0.2, 0.3), (0.1, 0.2, 0.3)),
    "cylinder": (coal.Cylinder(0.1, 0.6), (0.1, 0.1, 0.3)),
    "capsule": (coal.Capsule(0.1, 0.6), (0.1, 0.1, 0.4)),
}


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_has_its_size(name) -> None:
    geometry, half = SHAPES[name]
    shapes, place = pin.GeometryModel(), placement(3)
    shapes.addGeometryObject(pin.GeometryObject("thing", 1, 0, place, geometry))
    mesh = moving(chain("RX"), shapes).describe().links[0].mesh
    inside = (mesh.vertices - place.translation) @ place.rotation
    np.testing.assert_allclose(np.abs(inside).max(axis=0), half, rtol=0.02)


def test_meshes_and_convex_hulls_are_surfaces_of_their_points() -> None:
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    triangles = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    mesh = coal.BVHModelOBBRSS()
    mesh.beginModel(4, 4)
    for triangle in triangles:
        mesh.addTriangle(*corners[list(triangle)])
    mesh.endModel()
    mesh.buildConvexHull(False, "Qt")
    for geometry in (mesh, mesh.convex):
        shapes = pin.GeometryModel()
        shapes.addGeometryObject(pin.GeometryObject("tetrahedron", 1, 0, pin.SE3.Identity(), geometry))
        surface = moving(chain("RX"), shapes).describe().links[0].mesh
        np.testing.assert_array_equal(np.unique(surface.vertices, axis=0), np.unique(corners, axis=0))
        volume = np.linalg.det(surface.vertices[surface.faces]).sum() / 6.0
        assert volume == pytest.approx(1.0 / 6.0)


def standing() -> tuple[pin.Model, pin.GeometryModel]:
    """A chain that stands on a foot, whose frame is fixed to the universe, with a wall and a floor around it."""
    model, shapes = chain("RX"), pin.GeometryModel()
    foot = model.addBodyFrame("foot", 0, pin.SE3.Identity(), 0)
    model.addFrame(pin.Frame("first", 1, foot, placement(1), pin.FrameType.JOINT))
    shapes.addGeometryObject(box("foot box", 0, frame=foot))
    shapes.addGeometryObject(box("wall", 0, at=placement(6)))
    turned = pin.SE3(pin.exp3(np.array([0.3, 0.0, 0.0])), np.array([0.0, 0.0, -2.0]))
    shapes.addGeometryObject(pin.GeometryObject("floor", 0, 0, turned, coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.5)))
    for joint, name in ((1, "first"), (2, "middle"), (3, "last")):
        shapes.addGeometryObject(box(f"{name} box", joint))
    return model, shapes


def pairs(robot) -> set[frozenset[str]]:
    still = {"foot", "wall", "floor"}
    return {pair for pair in robot.untouchable if not pair <= still}


def test_what_is_fixed_is_static_or_a_half_plane() -> None:
    robot = moving(*standing()).describe()
    assert [body.name for body in robot.static] == ["foot", "wall"]
    (floor,) = robot.planes
    normal = np.array([0.0, -np.sin(0.3), np.cos(0.3)])
    np.testing.assert_allclose(floor.normal, normal, atol=1e-14)
    np.testing.assert_allclose(floor.point @ normal, np.array([0, 0, -2.0]) @ normal + 0.5, atol=1e-14)
    assert frozenset({"foot", "wall"}) in robot.untouchable


def test_neighbours_never_touch() -> None:
    robot = moving(*standing()).describe()
    own = [{"first", "middle"}, {"middle", "last"}, *({"foot", link} for link in ("first", "middle", "last"))]
    assert pairs(robot) == set(map(frozenset, own))


def test_collision_pairs_decide_where_there_are_any() -> None:
    model, shapes = standing()
    number = {entry.name: k for k, entry in enumerate(shapes.geometryObjects)}
    for one, other in (("foot box", "last box"), ("floor", "middle box")):
        shapes.addCollisionPair(pin.CollisionPair(number[one], number[other]))
    robot = moving(model, shapes).describe()
    bodies = ("foot", "wall", "floor", "first", "middle", "last")
    touching = {frozenset({a, b}) for a in bodies for b in bodies if a != b} - robot.untouchable
    assert touching == {frozenset({"foot", "last"}), frozenset({"floor", "middle"})}


def test_friction_is_one_number_or_by_body() -> None:
    model, shapes = standing()
    robot = moving(model, shapes, friction={"foot": 0.2, "last": 0.4}).describe()
    assert {part.name: part.friction for part in (*robot.links, *robot.static, *robot.planes)} == {
        "foot": 0.2, "wall": 1.0, "floor": 1.0, "first": 1.0, "middle": 1.0, "last": 0.4
    }  # fmt: skip
    assert moving(*standing(), friction=0.3).describe().planes[0].friction == 0.3
