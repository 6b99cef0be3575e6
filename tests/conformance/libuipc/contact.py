"""Cases of contact without friction: every kind of pair, piles in balance, the ground, and who may touch whom."""

import itertools

import numpy as np
import pytest
import trimesh
from uipc import view
from uipc.constitution import AffineBodyConstitution, AffineBodyRod, AffineBodyShell
from uipc.geometry import label_surface, label_triangle_orient, linemesh, tetmesh
from uipc.geometry import trimesh as uipc_trimesh

from ipc_articulation import affine
from tests.conformance.libuipc.case_scene import (
    EXACT,
    ZERO,
    G,
    barrier_force,
    fallen,
    mass,
    resting_gap,
    tetrahedron,
    turned,
)
from tests.engine.scenes import translation

D_HAT = 0.01
SMOOTH = {"contact__friction__enable": 0}
UPRIGHT = np.eye(3).ravel()

POINT_UP = np.array([(0, 0, 1), (0, 1, 0), (-(3**0.5) / 2, -0.5, 0), (3**0.5 / 2, -0.5, 0)]) * 0.3
POINT_DOWN = POINT_UP * [1, 1, -1]
EDGES_XY = np.array([(-1, 0, 1), (1, 0, 1), (0, 1, 0), (0, -1, 0)]) * 0.3  # an edge along x above one along y
EDGES_YX = EDGES_XY[:, [1, 0, 2]]

PAIRS = {  # the upper body's lowest and the lower body's highest feature
    "1_abd_contact_pt": (POINT_UP, POINT_UP),
    "2_abd_contact_ee": (EDGES_XY, EDGES_XY),
    "3_abd_contact_pe": (POINT_DOWN, EDGES_XY),
    "4_abd_contact_pp": (POINT_DOWN, POINT_UP),
    "5_abd_contact_ee_parallel": (EDGES_XY, EDGES_YX),
}


def stacked(scene, upper, lower, gap, **flags):
    """Two tetrahedra, one above the other; their positions [m] if the gap were none."""
    scene.add(tetrahedron(lower), **flags)
    height = lower[:, 2].max() - lower[:, 2].mean() + upper[:, 2].mean() - upper[:, 2].min()
    scene.add(tetrahedron(upper), at=(0, 0, height + gap))
    return height


@pytest.mark.parametrize(("upper", "lower"), PAIRS.values(), ids=PAIRS)
def test_one_body_balances_on_another(new_scene, upper, lower):
    """1 to 5: by symmetry it stands still on the one below it, as long as rounding has not tipped it over."""
    scene = new_scene(**SMOOTH, **EXACT)
    height = stacked(scene, upper, lower, gap=0.0095, is_fixed=1)
    scene.start().run(14)
    assert 0.0 < scene.q[1, 2] - height < D_HAT
    np.testing.assert_allclose(scene.q[1, :2], 0.0, atol=1e-6)
    np.testing.assert_allclose(scene.q[1, 3:], UPRIGHT, atol=1e-4)
    np.testing.assert_allclose(scene.step_rates(), 0.0, atol=1e-5)


@pytest.mark.parametrize(("upper", "lower"), PAIRS.values(), ids=PAIRS)
def test_two_bodies_meet(new_scene, upper, lower):
    """1 to 5: in free space the same pairs keep their momentum, part again, and gain no energy."""
    scene = new_scene(gravity=ZERO, **SMOOTH)
    height = stacked(scene, upper, lower, gap=0.025)
    down = np.zeros((4, 4))
    down[2, 3] = -1.0
    view(scene.slots[1].geometry().instances().find("velocity"))[0] = down
    m = np.array([mass(slot) for slot in scene.slots])
    momentum, kinetic = -m[1], 0.5 * m[1]
    scene.start()
    for _ in range(15):
        v = scene.step_rates()[:, 2]
        assert m @ v == pytest.approx(momentum, rel=1e-6)
        assert scene.q[1, 2] - scene.q[0, 2] > height
    assert v[1] > v[0], "they must have parted"
    assert 0.5 * m @ v**2 < kinetic


