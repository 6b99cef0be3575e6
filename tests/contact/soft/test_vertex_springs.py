"""What friction of soft bodies remembers: springs of single stencils, from step to step."""

from typing import NamedTuple

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.primitive_stencils import VERTEX_OF_FIRST, VERTEX_OF_SECOND, Stencils
from ipc_articulation.contact.soft import vertex_friction
from ipc_articulation.contact.soft.vertex_springs import anchored_to, springs_of
from ipc_articulation.contact.springs import NO_SPRINGS, joined
from tests.contact.in_touch import one_stencil
from tests.contact.worlds import D_HAT
from tests.derivatives import central_difference, relative_error

DELTA, MU_KAPPA = 1e-3 * D_HAT, np.array([1e7])
KINDS = pytest.mark.parametrize("kind", [EDGES, VERTEX_OF_FIRST, VERTEX_OF_SECOND])


class Meshes(NamedTuple):
    """What is asked of the meshes of a scene."""

    of_vertex: np.ndarray
    affine: int = 0


class At(NamedTuple):
    """What is asked of positions."""

    q: np.ndarray
    x: np.ndarray


def begins_at(x):
    """Where stencils of such vertices are, and where they were when the step began."""
    return At(coordinates(x), x), At(coordinates(x), x)


def in_touch(kind, seed=0):
    """A stencil of two bodies, positions (4, 3) of its vertices, and the mesh of each."""
    touching, stencil, _ = one_stencil(kind, 0.3 * D_HAT, np.random.default_rng(seed))
    return stencil, touching.x, touching.surfaces.body


def coordinates(x):
    """Vertices that are bodies of their own: each is where its body's origin is."""
    return np.hstack([x, np.tile(np.eye(3).ravel(), (len(x), 1))])


def lag(stencil, x):
    where = np.arange(len(x)), np.zeros((len(x), 3)), x, x
    pairs = np.zeros((1, 2), dtype=np.int64)
    of_vertices = Stencils(pairs, stencil.pair, stencil.kind, stencil.vertices, stencil.mollified)
    return vertex_friction.lag(of_vertices, *where, MU_KAPPA, D_HAT, 0.0, DELTA)


def begun(stencil, mesh, x, held):
    """Friction of a step from x, and the stretches with which it begins."""
    friction, stretched = anchored_to(lag(stencil, x), held, Meshes(mesh), *begins_at(x))
    return friction, stretched.s


def step(stencil, mesh, x, ahead, held=NO_SPRINGS):
    """The springs after a step from x to `ahead`."""
    friction, stretched = anchored_to(lag(stencil, x), held, Meshes(mesh), *begins_at(x))
    return joined([springs_of(friction, stretched, ahead, coordinates(ahead))], len(x))


def slid(stencil, x, length, seed=1):
    """Positions after the first side has slid by a length, and by what."""
    friction = lag(stencil, x)
    n = friction.normal[0]
    u = np.cross(n, np.random.default_rng(seed).normal(size=3))
    u *= length / np.linalg.norm(u)
    ahead = x.copy()
    ahead[stencil.vertices[0, : 2 if stencil.kind[0] == EDGES else 1]] += u
    return ahead, u


@KINDS
def test_a_step_begins_with_the_slip_with_which_the_last_one_ended(kind):
    stencil, x, mesh = in_touch(kind)
    ahead, u = slid(stencil, x, 0.4 * DELTA)
    held = step(stencil, mesh, x, ahead)
    friction, stretch = begun(stencil, mesh, ahead, held)
    np.testing.assert_allclose(stretch[0], u, atol=1e-3 * DELTA)
    E = np.zeros(4)
    vertex_friction.add_energy(*friction, np.ones(4, dtype=bool), coordinates(ahead), E)
    y = 0.4 * DELTA
    assert E.sum() == pytest.approx(friction.force[0] * (y * y * (DELTA - y / 3) / DELTA**2 + DELTA / 3), rel=1e-3)


@KINDS
def test_what_does_not_move_keeps_its_spring_to_the_last_bit(kind):
    stencil, x, mesh = in_touch(kind)
    ahead, _ = slid(stencil, x, 0.4 * DELTA)
    held = step(stencil, mesh, x, ahead)
    again = step(stencil, mesh, ahead, ahead, held)
    assert again.stretches[:, :3].tobytes() == held.stretches[:, :3].tobytes()


