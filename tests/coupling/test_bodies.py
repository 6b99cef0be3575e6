import numpy as np
import pytest

from ipc_articulation import affine
from ipc_articulation.coupling.adapter import ClosedMesh, CoupledBody, CoupledRobot, HalfPlane
from ipc_articulation.coupling.bodies import STAND_IN_MASS, mesh_volume, place_bodies
from ipc_articulation.coupling.contact_elements import make_contact_elements
from ipc_articulation.frontend.attributes import read, read_meta
from tests.coupling.worlds import at, cube, make_scene, make_world


def inertia():
    return np.diag([0.02, 0.03, 0.04])


@pytest.fixture
def placed():
    """A link with and a link without geometry, a moving free body, a fixed one and a plane."""
    rate = np.zeros((4, 4))
    rate[:3, 3] = [1.0, 2.0, 3.0]
    center = np.array([0.01, 0.0, 0.0])
    links = (CoupledBody("arm", at(0, 0, 1), cube(0.1), 2.0, center, inertia(), 0.5), CoupledBody("bare", at(0, 0, 1)))
    robot = CoupledRobot(
        links=links,
        joints=(),
        free=(CoupledBody("stone", at(0, 0, 2), cube(0.1), 4.0, center, inertia(), 0.5, rate),),
        static=(CoupledBody("wall", at(1, 0, 2), cube(0.1)),),
        planes=(HalfPlane("floor", np.array([0.0, 0.0, -1.0]), np.array([0.0, 0.0, 1.0])),),
        untouchable=frozenset({frozenset({"wall", "floor"})}),
    )
    scene = make_scene()
    elements = make_contact_elements(scene, robot)
    return scene, place_bodies(scene, robot, [elements], lambda volume: 1e5 / volume, 7e7)


def instance(slot, name):
    return read(slot.geometry().instances(), name)[0]


def test_flags(placed):
    _, bodies = placed
    flags = ("is_fixed", "external_kinetic")
    for slots, expected in ((bodies.links, (0, 1)), (bodies.free, (0, 0)), (bodies.static, (1, 0))):
        for slot in slots:
            assert tuple(instance(slot, flag) for flag in flags) == expected


def test_mesh_in_any_memory_order():
    box, scene = cube(0.1), make_scene()
    mesh = ClosedMesh(np.asfortranarray(box.vertices), np.asfortranarray(box.faces))
    robot = CoupledRobot(links=(), joints=(), static=(CoupledBody("wall", at(1, 0, 2), mesh),))
    bodies = place_bodies(scene, robot, [make_contact_elements(scene, robot)], lambda volume: 1e8, 1e8)
    geometry = bodies.static[0].geometry()
    np.testing.assert_array_equal(np.array(geometry.positions().view())[..., 0], box.vertices)
    np.testing.assert_array_equal(np.array(geometry.triangles().topo().view())[..., 0], box.faces)


def test_stiffness(placed):
    _, bodies = placed
    assert instance(bodies.links[0], "kappa") == pytest.approx(1e5 / 0.008)
    assert instance(bodies.free[0], "kappa") == 7e7


def test_free_body_has_its_mass_and_velocity(placed):
    _, bodies = placed
    geometry = bodies.free[0].geometry()
    m, s, S = (read_meta(geometry, name) for name in ("abd_mass", "abd_mass_x_bar", "abd_mass_x_bar_x_bar"))
    expected = affine.mass_matrix_from_inertia(4.0, np.array([0.01, 0.0, 0.0]), inertia())
    np.testing.assert_allclose(affine.mass_matrix(m, s, S), expected, rtol=1e-14)
    np.testing.assert_array_equal(instance(bodies.free[0], "velocity")[:3, 3], [1.0, 2.0, 3.0])


def test_links_carry_their_reference_pose(placed):
    _, bodies = placed
    np.testing.assert_array_equal(instance(bodies.links[0], "ref_dof_prev"), affine.q_from_transform(at(0, 0, 1)))


def test_massless_link_has_a_stand_in_mass(placed):
    _, bodies = placed
    assert read_meta(bodies.links[1].geometry(), "mass") == STAND_IN_MASS


def test_objects_have_the_bodies_names(placed):
    scene, bodies = placed
    for name in ("arm", "bare", "stone", "wall", "floor"):
        assert len(scene.objects().find(name)) == 1
    assert read_meta(bodies.links[1].geometry(), "name") == "bare"


@pytest.mark.parametrize("flat", [np.diag([1.0, 1.0, 2.0]), np.diag([1.0, 1.0, 9.0]), np.zeros((3, 3))])
def test_link_with_an_inertia_that_no_solid_has_gets_another(flat, tmp_path):
    robot = CoupledRobot((CoupledBody("plate", np.eye(4), cube(0.1), 2.0, np.zeros(3), flat),), ())
    scene = make_scene()
    place_bodies(scene, robot, [make_contact_elements(scene, robot)], lambda _: 1e8, 1e8)
    assert make_world(scene, tmp_path).is_valid()


@pytest.mark.parametrize("engine", ["none", "cpu"])
def test_engines_accept_bodies_without_geometry(placed, engine, tmp_path):
    scene, _ = placed
    world = make_world(scene, tmp_path, engine)
    assert world.is_valid()


def test_mesh_volume():
    assert mesh_volume(cube(0.5, (3.0, 2.0, 1.0))) == pytest.approx(1.0)