def test_adaptive_resistance(new_scene):
    """49_abd_adaptive_kappa: two points, begun within d̂, in balance with a resistance that nobody gave."""
    scene = new_scene(resistance=-1.0, **SMOOTH)
    height = stacked(scene, POINT_DOWN, POINT_UP, gap=0.005, is_fixed=1)
    scene.start().run(20)
    assert 0.0 < scene.q[1, 2] - height < D_HAT
    np.testing.assert_allclose(scene.q[1, :2], 0.0, atol=1e-6)
    np.testing.assert_allclose(scene.step_rates(), 0.0, atol=1e-5)


def cube(side=0.2):
    mesh = trimesh.creation.box((side, side, side))
    geometry = uipc_trimesh(mesh.vertices.copy(), mesh.faces.copy())
    label_surface(geometry)
    return geometry


def cube_of_tetrahedra(side=0.2):
    """Six tetrahedra about a diagonal, one for each order of the axes."""
    corners = np.array(list(itertools.product((0, 1), repeat=3)), dtype=float)
    tetrahedra = []
    for order in itertools.permutations((4, 2, 1)):
        a, b, c = np.cumsum(order)
        right_handed = np.linalg.det(corners[[a, b, c]]) > 0.0
        tetrahedra.append([0, a, b, c] if right_handed else [0, b, a, c])
    mesh = tetmesh(side * (corners - 0.5), np.array(tetrahedra))
    label_surface(mesh)
    label_triangle_orient(mesh)
    return mesh


@pytest.mark.parametrize("mesh", [cube_of_tetrahedra, cube], ids=["6_abd_cube_pile", "35_abd_surf_cube_pile"])
def test_pile_of_cubes(new_scene, mesh):
    """6_abd_cube_pile, 35_abd_surf_cube_pile: in balance each gap carries the weight of all cubes above it."""
    scene, sides, z = new_scene(**SMOOTH), np.array([0.3, 0.25, 0.2, 0.15]), 0.0
    for k, side in enumerate(sides):  # a pyramid, twisted so that no corner lies above an edge
        scene.add(mesh(side), at=turned([0, 0, 0.1 * k], [0, 0, z + side / 2]), is_fixed=int(k == 0))
        z += side + 0.0085
    scene.start().run(30)
    np.testing.assert_allclose(scene.step_rates(), 0.0, atol=1e-3)
    gaps = np.diff(scene.q[:, 2]) - 0.5 * (sides[1:] + sides[:-1])
    carried = G * np.cumsum([mass(slot) for slot in scene.slots[:0:-1]])[::-1]
    np.testing.assert_allclose(7 * barrier_force(gaps) / carried, 1.0, rtol=1e-2)  # 4 corners and 3 crossings of edges


def test_pile_of_tetrahedra(new_scene):
    """7_abd_tet_pile: each stands on the tip of the one below, the lowest one on the ground by three vertices."""
    scene = new_scene(**SMOOTH)
    scene.add_ground()
    base = POINT_UP[:, 2].mean()
    for k in range(3):
        scene.add(tetrahedron(POINT_UP), at=(0, 0, base + 0.005 + 0.305 * k))
    scene.start().run(80)
    np.testing.assert_allclose(scene.step_rates(), 0.0, atol=1e-4)
    assert np.all((np.diff(scene.q[:, 2]) > 0.3) & (np.diff(scene.q[:, 2]) < 0.3 + D_HAT))
    weight = 3 * mass(scene.slots[0]) * G
    assert 3 * barrier_force(scene.q[0, 2] - base) == pytest.approx(weight, rel=1e-2)


def test_tetrahedron_on_the_ground(new_scene):
    """10_abd_ground_contact: three vertices carry it, each a third of its weight."""
    scene = new_scene(**SMOOTH)
    scene.add_ground(height=-0.5)
    base = POINT_UP[:, 2].mean()
    slot = scene.add(tetrahedron(POINT_UP), at=(0, 0, -0.5 + base + 0.012))
    scene.start().run(60)
    assert scene.q[0, 2] + 0.5 - base == pytest.approx(resting_gap(mass(slot) * G / 3), rel=1e-3)
    np.testing.assert_allclose(scene.q[0, 3:], UPRIGHT, atol=1e-4)