@KINDS
def test_at_the_cone_the_anchor_follows(kind):
    stencil, x, mesh = in_touch(kind)
    ahead, u = slid(stencil, x, 7.0 * DELTA)
    s = step(stencil, mesh, x, ahead).stretches[0, :3]
    np.testing.assert_allclose(s, u / 7.0, atol=1e-2 * DELTA)
    assert np.linalg.norm(s) <= DELTA * (1 + 1e-12)


@KINDS
@pytest.mark.parametrize("seed", range(3))
def test_a_spring_turns_with_its_stencil(kind, seed):
    """Also by large angles, and by such about the normal."""
    stencil, x, mesh = in_touch(kind, seed)
    near, _ = slid(stencil, x, 0.4 * DELTA)
    held = step(stencil, mesh, x, near)
    s, n = held.stretches[0, :3], lag(stencil, near).normal[0]
    friction, stretched = anchored_to(lag(stencil, near), held, Meshes(mesh), *begins_at(near))
    for turn in (0.9 * n, np.random.default_rng(seed).normal(size=3)):
        R = Rotation.from_rotvec(turn).as_matrix()
        after = springs_of(friction, stretched, near @ R.T + 0.3, coordinates(near))  # without slip
        np.testing.assert_allclose(after.stretches[0, :3], R @ s, atol=1e-6 * DELTA)


def test_it_turns_by_the_mean_angle_of_two_edges():
    """One of them turns about the normal, through the point of contact."""
    stencil, x, mesh = in_touch(EDGES)
    near, _ = slid(stencil, x, 0.4 * DELTA)
    held, friction = step(stencil, mesh, x, near), lag(stencil, near)
    n, first = friction.normal[0], stencil.vertices[0, :2]
    at, ahead = friction.weights[0, :2] @ near[first], near.copy()
    ahead[first] = at + (near[first] - at) @ Rotation.from_rotvec(0.2 * n).as_matrix().T
    friction, stretched = anchored_to(friction, held, Meshes(mesh), *begins_at(near))
    s = springs_of(friction, stretched, ahead, coordinates(near)).stretches[0, :3]
    np.testing.assert_allclose(s, Rotation.from_rotvec(0.1 * n).apply(held.stretches[0, :3]), atol=1e-6 * DELTA)


def test_a_normal_that_is_turned_round_is_forgotten():
    stencil, x, mesh = in_touch(VERTEX_OF_FIRST)
    near, _ = slid(stencil, x, 0.4 * DELTA)
    held, friction = step(stencil, mesh, x, near), lag(stencil, near)
    ahead = near.copy()
    ahead[stencil.vertices[0, 0]] -= 0.6 * D_HAT * friction.normal[0]
    assert not step(stencil, mesh, near, ahead, held).stretches[0, :3].any()


def fan():
    """A vertex above the common side of two faces in the plane z = 0; positions, meshes, and the two stencils."""
    x = np.array([[0.0, 0.0, 0.3 * D_HAT], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]])
    return x, np.array([0, 1, 1, 1, 1]), [vertex_and_face(0, 1, 2, 3), vertex_and_face(0, 4, 2, 3)]


def vertex_and_face(*vertices):
    one = np.array([0])
    return Stencils(np.array([[0, 1]]), one, np.array([VERTEX_OF_FIRST]), np.array([vertices]), np.zeros(1))


def test_a_vertex_takes_its_spring_to_the_next_face():
    x, mesh, (left, right) = fan()
    ahead = x.copy()
    ahead[0, :2] += [0.5 * DELTA, 0.3 * DELTA]
    held = step(left, mesh, x, ahead)
    _, stretch = begun(right, mesh, ahead, held)
    np.testing.assert_allclose(stretch[0], [0.5 * DELTA, 0.3 * DELTA, 0.0], atol=1e-5 * DELTA)


