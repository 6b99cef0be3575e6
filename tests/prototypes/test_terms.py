"""The terms of the core beside those of the engine: energies, gradients and Hessians at random states."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from uipc import view
from uipc.constitution import (
    AffineBodyDrivingPrismaticJoint,
    AffineBodyDrivingRevoluteJoint,
    AffineBodyExternalBodyForce,
    AffineBodyPrismaticJointExternalForce,
    AffineBodyPrismaticJointLimit,
    AffineBodyRevoluteJointExternalForce,
    AffineBodyRevoluteJointLimit,
)

from ipc_articulation.affine import DOF
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.terms.contact import Contact
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.simulation.building import build
from prototypes.core.system import cleared, empty_matrix, with_room
from prototypes.core.term import sums
from prototypes.core.terms.coordinates import by_numbers, write_all_nodes
from prototypes.core.terms.registry import numbering_of, read_terms
from tests.engine.bodies import ProxyScene
from tests.engine.joints import add_ball, add_hinge, add_slider, add_weld
from tests.engine.scenes import BoxScene, translation

pytestmark = pytest.mark.slow

DT = 0.01  # [s]


class Dense:
    """A Hessian (12 n, 12 n), see `engine.linear_system.hessian`."""

    def __init__(self, n: int) -> None:
        self.H = np.zeros((n, DOF, n, DOF))

    def add_diagonal(self, blocks: Any) -> None:
        for b, block in enumerate(blocks):
            self.H[b, :, b] += block

    def add_pairs(self, bodies: Any, blocks: Any) -> None:
        for pair, block in zip(bodies, blocks, strict=True):
            for s, i in enumerate(pair):
                for t, j in enumerate(pair):
                    self.H[i, :, j] += block[DOF * s : DOF * s + DOF, DOF * t : DOF * t + DOF]

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
        for of, local, block in zip(bodies, points, H, strict=True):
            D = np.zeros((len(of), 3, DOF))
            D[:, :, :3] = np.eye(3)
            for k in range(3):
                D[:, k, 3 + 3 * k : 6 + 3 * k] = local
            parts = block.reshape(len(of), 3, len(of), 3)
            for s, i in enumerate(of):
                for t, j in enumerate(of):
                    self.H[i, :, j] += scale * D[s].T @ parts[s, :, t] @ D[t]


@compiled
def numbers_of(matrix):
    m = matrix.used[0]
    return matrix.own, matrix.rows[:m], matrix.cols[:m], matrix.start[:m], matrix.numbers


class Beside:
    """The terms of a scene by both, at the beginning of its next step."""

    def __init__(self, scene: Any) -> None:
        self.cpu = scene.engine.cpu
        self.ours = read_terms(self.cpu)
        self.theirs = [term for term in self.cpu.workspace.potential.terms if not isinstance(term, Contact)]
        self.numbering = numbering_of(self.cpu.model)
        self.state, n = self.cpu.state, len(self.cpu.state.q)
        self.numbers = by_numbers(self.numbering)
        self.x = self.nodes(self.state.q)
        self.P = np.stack([self.nodes(row.reshape(n, DOF)).ravel() for row in np.eye(n * DOF)], axis=1)
        self.movable = ~self.cpu.model.context.bodies.is_fixed
        bodies = int(self.numbering.body.max()) + 1
        self.moving = np.zeros(bodies, dtype=np.bool_)
        self.moving[self.numbering.body[~self.numbering.is_fixed]] = True
        for term in self.theirs:
            term.select(self.movable)
            term.begin_step(self.state, DT)
        for term in self.ours:
            term.begin_step(self.state, self.x, DT)
        step = 0.1 * np.random.default_rng(1).standard_normal(self.state.q.shape)
        for term in self.theirs:
            term.follow(self.state.q, step, np.zeros(n, dtype=np.bool_))
        for term in self.ours:
            term.follow(self.nodes(step))
        self.matrices = [
            with_room(empty_matrix(self.numbering.first), term.room, 144 * term.room) for term in self.ours
        ]

    def nodes(self, q: Any) -> Any:
        x = np.empty((self.numbering.first[-1], 3))
        write_all_nodes(self.numbers, np.ascontiguousarray(q), x)
        return x

    def states(self, count: int = 3, size: float = 0.02) -> Iterator[Any]:
        """Coordinates near the present ones; only what can move does."""
        rng = np.random.default_rng(3)
        for _ in range(count):
            yield self.state.q + size * rng.standard_normal(self.state.q.shape) * self.movable[:, None]

    def points(self, x: Any) -> Any:
        """Points (V, 3); those of affine bodies are not placed."""
        affine, surfaces = self.numbering.affine, self.cpu.model.surfaces
        return np.concatenate([np.full((surfaces.first[affine], 3), np.nan), x[4 * affine :]])

    def derivatives(self, which: int, x: Any, projected: Any) -> tuple[Any, Any]:
        """Gradient and Hessian of one of our terms by coordinates of the engine, (12 n,) and (12 n, 12 n)."""
        numbering, matrix = self.numbering, self.matrices[which]
        cleared(matrix)
        is_free, g = ~numbering.is_fixed, np.zeros_like(x)
        row_of_node = np.repeat(np.arange(len(is_free)), np.diff(numbering.first))
        to = sums(self.moving, projected, is_free, row_of_node, matrix, g)
        self.ours[which].add_derivatives(x, self.points(x), to)
        own, rows, cols, start, numbers = numbers_of(matrix)
        H = np.zeros((g.size, g.size))
        all_rows = zip([*range(len(own)), *rows], [*range(len(own)), *cols], [*own, *start], strict=True)
        for i, j, at in all_rows:
            (a, b), (c, d) = (3 * numbering.first[r : r + 2] for r in (i, j))
            H[a:b, c:d] = numbers[at : at + (b - a) * (d - c)].reshape(b - a, d - c)
            H[c:d, a:b] = H[a:b, c:d].T
        return self.P.T @ g.ravel(), self.P.T @ H @ self.P

    def compare_rounding(self) -> None:
        """Compare what rounding changes, of affine bodies: soft vertices are other numbers than coordinates."""
        ours, theirs = (terms[0] for terms in (self.ours, self.theirs))
        noise = theirs.rounding(self.state.q)
        assert noise.any()
        np.testing.assert_allclose(ours.rounding(self.x, self.moving), noise, rtol=1e-9)

    def compare(self, tolerance: float = 1e-12, size: float = 0.02) -> None:
        """Compare all at some states."""
        assert [term.name for term in self.ours] == [term.name for term in self.theirs]
        n, free = len(self.state.q), np.repeat(self.movable, DOF)
        for which, (our, their) in enumerate(zip(self.ours, self.theirs, strict=True)):
            for q in self.states(size=size):
                x, E, E_engine = self.nodes(q), np.zeros(len(self.moving)), np.zeros(n)
                our.add_energies(x, self.points(x), self.moving, E)
                their.add_energy(q, E_engine)
                scale = np.abs(E_engine).sum()
                assert E.sum() == pytest.approx(E_engine.sum(), rel=tolerance, abs=tolerance * scale), our.name
                for is_projected in (True, False):
                    their.projected = np.full(n, is_projected)
                    g_engine, dense = np.zeros((n, DOF)), Dense(n)
                    their.assemble(q, g_engine, dense)
                    g, H = self.derivatives(which, x, np.full(len(self.moving), is_projected))
                    H_engine = dense.H.reshape(len(g), len(g))[np.ix_(free, free)]
                    for found, given in ((g[free], g_engine.ravel()[free]), (H[np.ix_(free, free)], H_engine)):
                        largest = np.abs(given).max(initial=0.0)
                        np.testing.assert_allclose(
                            found, given, rtol=0.0, atol=tolerance * largest, err_msg=f"{our.name} {is_projected}"
                        )


def force(geometry: Any) -> None:
    AffineBodyExternalBodyForce().apply_to(geometry, np.array([3.0, -1.0, 2.0, *np.linspace(-1.0, 1.0, 9)]), True)


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
    beside.compare(1e-11)