def test_column_of_cubes_on_the_ground(new_scene):
    """12_abd_self_ground_contact: the lowest gap carries the weight of all."""
    scene, count = new_scene(**SMOOTH), 8
    scene.add_ground()
    scene.add(cube(), at=[turned([0, 0, 0.3 * k], [0, 0, 0.108 + 0.208 * k]) for k in range(count)])
    scene.start().run(100)
    z = np.array(scene.slots[0].geometry().transforms().view())[:, 2, 3]
    assert np.all(np.diff(z) > 0.2)
    weight = count * mass(scene.slots[0]) * G
    assert 4 * barrier_force(z[0] - 0.1) == pytest.approx(weight, rel=2e-2)


def test_contact_models_by_pair(new_scene):
    """8_abd_multi_contact_model: the resistance of a pair decides the gap; gaps go by force over resistance."""
    scene = new_scene(**SMOOTH)
    tabular, ground = scene.scene.contact_tabular(), scene.add_ground()
    tabular.default_element().apply_to(ground.geometry())
    cases = [(1000.0, 1e9), (1000.0, 1e8), (300.0, 3e8)]  # density, resistance
    for k, (density, resistance) in enumerate(cases):
        element = tabular.create(f"element {k}")
        tabular.insert(tabular.default_element(), element, 0.5, resistance)
        element.apply_to(scene.add_box(translation(k, 0, 0.108), density=density).geometry())
    scene.start().run(60)
    gaps = scene.q[:, 2] - 0.1
    expected = [resting_gap(mass(s) * G / 4, kappa) for s, (_, kappa) in zip(scene.slots, cases, strict=True)]
    np.testing.assert_allclose(gaps, expected, rtol=1e-2)
    assert gaps[0] == pytest.approx(gaps[2], rel=1e-2)
    assert gaps[0] > 1.05 * gaps[1]


@pytest.mark.parametrize(("constitution", "per_strain"), [("OrthoPotential", 8.0), ("ARAP", 2.0)])
def test_soft_cubes_are_squeezed_by_their_weight(new_scene, constitution, per_strain):
    """9_abd_multi_constitution: a cube on its bottom is loaded by -½ f h in A₃₃, and dE/dA₃₃ = c v κ (A₃₃ - 1)."""
    kappa, side = 1e5, 0.2
    scene = new_scene(**SMOOTH)
    scene.add_ground()
    model = AffineBodyConstitution({"name": constitution})
    scene.add(cube(side), at=(0, 0, side / 2 + 0.008), kappa=kappa, constitution=model)
    scene.start().run(120)
    force = 1000.0 * side**3 * G
    strain = -0.5 * force * side / (per_strain * side**3 * kappa)
    assert affine.linear_part(scene.q[0])[2, 2] - 1.0 == pytest.approx(strain, rel=0.01)


def test_overlapping_parts_of_one_body(new_scene):
    """40_abd_ignore_self_intersection: two cubes merged into one mesh; it falls, and rests on another, undeformed."""
    scene = new_scene(**SMOOTH)
    scene.add_ground()
    one, other = (trimesh.creation.box((0.2, 0.2, 0.2)) for _ in range(2))
    other.apply_translation((0.1, 0.07, 0.0))
    both = trimesh.util.concatenate([one, other])
    mesh = uipc_trimesh(both.vertices.copy(), both.faces.copy())
    label_surface(mesh)
    slot = scene.add(mesh, at=(0, 0, 0.15))
    scene.start().run(5)
    assert scene.q[0, 2] == pytest.approx(0.15 - fallen(5), abs=1e-9)
    scene.run(60)
    assert scene.q[0, 2] == pytest.approx(0.1 + resting_gap(mass(slot) * G / 8), rel=1e-3)
    np.testing.assert_allclose(scene.q[0, 3:], UPRIGHT, atol=1e-4)