def test_the_other_side_of_a_pair_has_the_opposite_spring():
    """A second vertex, new above the same face; then a vertex of the face, new below a face of the first mesh."""
    x, mesh, (left, _) = fan()
    x = np.concatenate([x, [[-0.2, 0.1, 0.3 * D_HAT], [0.1, 1.0, 0.2 * D_HAT], [-0.2, 1.3, 0.2 * D_HAT]]])
    mesh, ahead = np.append(mesh, [0, 0, 0]), x.copy()
    ahead[0, :2] += [0.5 * DELTA, 0.3 * DELTA]
    held = step(left, mesh, x, ahead)
    _, stretch = begun(vertex_and_face(5, 1, 2, 3), mesh, ahead, held)
    np.testing.assert_allclose(stretch[0], [0.5 * DELTA, 0.3 * DELTA, 0.0], atol=1e-5 * DELTA)
    _, below = begun(vertex_and_face(2, 5, 6, 7), mesh, ahead, held)
    expected, n = np.array([-0.5 * DELTA, -0.3 * DELTA, 0.0]), lag(vertex_and_face(2, 5, 6, 7), ahead).normal[0]
    np.testing.assert_allclose(below[0], expected - expected @ n * n, atol=1e-5 * DELTA)


def test_another_mesh_has_nothing_of_it():
    x, mesh, (left, _) = fan()
    x = np.concatenate([x, [[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]]])
    ahead, beside = x.copy(), vertex_and_face(0, 4, 5, 6)
    ahead[0, 0] += 0.5 * DELTA
    for other in (1, 2):
        of_vertex = np.append(mesh, [other, other])
        of_vertex[4] = other
        held = step(left, of_vertex, x, ahead)
        assert begun(beside, of_vertex, ahead, held)[1].any() == (other == 1)


def test_means_are_weighted_by_load():
    x, mesh, (left, right) = fan()
    here, there = x.copy(), x.copy()
    here[0, 0] += 0.6 * DELTA
    there[0, 0] -= 0.6 * DELTA
    both = joined([step(left, mesh, x, here), step(right, mesh, x, there)], len(x))
    both.stretches[:, 3] *= np.where(both.stretches[:, 0] > 0.0, 3.0, 1.0)
    x = np.concatenate([x, [[0.1, 3.0, 0.0]]])
    new = vertex_and_face(0, 5, 2, 3)
    assert begun(new, np.append(mesh, 1), x, both)[1][0, 0] == pytest.approx(0.3 * DELTA, rel=1e-4)


@KINDS
def test_derivatives_with_springs_equal_differences(kind):
    stencil, x, mesh = in_touch(kind)
    near, _ = slid(stencil, x, 0.4 * DELTA)
    friction, _ = begun(stencil, mesh, near, step(stencil, mesh, x, near))
    moving, at = np.ones(4, dtype=bool), near + 0.1 * DELTA * np.random.default_rng(3).uniform(-1, 1, near.shape)

    def energy(y):
        E = np.zeros(4)
        vertex_friction.add_energy(*friction, moving, coordinates(y.reshape(-1, 3)), E)
        return E.sum()

    g = vertex_friction.derivatives(*friction, moving, coordinates(at))[0].reshape(4, 3)
    expected = central_difference(energy, at.ravel(), 1e-3 * DELTA).reshape(4, 3)
    assert np.abs(expected).max() > 0.0
    assert relative_error(g, expected[stencil.vertices[0]]) < 1e-5


@KINDS
@pytest.mark.parametrize("side", [0, 1])
def test_at_an_affine_body_both_forces_are_on_one_line(kind, side):
    """One side belongs to an affine body: turning all together is no slip, and friction has no moment."""
    stencil, x, mesh = in_touch(kind)
    own = stencil.vertices[0, : 2 if kind == EDGES else 1]
    own = own if side == 0 else np.setdiff1d(stencil.vertices[0], own)
    body, points = np.arange(1, 5), np.zeros((4, 3))
    A = Rotation.from_rotvec([0.3, -0.2, 0.9]).as_matrix() @ np.diag([1.0, 1.01, 0.98])
    p = np.array([0.1, 0.2, -0.3])
    body[own], points[own] = 0, np.linalg.solve(A, (x[own] - p).T).T
    q = np.concatenate([np.append(p, A)[None], coordinates(x)])
    pairs = np.zeros((1, 2), dtype=np.int64)
    of_bodies = Stencils(pairs, stencil.pair, stencil.kind, stencil.vertices, stencil.mollified)
    friction = vertex_friction.lag(of_bodies, body, points, x, x, MU_KAPPA, D_HAT, 0.0, DELTA)
    friction, stretched = anchored_to(friction, NO_SPRINGS, Meshes(mesh, 1), At(q, x), At(q, x))
    assert stretched.apart[0] == pytest.approx(0.3 * D_HAT)
    small = 1e-6
    R = Rotation.from_rotvec(small * np.random.default_rng(4).normal(size=3)).as_matrix()
    turned = np.concatenate([q[:, :3] @ R.T, (R @ q[:, 3:].reshape(-1, 3, 3)).reshape(-1, 9)], axis=1)
    u, where = np.empty(3), (friction.body, friction.points)
    known = [column[0] for column in (friction.vertices, *friction[3:6], friction.start)]
    assert vertex_friction.slip(*known, *where, turned, u) < 1e-3 * small * D_HAT

    slid = q.copy()
    slid[0, :3] += 0.5 * DELTA
    g = vertex_friction.derivatives(*friction, np.ones(5, dtype=bool), slid)[0].reshape(4, 3)
    at = vertex_friction.positions(friction.vertices, *where, q)[0]
    assert np.abs(g).max() > 0.0
    np.testing.assert_allclose(np.cross(at, g).sum(axis=0), 0.0, atol=1e-9 * np.abs(g).max() * D_HAT)


