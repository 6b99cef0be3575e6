"""What friction of soft bodies remembers: springs of single stencils, from step to step."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.friction import slip
from ipc_articulation.contact.primitive_stencils import VERTEX_OF_FIRST, VERTEX_OF_SECOND
from ipc_articulation.contact.spring_law import turn
from ipc_articulation.contact.springs import LENGTH, NO_SPRINGS, Springs, joined
from ipc_articulation.contact.surfaces import join_surfaces
from tests.contact.in_touch import Touching, at_rest, one_stencil
from tests.contact.worlds import D_HAT, World, friction_of, pose
from tests.derivatives import central_difference, relative_error

DELTA = LENGTH * D_HAT
KINDS = pytest.mark.parametrize("kind", [EDGES, VERTEX_OF_FIRST, VERTEX_OF_SECOND])


def in_touch(kind, seed=0, soft=2):
    """A world of one stencil, and nodes."""
    surfaces, _ = one_stencil(kind, 0.3 * D_HAT, np.random.default_rng(seed))
    return Touching(surfaces, at_rest(surfaces), 0.0, False).world(soft, friction=0.5, anchored=True)


def begun(world, x, held):
    """The stretches (F, 3) with which a step from x begins."""
    world.begin(x, springs=held)
    return world.friction().anchor


def step(world, x, ahead, held=NO_SPRINGS):
    """The springs after a step from x to `ahead`."""
    world.begin(x, springs=held)
    return Springs(*world.remembered(ahead)[2])


def stencil_of(world, x):
    """The columns of friction at x, of one stencil."""
    world.begin(x)
    assert len(world.friction().force) == 1
    return world.friction()


def slid(world, x, length, seed=1):
    """Positions after the first side has slid by a length, and by what."""
    of = stencil_of(world, x)
    u = np.cross(of.normal[0], np.random.default_rng(seed).normal(size=3))
    u *= length / np.linalg.norm(u)
    ahead = x.copy()
    ahead[of.vertices[0, : 2 if of.kind[0] == EDGES else 1]] += u
    return ahead, u


@KINDS
def test_a_step_begins_with_the_slip_with_which_the_last_one_ended(kind):
    world, x = in_touch(kind)
    ahead, u = slid(world, x, 0.4 * DELTA)
    held = step(world, x, ahead)
    np.testing.assert_allclose(begun(world, ahead, held)[0], u, atol=3e-3 * DELTA)
    y = 0.4 * DELTA
    expected = world.friction().force[0] * (y * y * (DELTA - y / 3) / DELTA**2 + DELTA / 3)
    assert world.energies(ahead, barriers=False).sum() == pytest.approx(expected, rel=3e-3)


@KINDS
def test_what_does_not_move_keeps_its_spring_to_the_last_bit(kind):
    world, x = in_touch(kind)
    ahead, _ = slid(world, x, 0.4 * DELTA)
    held = step(world, x, ahead)
    again = step(world, ahead, ahead, held)
    assert again.stretches[:, :3].tobytes() == held.stretches[:, :3].tobytes()


@KINDS
def test_at_the_cone_the_anchor_follows(kind):
    world, x = in_touch(kind)
    ahead, u = slid(world, x, 7.0 * DELTA)
    s = step(world, x, ahead).stretches[0, :3]
    np.testing.assert_allclose(s, u / 7.0, atol=5e-2 * DELTA)
    assert np.linalg.norm(s) <= DELTA * (1 + 1e-12)


@KINDS
@pytest.mark.parametrize("seed", range(3))
def test_a_spring_turns_with_its_stencil(kind, seed):
    """Also by large angles, and by such about the normal."""
    world, x = in_touch(kind, seed)
    near, _ = slid(world, x, 0.4 * DELTA)
    s, of = step(world, x, near).stretches[0, :3], stencil_of(world, near)
    n, v = of.normal[0], of.vertices[0]
    for by in (0.9 * n, np.random.default_rng(seed).normal(size=3)):
        R, turned = Rotation.from_rotvec(by).as_matrix(), s.copy()
        turn(of.kind[0], v, n, R @ n, near, near @ R.T + 0.3, turned)
        np.testing.assert_allclose(turned, R @ s, atol=1e-6 * DELTA)


def test_it_turns_by_the_mean_angle_of_two_edges():
    """One of them turns about the normal, through the point of contact."""
    world, x = in_touch(EDGES)
    near, _ = slid(world, x, 0.4 * DELTA)
    held, of = step(world, x, near), stencil_of(world, near)
    n, first = of.normal[0], of.vertices[0, :2]
    at, ahead = of.w[0, :2] @ near[first], near.copy()
    ahead[first] = at + (near[first] - at) @ Rotation.from_rotvec(0.2 * n).as_matrix().T
    before = begun(world, near, held)[0].copy()
    s = step(world, near, ahead, held).stretches[0, :3]
    np.testing.assert_allclose(s, Rotation.from_rotvec(0.1 * n).apply(before), atol=1e-6 * DELTA)


def test_a_normal_that_is_turned_round_is_forgotten():
    world, x = in_touch(VERTEX_OF_FIRST)
    near, _ = slid(world, x, 0.4 * DELTA)
    held, of = step(world, x, near), stencil_of(world, near)
    ahead = near.copy()
    ahead[of.vertices[0, 0]] -= 0.6 * D_HAT * of.normal[0]
    assert not step(world, near, ahead, held).stretches[0, :3].any()


FAN = np.array([[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]])  # two faces in the plane z = 0
LEFT, RIGHT = [0, 1, 2], [3, 1, 2]
ABOVE = np.array([[0.0, 0.0, 0.3 * D_HAT]])


def over(*bodies):
    """A world of soft bodies, (points, faces) each, and nodes."""
    none = np.zeros((0, 2), dtype=np.int32)
    meshes = [(p, none, np.array(f, dtype=np.int32).reshape(-1, 3), np.zeros(len(p))) for p, f in bodies]
    surfaces = join_surfaces(meshes)
    world = World(surfaces, len(bodies), anchored=True)
    return world, world.nodes(np.stack([pose(0, 0, 0)] * len(bodies)))


def moved(x, *by):
    """The first vertex moves by some lengths along x and y, in units of δ."""
    ahead = x.copy()
    ahead[0, :2] += DELTA * np.array(by)
    return ahead


def test_a_vertex_takes_its_spring_to_the_next_face():
    (left, x), (right, _) = (over((ABOVE, []), (FAN, [face])) for face in (LEFT, RIGHT))
    ahead = moved(x, 0.5, 0.3)
    held = step(left, x, ahead)
    assert held.stencils[:, 1:].tolist() == [[0, 1, 2, 3]]
    stretch = begun(right, ahead, held)
    np.testing.assert_allclose(stretch, [[0.5 * DELTA, 0.3 * DELTA, 0.0]], atol=3e-4 * DELTA)


def test_the_other_side_of_a_pair_has_the_opposite_spring():
    """A second vertex, new above the same face; then a vertex of the face, new below a face of the first mesh."""
    points = np.concatenate([ABOVE, [[-0.2, 0.1, 0.3 * D_HAT], [0.1, 1.0, 0.2 * D_HAT], [-0.2, 1.3, 0.2 * D_HAT]]])
    alone = np.concatenate([ABOVE, points[1:] + 9.0 * np.eye(3)[2]])
    (world, x), (_, far) = over((points, []), (FAN, [LEFT])), over((alone, []), (FAN, [LEFT]))
    held = step(world, far, moved(far, 0.5, 0.3))
    assert held.stencils[:, 1:].tolist() == [[0, 4, 5, 6]]
    ahead = moved(x, 0.5, 0.3)
    world.begin(ahead, springs=held)
    of = world.friction()
    row = of.vertices[:, 0].tolist().index(1)
    np.testing.assert_allclose(of.anchor[row], [0.5 * DELTA, 0.3 * DELTA, 0.0], atol=3e-4 * DELTA)
    below, _ = over((points, [[1, 2, 3]]), (FAN, []))
    below.begin(ahead, springs=held)
    of = below.friction()
    row = of.vertices[:, 0].tolist().index(5)
    expected, n = np.array([-0.5 * DELTA, -0.3 * DELTA, 0.0]), of.normal[row]
    np.testing.assert_allclose(of.anchor[row], expected - expected @ n * n, atol=3e-4 * DELTA)


@pytest.mark.parametrize("is_same", [True, False])
def test_another_mesh_has_nothing_of_it(is_same):
    beside = FAN[[3, 1, 2]] - [0.0, 0.0, 0.5 * D_HAT]
    if is_same:
        made = (over((ABOVE, []), (np.concatenate([FAN[:3], beside]), [face])) for face in ([0, 1, 2], [3, 4, 5]))
    else:
        faces = ([[0, 1, 2]], []), ([], [[0, 1, 2]])
        made = (over((ABOVE, []), (FAN[:3], one), (beside, other)) for one, other in faces)
    (first, x), (second, _) = made
    ahead = moved(x, 0.5, 0.0)
    held = step(first, x, ahead)
    assert [0, 1, 2, 3] in held.stencils[:, 1:].tolist()
    stretch = begun(second, ahead, held)[second.friction().vertices[:, 0] == 0]
    assert len(stretch) == 1
    assert stretch.any() == is_same


def test_means_are_weighted_by_load():
    points = np.concatenate([FAN, [[0.1, 3.0, 0.0]]])
    (left, x), (right, _), (new, _) = (over((ABOVE, []), (points, [face])) for face in (LEFT, RIGHT, [4, 1, 2]))
    both = joined([step(left, x, moved(x, 0.6, 0.0)), step(right, x, moved(x, -0.6, 0.0))], 6)
    both.stretches[:, 3] *= np.where(both.stretches[:, 0] > 0.0, 3.0, 1.0)
    assert begun(new, x, both)[0, 0] == pytest.approx(0.3 * DELTA, rel=1e-3)


@KINDS
@pytest.mark.parametrize("soft", [1, 2])
def test_derivatives_with_springs_equal_differences(kind, soft):
    world, x = in_touch(kind, soft=soft)
    near = x + 0.3 * DELTA * np.random.default_rng(2).uniform(-1, 1, x.shape)
    assert begun(world, near, step(world, x, near)).any()
    at = near + 0.1 * DELTA * np.random.default_rng(3).uniform(-1, 1, x.shape)
    world.settle(at)
    g, H = world.derivatives(at, barriers=False)
    step_size = 1e-3 * DELTA
    expected = central_difference(lambda x: world.energies(x, barriers=False).sum(), at.ravel(), step_size)
    assert np.abs(expected).max() > 0.0
    assert relative_error(g, expected) < 1e-5
    exact = central_difference(lambda x: world.gradient(x, barriers=False), at.ravel(), step_size)
    assert relative_error(H, exact) < 1e-4


def small_turn(world, x):
    """The slip (scalar) of the stencil when everything turns by a millionth, in units of that times d̂."""
    R, u = Rotation.from_rotvec(1e-6 * np.random.default_rng(4).normal(size=3)).as_matrix(), np.empty(3)
    return slip(friction_of(world.work), 0, x, x @ R.T, u) / (1e-6 * D_HAT)


@KINDS
def test_at_an_affine_body_both_forces_are_on_one_line(kind):
    """The first side belongs to one, strained a little: turning all together is no slip, and friction has no moment."""
    surfaces, _ = one_stencil(kind, 0.3 * D_HAT, np.random.default_rng(0))
    own, q = surfaces.body == 0, at_rest(surfaces)
    A = Rotation.from_rotvec([0.3, -0.2, 0.9]).as_matrix() @ np.diag([1.0, 1.01, 0.98])
    q[0] = np.concatenate([[0.1, 0.2, -0.3], A.ravel()])
    surfaces.points[own] = np.linalg.solve(A, (surfaces.points[own] - q[0, :3]).T).T
    world, x = Touching(surfaces, q, 0.0, False).world(1, friction=0.5, anchored=True)
    assert stencil_of(world, x).apart[0] == pytest.approx(0.3 * D_HAT)
    assert small_turn(world, x) < 1e-3
    ahead = x.copy()
    ahead[0] += 0.5 * DELTA
    g = world.gradient(ahead, barriers=False).reshape(-1, 3)
    assert np.abs(g).max() > 0.0
    np.testing.assert_allclose(np.cross(x, g).sum(axis=0), 0.0, atol=1e-9 * np.abs(g).max() * D_HAT)


@KINDS
def test_between_soft_sides_a_turn_is_no_slip_and_friction_has_no_moment(kind):
    world, x = in_touch(kind)
    ahead, _ = slid(world, x, 0.5 * DELTA)
    g = world.gradient(ahead, barriers=False).reshape(-1, 3)
    assert np.abs(g).max() > 0.0
    np.testing.assert_allclose(g.sum(axis=0), 0.0, atol=1e-12 * np.abs(g).max())
    np.testing.assert_allclose(np.cross(x, g).sum(axis=0), 0.0, atol=1e-9 * np.abs(g).max() * D_HAT)
    assert small_turn(world, x) < 1e-3
    world.friction().lean[:] = 0.0
    assert small_turn(world, x) > 0.01, "without leans"