def test_contact_mask(new_scene):
    """31_contact_mask: two bodies of a group that ignores itself share one place, and both rest on the ground."""
    scene = new_scene(sanity_check__enable=0, **SMOOTH)
    tabular = scene.scene.contact_tabular()
    group = tabular.create("group")
    tabular.insert(group, group, 0.0, 0.0, False)
    scene.add_ground()
    for x in (0.0, 0.05):
        group.apply_to(scene.add_box(translation(x, 0, 0.108)).geometry())
    scene.start().run(60)
    np.testing.assert_allclose(scene.q[:, 0], [0.0, 0.05], atol=1e-9)
    np.testing.assert_allclose(scene.q[:, 2], 0.1 + resting_gap(mass(scene.slots[0]) * G / 4), rtol=1e-3)


@pytest.mark.parametrize("touches_default", [True, False])
def test_subscenes(new_scene, touches_default):
    """42_abd_fem_subscene: two overlapping bodies of two subscenes; the ground is of the default one."""
    scene = new_scene(sanity_check__enable=0, **SMOOTH)
    tabular = scene.scene.subscene_tabular()
    scene.add_ground()
    for k, name in enumerate(("left", "right")):
        element = tabular.create(name)
        if touches_default:
            tabular.insert(tabular.default_element(), element, True)
        element.apply_to(scene.add_box(translation(0.05 * k, 0, 0.108)).geometry())
    scene.start().run(60)
    rest = 0.1 + resting_gap(mass(scene.slots[0]) * G / 4)
    np.testing.assert_allclose(scene.q[:, 0], [0.0, 0.05], atol=1e-9)
    np.testing.assert_allclose(scene.q[:, 2], rest if touches_default else 0.108 - fallen(60), rtol=1e-3)


def test_d_hat_of_a_mesh(new_scene):
    """41_abd_fem_mesh_d_hat: the same weight, carried within the d̂ that each mesh has."""
    scene, d_hats = new_scene(**SMOOTH), [0.003, 0.006, 0.02]
    scene.add_ground()
    for k, d_hat in enumerate(d_hats):
        slot = scene.add_box(translation(k, 0, 0.1 + 0.9 * d_hat), density=100.0)
        slot.geometry().meta().create("d_hat", d_hat)
    scene.start().run(60)
    expected = [resting_gap(mass(scene.slots[0]) * G / 4, d_hat=d) for d in d_hats]
    np.testing.assert_allclose(scene.q[:, 2] - 0.1, expected, rtol=1e-2)


def test_rod_rests_on_a_shell(new_scene):
    """65_abd_codim_shell_rod_contact: their surfaces are thick by the radii of both."""
    scene = new_scene(**SMOOTH)
    corners = np.array([[-0.6, -0.6, 0], [0.6, -0.6, 0], [0.6, 0.6, 0], [-0.6, 0.6, 0]])
    shell = uipc_trimesh(corners, np.array([[0, 1, 2], [0, 2, 3]]))
    rod = linemesh(np.array([[-0.3, 0.05, 0], [0.0, -0.1, 0], [0.3, 0.05, 0.0]]), np.array([[0, 1], [1, 2]]))
    for mesh in (shell, rod):
        label_surface(mesh)
    scene.add(shell, constitution=AffineBodyShell(), arguments=(1000.0, 0.02), is_fixed=1)
    scene.add(rod, at=(0, 0, 0.065), constitution=AffineBodyRod(), arguments=(1000.0, 0.03))
    scene.start().run(80)
    np.testing.assert_allclose(scene.step_rates(), 0.0, atol=1e-3)
    assert 0.05 < scene.q[1, 2] < 0.05 + D_HAT
    np.testing.assert_allclose(scene.q[1, 3:], UPRIGHT, atol=1e-2)


def test_bdf2_rebounds_higher(new_scene):
    """76_abd_bdf2_rebound_higher_than_bdf1: it loses less of the energy that an impact stores, but gains none."""
    start, rebound = 0.25, {}
    for kind in ("bdf1", "bdf2"):
        scene = new_scene(integrator__type=kind, resistance=1e5, contact__d_hat=0.02, **SMOOTH)
        scene.add_ground()
        scene.add(tetrahedron(POINT_UP), at=(0, 0, start))
        scene.start()
        z = np.array([scene.run().q[0, 2] for _ in range(70)])
        lowest = int(np.argmin(z[:30]))
        rebound[kind] = z[lowest:].max() - z[lowest]
        assert z[lowest:].max() < start
    assert rebound["bdf2"] > rebound["bdf1"] + 0.01