@KINDS
def test_between_soft_sides_a_turn_is_no_slip_and_friction_has_no_moment(kind):
    stencil, x, mesh = in_touch(kind)
    friction, _ = begun(stencil, mesh, x, NO_SPRINGS)
    small, u = 1e-6, np.empty(3)
    R = Rotation.from_rotvec(small * np.random.default_rng(4).normal(size=3)).as_matrix()
    known = [column[0] for column in (friction.vertices, *friction[3:6], friction.start)]
    where = friction.body, friction.points
    assert vertex_friction.slip(*known, *where, coordinates(x @ R.T), u) < 1e-3 * small * D_HAT
    known[2] = np.zeros((4, 3))
    assert vertex_friction.slip(*known, *where, coordinates(x @ R.T), u) > 0.01 * small * D_HAT, "without leans"

    ahead, _ = slid(stencil, x, 0.5 * DELTA)
    g = vertex_friction.derivatives(*friction, np.ones(4, dtype=bool), coordinates(ahead))[0].reshape(4, 3)
    at = x[stencil.vertices[0]]
    assert np.abs(g).max() > 0.0
    np.testing.assert_allclose(g.sum(axis=0), 0.0, atol=1e-12 * np.abs(g).max())
    np.testing.assert_allclose(np.cross(at, g).sum(axis=0), 0.0, atol=1e-9 * np.abs(g).max() * D_HAT)


@KINDS
def test_the_hessian_between_soft_sides_is_that_of_the_slip(kind):
    """H = Jᵀ N J with J of the slip, and N of the same slip without leans, where H is w_a w_b N."""
    stencil, x, mesh = in_touch(kind)
    near, _ = slid(stencil, x, 0.4 * DELTA)
    friction, _ = begun(stencil, mesh, near, step(stencil, mesh, x, near))
    moving, y, u = np.ones(4, dtype=bool), near[stencil.vertices[0]], np.empty(3)

    def slip_of(x_v, known):
        vertices, weights, lean, normal, start, body, points = known
        at = near.copy()
        at[stencil.vertices[0]] = x_v.reshape(4, 3)
        vertex_friction.slip(vertices, weights, lean, normal, start, body, points, coordinates(at), u)
        return u.copy()

    known = (
        *[column[0] for column in (friction.vertices, *friction[3:6], friction.start)],
        friction.body,
        friction.points,
    )
    J = np.stack([(slip_of(y.ravel() + e, known) - slip_of(y.ravel() - e, known)) / 2.0 for e in np.eye(12)], axis=1)
    shift = np.einsum("ai,j,aj->i", friction.lean[0], friction.normal[0], y)
    plain = friction._replace(lean=np.zeros((1, 4, 3)), start=friction.start - shift, dual=friction.dual.copy())
    H_plain = vertex_friction.derivatives(*plain, moving, coordinates(near))[1][0]
    a = np.argmax(np.abs(friction.weights[0]))
    N = H_plain[3 * a : 3 * a + 3, 3 * a : 3 * a + 3] / friction.weights[0, a] ** 2
    H = vertex_friction.derivatives(*friction, moving, coordinates(near))[1][0]
    assert relative_error(H, J.T @ N @ J) < 1e-9
    assert relative_error(H, H_plain) > 1e-4
