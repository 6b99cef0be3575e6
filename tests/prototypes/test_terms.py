"""The terms of the core beside those of the engine: energies, gradients and Hessians at random states."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from uipc import view
from uipc.constitution import (
    ARAP,
    AffineBodyConstitution,
    AffineBodyDrivingPrismaticJoint,
    AffineBodyDrivingRevoluteJoint,
    AffineBodyExternalBodyForce,
    AffineBodyPrismaticJointExternalForce,
    AffineBodyPrismaticJointLimit,
    AffineBodyRevoluteJointExternalForce,
    AffineBodyRevoluteJointLimit,
    ElasticModuli,
    ElasticModuli2D,
    FiniteElementExternalForce,
    NeoHookeanShell,
    SoftPositionConstraint,
    SoftTransformConstraint,
    SoftVertexEdgeStitch,
    SoftVertexStitch,
    SoftVertexTriangleStitch,
    StrainLimitingBaraffWitkinShell,
    StrainPlasticDiscreteShellBending,
    StressPlasticDiscreteShellBending,
)

from ipc_articulation.affine import DOF
from ipc_articulation.articulation.bounded_springs import FRICTION, LOWER
from ipc_articulation.compiled import compiled
from ipc_articulation.linear_system.linear_system import LinearSystem
from ipc_articulation.engine.terms.contact import Contact
from ipc_articulation.engine.terms.engine_term import Approaching
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.simulation.building import build
from ipc_articulation.linear_system.system import analysed, cleared, empty_matrix, factorise, solve, with_room
from ipc_articulation.engine.terms.term import sums
from ipc_articulation.engine.terms.articulations import restrain
from ipc_articulation.engine.terms.coordinates import by_numbers, write_all_nodes
from ipc_articulation.engine.terms.registry import numbering_of, read_terms
from tests.engine.bodies import ProxyScene
from tests.engine.joints import add_ball, add_hinge, add_slider, add_weld
from tests.engine.scenes import BoxScene, translation
from tests.engine.soft.soft_scenes import SoftScene, block, block_mesh, cloth, cloth_mesh, moved, rod, vertices

pytestmark = pytest.mark.slow

DT = 0.01  # [s]


class Dense:
    """A Hessian (12 n, 12 n), see `engine.linear_system.hessian`."""

    def __init__(self, n: int) -> None:
        self.H = np.zeros((n, DOF, n, DOF))

    def add_diagonal(self, blocks: Any) -> None:
        for b, one in enumerate(blocks):
            self.H[b, :, b] += one

    def add_pairs(self, bodies: Any, blocks: Any) -> None:
        for pair, one in zip(bodies, blocks, strict=True):
            for s, i in enumerate(pair):
                for t, j in enumerate(pair):
                    self.H[i, :, j] += one[DOF * s : DOF * s + DOF, DOF * t : DOF * t + DOF]

    def add_coupled(self, coupled: Any) -> None:
        n, first = len(self.H), 0
        for begin, end in zip(coupled.starts[:-1], coupled.starts[1:], strict=True):
            J, M = np.zeros((end - begin, n, DOF)), coupled.M[first : first + (end - begin) ** 2]
            for f in range(begin, end):
                for s, i in enumerate(coupled.bodies[f]):
                    J[f - begin, i] += coupled.J[f, DOF * s : DOF * s + DOF]
            self.H += np.einsum("fia,fg,gjb->iajb", J, M.reshape(end - begin, -1), J)
            first += len(M)

    def add_vertices(self, bodies: Any, points: Any, H: Any, scale: float = 1.0) -> None:
        for of, local, one in zip(bodies, points, H, strict=True):
            D = np.zeros((len(of), 3, DOF))
            D[:, :, :3] = np.eye(3)
            for k in range(3):
                D[:, k, 3 + 3 * k : 6 + 3 * k] = local
            parts = one.reshape(len(of), 3, len(of), 3)
            for s, i in enumerate(of):
                for t, j in enumerate(of):
                    self.H[i, :, j] += scale * D[s].T @ parts[s, :, t] @ D[t]


@compiled
def numbers_of(matrix):
    m = matrix.used[0]
    return matrix.own, matrix.rows[:m], matrix.cols[:m], matrix.start[:m], matrix.numbers


@compiled
def size_of(pattern):
    return pattern.starts[-1]


class Beside:
    """The terms of a scene by both, at the beginning of its next step."""

    def __init__(self, scene: Any) -> None:
        self.cpu = scene.engine.cpu
        self.ours = read_terms(self.cpu.model, self.cpu.workspace.potential.terms)
        self.theirs = [copy(term) for term in self.cpu.workspace.potential.terms if not isinstance(term, Contact)]
        self.numbering = numbering_of(self.cpu.model)
        self.state, n = self.cpu.state, len(self.cpu.state.q)
        self.numbers = by_numbers(self.numbering)
        self.x = self.nodes(self.state.q)
        self.S = self.coordinates_of_nodes()
        bodies = int(self.numbering.body.max()) + 1
        self.moving = np.zeros(bodies, dtype=np.bool_)
        self.moving[self.numbering.body[~self.numbering.is_fixed]] = True
        self.select(self.moving)
        for term in self.theirs:
            term.begin_step(self.state, DT)
        for term in self.ours:
            term.begin_step(self.state, self.x, DT)
        step = 0.1 * np.random.default_rng(1).standard_normal(self.state.q.shape)
        for term in self.theirs:
            term.follow(self.state.q, step, np.zeros(n, dtype=np.bool_))
            if isinstance(term, Approaching):
                term.approach(0.4)
        for term in self.ours:
            term.follow(self.nodes(step))
            term.approach(0.4)

    def nodes(self, q: Any) -> Any:
        x = np.empty((self.numbering.first[-1], 3))
        write_all_nodes(self.numbers, np.ascontiguousarray(q), x)
        return x

    def coordinates_of_nodes(self) -> Any:
        """∂q/∂x (n, 12, N, 3); corners of a row without a vertex stay where they are."""
        affine, eye = self.numbering.affine, np.eye(3)
        S = np.zeros((len(self.state.q), DOF, len(self.x), 3))
        for b in range(affine):
            S[b, :3, 4 * b] = eye
            for c in range(3):
                S[b, [3 + c, 6 + c, 9 + c], 4 * b + 1 + c] = eye
        for s, (row, label) in enumerate(zip(self.numbering.row, self.numbering.label, strict=True)):
            if label > 0:
                S[row, [2 + label, 5 + label, 8 + label], 4 * affine + s] += eye
            else:
                S[row, :3, 4 * affine + s] = eye
                S[row, 3:, 4 * affine + s] -= np.repeat(eye, 3, axis=0)
        return S.reshape(-1, self.x.size)

    def states(self, count: int = 3, size: float = 0.02) -> Iterator[Any]:
        """Coordinates near the present ones; only what can move does."""
        rng = np.random.default_rng(3)
        for _ in range(count):
            dx = size * rng.standard_normal(self.x.shape) * self.free[:, None]
            q = self.state.q + (self.S @ dx.ravel()).reshape(self.state.q.shape)
            np.testing.assert_allclose(self.nodes(q), self.x + dx, rtol=0.0, atol=1e-14)
            yield q

    def points(self, x: Any) -> Any:
        """Points (V, 3); those of affine bodies are not placed."""
        affine, surfaces = self.numbering.affine, self.cpu.model.surfaces
        return np.concatenate([np.full((surfaces.first[affine], 3), np.nan), x[4 * affine :]])

    def select(self, moving: Any) -> None:
        """From now on only the bodies (B,) of a mask move."""
        self.moving = moving
        self.is_free = moving[self.numbering.body] & ~self.numbering.is_fixed
        self.movable = moving[self.numbering.body_of] & ~self.cpu.model.context.bodies.is_fixed
        self.free = np.repeat(self.is_free, np.diff(self.numbering.first))  # (N,)
        for term in self.theirs:
            term.select(self.movable)

    def matrix(self, terms: Any) -> Any:
        self.room = sum(term.room for term in terms)
        return with_room(empty_matrix(self.numbering.first), self.room, sum(term.numbers for term in terms))

    def add(self, terms: Any, x: Any, projected: Any, matrix: Any) -> Any:
        """The gradient (N, 3) of terms of ours; their Hessians are added to the matrix."""
        cleared(matrix)
        g, row_of_node = np.zeros_like(x), np.repeat(np.arange(len(self.is_free)), np.diff(self.numbering.first))
        for term in terms:
            to = sums(self.moving, projected, self.is_free, row_of_node, matrix, g)
            term.add_derivatives(x, self.points(x), to)
        return g

    def derivatives(self, term: Any, x: Any, projected: Any, matrix: Any) -> tuple[Any, Any]:
        """Gradient and Hessian of one of our terms, (3 N,) and (3 N, 3 N)."""
        g, first = self.add([term], x, projected, matrix), self.numbering.first
        own, rows, cols, start, numbers = numbers_of(matrix)
        assert len(rows) <= self.room
        H = np.zeros((g.size, g.size))
        for i, j, at in zip([*range(len(own)), *rows], [*range(len(own)), *cols], [*own, *start], strict=True):
            (a, b), (c, d) = (3 * first[r : r + 2] for r in (i, j))
            H[a:b, c:d] = numbers[at : at + (b - a) * (d - c)].reshape(b - a, d - c)
            H[c:d, a:b] = H[a:b, c:d].T
        return g.ravel(), H

    def compare_rounding(self) -> None:
        """Compare what rounding changes, of affine bodies: soft vertices are other numbers than coordinates."""
        ours, theirs = (terms[0] for terms in (self.ours, self.theirs))
        noise = theirs.rounding(self.state.q)
        assert noise.any()
        np.testing.assert_allclose(ours.rounding(self.x, self.moving), noise, rtol=1e-9)

    def compare(self, tolerance: float = 1e-12, size: float = 0.02) -> None:
        """Compare all terms at some states: while all bodies move, and while half of them do."""
        assert [term.name for term in self.ours] == [term.name for term in self.theirs]
        every = self.moving
        for our, their in zip(self.ours, self.theirs, strict=True):
            matrix = self.matrix([our])
            for q in self.states(size=size):
                self.select(every)
                assert self._compare_one(our, their, q, matrix, tolerance) > 0.0, our.name
                self.select(every & (np.arange(len(every)) % 2 == 1))
                self._compare_one(our, their, q, matrix, tolerance)
        self.select(every)

    def _compare_one(self, our: Any, their: Any, q: Any, matrix: Any, tolerance: float) -> float:
        n, free = len(q), np.repeat(self.free, 3)
        x, E, E_engine = self.nodes(q), np.zeros(len(self.moving)), np.zeros(n)
        our.add_energies(x, self.points(x), self.moving, E)
        their.add_energy(q, E_engine)
        E, E_engine = E[self.moving], E_engine[self.movable]
        assert E.sum() == pytest.approx(E_engine.sum(), rel=tolerance, abs=tolerance * np.abs(E_engine).sum()), our.name
        for is_projected in (True, False):
            their.projected = np.full(n, is_projected)
            g_engine, dense = np.zeros((n, DOF)), Dense(n)
            their.assemble(q, g_engine, dense)
            g, H = self.derivatives(our, x, np.full(len(self.moving), is_projected), matrix)
            S = self.S[:, free]
            H_engine = S.T @ dense.H.reshape(len(S), len(S)) @ S
            for found, given in ((g[free], S.T @ g_engine.ravel()), (H[np.ix_(free, free)], H_engine)):
                atol = tolerance * np.abs(given).max(initial=0.0)
                np.testing.assert_allclose(found, given, rtol=0.0, atol=atol, err_msg=f"{our.name} {is_projected}")
            assert not g[~free].any(), our.name
            assert not H[~free].any(), our.name
        return float(np.abs(g).max())


def force(geometry: Any) -> None:
    AffineBodyExternalBodyForce().apply_to(geometry, np.array([3.0, -1.0, 2.0, *np.linspace(-1.0, 1.0, 9)]), True)


def constrain(geometry: Any) -> None:
    SoftTransformConstraint().apply_to(geometry, np.array([20.0, 30.0]))


@pytest.mark.parametrize("kind", ["bdf1", "bdf2"])
def test_bodies_with_forces(kind: str, tmp_path: Path) -> None:
    scene = ProxyScene(tmp_path, gravity=(1.0, 2.0, -9.8), integrator__type=kind)
    for center in ((0.1, 0.2, 0.0), (0.0, 0.0, 0.3)):
        scene.add_proxy(center=center, inertia=(1.0, 1.5, 2.0), apply=[force])
    scene.add_proxy(apply=[force])
    view(scene.slots[-1].geometry().instances().find("is_fixed"))[:] = 1
    scene.start().run(2)
    beside = Beside(scene)
    beside.compare()
    beside.compare_rounding()


def test_shapes_of_both_kinds(tmp_path: Path) -> None:
    scene = BoxScene(tmp_path, contact__enable=0)
    for k in range(4):
        scene.add_box(translation(0.5 * k, 0.0, 0.0), kappa=1e7)
    for slot in scene.slots[1:3]:
        AffineBodyConstitution({"name": "ARAP"}).apply_to(slot.geometry(), 1e7)
    beside = Beside(scene.start().run(2))
    beside.compare()
    assert {"ortho potential", "ARAP"} <= {term.name for term in beside.ours}


def test_goals_of_bodies(tmp_path: Path) -> None:
    scene = ProxyScene(tmp_path)
    for center in ((0.1, 0.2, 0.0), (0.0, 0.0, 0.3)):
        scene.add_proxy(center=center, inertia=(1.0, 1.5, 2.0), apply=[constrain])
        view(scene.slots[-1].geometry().instances().find("is_constrained"))[:] = 1
        view(scene.slots[-1].geometry().instances().find("aim_transform"))[0] = translation(0.2, 0.1, 0.3)
    beside = Beside(scene.start().run(2))
    beside.compare()
    assert "soft transform" in {term.name for term in beside.ours}


def soft_bodies(folder: Path) -> SoftScene:
    """Bodies of all elastic energies apart from each other, some vertices held, pulled or fixed, some stitched."""
    scene, rests = SoftScene(folder, contact__enable=0), []
    pulled = block(1)
    SoftPositionConstraint().apply_to(pulled, 100.0)
    FiniteElementExternalForce().apply_to(pulled, np.array([1.0, 2.0, 3.0]))
    view(pulled.vertices().find("external_force/is_constrained"))[2:] = 1
    on = np.arange(8, dtype=np.int32) % 2
    vertices(
        pulled, is_constrained=on, aim_position=np.full((8, 3), 0.3), is_fixed=(np.arange(8) == 0).astype(np.int32)
    )
    solid = block_mesh(1)
    ARAP().apply_to(solid, 1e4)
    woven = cloth_mesh(3)
    StrainLimitingBaraffWitkinShell().apply_to(woven, ElasticModuli2D.youngs_poisson(1e5, 0.4), 200.0, 5e-4)
    StrainPlasticDiscreteShellBending().apply_to(woven, 1e-2, 0.01, 0.1)
    creased = cloth_mesh(2)
    NeoHookeanShell().apply_to(creased, ElasticModuli2D.youngs_poisson(1e5, 0.4), 200.0, 5e-4)
    StressPlasticDiscreteShellBending().apply_to(creased, 1e-2, 1e-5, 0.1)
    string = rod(np.array([[0.1 * k, 0.02 * k * k, 0.0] for k in range(5)]))
    for k, mesh in enumerate([pulled, solid, cloth(3), woven, creased, string]):
        slot, rest = scene.scene.objects().create(f"soft {k}").geometries().create(moved(mesh, 1.0 * k, 0.0, 0.0))
        scene.soft.append(slot)
        rests.append(rest)
    first, second = scene.soft[:2]
    box = scene.add_box(translation(0.0, 0.4, 0.1))
    moduli, plane = ElasticModuli.youngs_poisson(1e5, 0.3), ElasticModuli2D.youngs_poisson(1e5, 0.3)
    pairs = np.array([[1, 3], [2, 1]], dtype=np.int32)
    springs = SoftVertexStitch().create_geometry((first, box), pairs, 5e3, 0.25)
    edges = SoftVertexEdgeStitch().create_geometry((first, second), tuple(rests[:2]), pairs, plane, 0.02, 0.001)
    faces = SoftVertexTriangleStitch().create_geometry((second, first), (rests[1], rests[0]), pairs, moduli, 0.001)
    for geometry in (springs, edges, faces):
        scene.scene.objects().create("seam").geometries().create(geometry)
    return scene.start()


def test_soft_bodies(tmp_path: Path) -> None:
    beside = Beside(soft_bodies(tmp_path).run(3))
    beside.compare()
    names = {term.name for term in beside.ours}
    assert {"elasticity", "stitches", "soft position", "vertex force"} <= names
    ours, theirs = (next(term for term in of if term.name == "elasticity") for of in (beside.ours, beside.theirs))
    at_first = ours.creases(beside.points(beside.x))
    for q in beside.states(size=0.05):
        creases = theirs.creases(q)
        assert np.abs(creases - at_first)[:, 2].max() > 0.01
        np.testing.assert_allclose(ours.creases(beside.points(beside.nodes(q))), creases, rtol=1e-9, atol=1e-12)


def linkage(folder: Path) -> BoxScene:
    """Boxes on joints of all kinds, driven, limited and pushed; the first box is fixed."""
    scene = BoxScene(folder, contact__enable=0)
    for k in range(7):
        scene.add_box(translation(0.5 * k, 0.1 * k, 0.0), is_fixed=int(k == 0), kappa=1e7)
    one, two, three, four, five, six, seven = scene.slots
    hinge = AffineBodyDrivingRevoluteJoint(), 50.0
    bound = AffineBodyRevoluteJointLimit(), -0.5, -0.4, 2.0
    limit = AffineBodyRevoluteJointLimit(), 0.1, 0.3, 2.0
    torque = AffineBodyRevoluteJointExternalForce(), 3.0
    on = {"driving__is_constrained": 1, "aim_angle": 0.7, "external_torque__is_constrained": 1}
    add_hinge(scene, one, two, [[0.2, 0, 0], [0.2, 0.1, 0.4]], hinge, limit, torque, strength=10.0, **on)
    slider = AffineBodyDrivingPrismaticJoint(), 70.0
    limit = AffineBodyPrismaticJointLimit(), -0.2, -0.1, 3.0
    push = AffineBodyPrismaticJointExternalForce(), 5.0
    on = {"driving__is_constrained": 1, "aim_distance": 0.2, "external_force__is_constrained": 1}
    add_slider(scene, three, two, [[0.7, 0, 0], [1.1, 0.1, 0]], slider, limit, push, strength=10.0, **on)
    add_ball(scene, three, four, np.array([1.2, 0.2, 0.1]))
    add_weld(scene, four, five)
    add_hinge(scene, six, seven, [[2.2, 0, 0], [2.2, 0.1, 0.4]], bound, strength=20.0)
    return scene.start()


def test_joints(tmp_path: Path) -> None:
    beside = Beside(linkage(tmp_path).run(2))
    beside.compare()
    assert {"joint", "driving joint", "joint limit", "joint force"} <= {term.name for term in beside.ours}


def robot(name: str, folder: Path, steps: int, **settings: Any) -> Any:
    scene, document = read_scene(Path("scenes") / f"{name}.yaml", settings)
    run: Any = build(scene, document, "cpu", folder, scene.steps)
    for index in range(steps):
        run.step(index)
    return run


@pytest.mark.parametrize("name", ["pendulum", "four_bar_press", "panda_push"])
def test_articulations(name: str, tmp_path: Path) -> None:
    beside = Beside(robot(name, tmp_path, 3))
    assert "articulation" in {term.name for term in beside.ours}
    beside.compare()


@pytest.mark.parametrize("name", ["panda_push", "panda_grasp"])
def test_restrained_steps(name: str, tmp_path: Path) -> None:
    """The Newton step with limits, dry friction and motors, of all terms but contact."""
    beside = Beside(robot(name, tmp_path, 3))
    n, q = len(beside.state.q), next(beside.states(1, 1e-3))
    engine, given, g_engine = LinearSystem(~beside.movable), {}, np.zeros((n, DOF))
    for our, their in zip(beside.ours, beside.theirs, strict=True):
        their.projected, given[our.name] = np.ones(n, dtype=np.bool_), (our, their)
        their.assemble(q, g_engine, engine)
    matrix = beside.matrix(beside.ours)
    g = beside.add(beside.ours, beside.nodes(q), np.ones(len(beside.moving), dtype=np.bool_), matrix)
    own, *_, numbers = numbers_of(matrix)
    for b in np.flatnonzero(~beside.is_free):
        numbers[own[b] : own[b] + 144] = np.eye(12).ravel()
    pattern = analysed(matrix)
    U, dx = np.empty(size_of(pattern)), np.empty_like(g)
    assert factorise(pattern, numbers, beside.is_free, U)[beside.is_free].all()
    solve(pattern, matrix, beside.is_free, U, -g, dx)
    our, their = given["articulation"]
    springs = their._energy.arrays.springs
    springs[:, FRICTION], springs[:, LOWER] = (0.0, 1e4, -1e-3, 1e-3), (1e-4, 1e6, -np.inf, 0.0)
    their._is_restrained = True
    dq = engine.solve(g_engine)
    whole = np.abs(dx).max()
    np.testing.assert_allclose(dx, beside.nodes(dq), rtol=0.0, atol=1e-9 * whole)
    free = dx.copy()
    restrain(our.held, dx, pattern, matrix, beside.is_free, U)
    assert np.abs(dx - free).max() > 1e-6 * whole
    np.testing.assert_allclose(dx, beside.nodes(their.restrain(dq, engine)), rtol=0.0, atol=1e-8 * whole)
