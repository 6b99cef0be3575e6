"""Gradients and Hessians of all terms by nodes beside differences of energies, at random states."""

from __future__ import annotations

from collections.abc import Iterator
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

from ipc_articulation.articulation.bounded_springs import FRICTION, LOWER, slopes
from ipc_articulation.articulation.spring_rows import add_back, along
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.terms.articulations import restrain
from ipc_articulation.engine.terms.term import Term
from ipc_articulation.linear_system.system import analysed, factorise, solve
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.simulation.building import build
from tests.derivatives import central_difference
from tests.engine.bodies import ProxyScene
from tests.engine.joints import add_ball, add_hinge, add_slider, add_weld
from tests.engine.nodes import Nodes, dense
from tests.engine.scenes import BoxScene, translation
from tests.engine.soft.soft_scenes import SoftScene, block, block_mesh, cloth, cloth_mesh, moved, rod, vertices

pytestmark = pytest.mark.slow

DT = 0.01  # [s]


class AtStart:
    """The terms of a scene at the beginning of its next step, when goals are on their way."""

    def __init__(self, scene: Any) -> None:
        cpu = scene.engine.cpu
        self.core, self.state = cpu.workspace.core, cpu.state
        self.core.begin_step(self.state, DT)
        self.core.approach(1)
        for term in self.core.terms:
            term.approach(0.4)
        self.nodes, self.x = Nodes.of_core(self.core), self.core.nodes(self.state.q)

    @property
    def names(self) -> set[str]:
        return {term.name for term in self.core.terms}

    def places(self, count: int = 2, size: float = 0.02) -> Iterator[Any]:
        """Nodes near the present ones; only what can move does."""
        rng = np.random.default_rng(3)
        for _ in range(count):
            yield self.x + size * rng.standard_normal(self.x.shape) * self.nodes.free.reshape(-1, 3)

    def compare(self, size: float = 0.02, inexact: set[str] = frozenset()) -> None:
        """Compare all terms at some places: while all bodies move, and while half of them do.

        Unprojected Hessians of the inexact ones are none.
        """
        every, places = self.nodes.moving, list(self.places(size=size))
        for term in self.core.terms:
            for x in places:
                for moving in (every, every & (np.arange(len(every)) % 2 == 1)):
                    self.nodes.select(moving)
                    largest = self._compare_one(term, x, term.name not in inexact)
                    assert largest > 0.0 or moving is not every, term.name
        self.nodes.select(every)

    def _compare_one(self, term: Term, x: Any, is_exact: bool) -> float:
        nodes, free = self.nodes, self.nodes.free
        if not free.any():
            return 0.0

        def at(numbers: Any) -> Any:
            there = x.copy().ravel()
            there[free] = numbers
            return there.reshape(-1, 3)

        def energy(numbers: Any) -> float:
            return nodes.energy(term, at(numbers))

        def gradient(numbers: Any) -> Any:
            return nodes.gradient(term, at(numbers))[free]

        own = x.ravel()[free]
        g, H = nodes.derivatives(term, x, False)
        largest = np.abs(g).max(initial=0.0)
        np.testing.assert_allclose(
            g[free],
            central_difference(energy, own),
            rtol=0.0,
            atol=2e-6 * largest + 1e-9 * abs(energy(own)),
            err_msg=term.name,
        )
        difference = central_difference(gradient, own)
        noise = 1e-5 * np.abs(difference).max(initial=0.0) + 1e-9 * largest
        if is_exact:
            np.testing.assert_allclose(H[np.ix_(free, free)], difference, rtol=0.0, atol=noise, err_msg=term.name)
        again, projected = nodes.derivatives(term, x, True)
        np.testing.assert_allclose(again, g, rtol=0.0, atol=1e-12 * largest, err_msg=term.name)
        assert np.linalg.eigvalsh(projected[np.ix_(free, free)])[0] >= -noise, term.name
        for found in (g[~free], H[~free], projected[~free]):
            assert not found.any(), term.name
        return float(largest)


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
    at = AtStart(scene)
    at.compare()


def test_shapes_of_both_kinds(tmp_path: Path) -> None:
    scene = BoxScene(tmp_path, contact__enable=0)
    for k in range(4):
        scene.add_box(translation(0.5 * k, 0.0, 0.0), kappa=1e7)
    for slot in scene.slots[1:3]:
        AffineBodyConstitution({"name": "ARAP"}).apply_to(slot.geometry(), 1e7)
    at = AtStart(scene.start().run(2))
    at.compare()
    assert {"ortho potential", "ARAP"} <= at.names


def test_goals_of_bodies(tmp_path: Path) -> None:
    scene = ProxyScene(tmp_path)
    for center in ((0.1, 0.2, 0.0), (0.0, 0.0, 0.3)):
        scene.add_proxy(center=center, inertia=(1.0, 1.5, 2.0), apply=[constrain])
        view(scene.slots[-1].geometry().instances().find("is_constrained"))[:] = 1
        view(scene.slots[-1].geometry().instances().find("aim_transform"))[0] = translation(0.2, 0.1, 0.3)
    at = AtStart(scene.start().run(2))
    at.compare()
    assert "soft transform" in at.names


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
    at = AtStart(soft_bodies(tmp_path).run(3))
    at.compare()
    assert {"elasticity", "stitches", "soft position", "vertex force"} <= at.names


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
    at = AtStart(linkage(tmp_path).run(2))
    at.compare(inexact={"driving joint", "joint limit", "joint force"})  # of angles
    assert {"joint", "driving joint", "joint limit", "joint force"} <= at.names


def robot(name: str, folder: Path, steps: int, **settings: Any) -> Any:
    scene, document = read_scene(Path("scenes") / f"{name}.yaml", settings)
    run: Any = build(scene, document, "cpu", folder, scene.steps)
    for index in range(steps):
        run.step(index)
    return run


@pytest.mark.parametrize("name", ["pendulum", "four_bar_press", "panda_push"])
def test_articulations(name: str, tmp_path: Path) -> None:
    """Without springs, of which derivatives say nothing."""
    at = AtStart(robot(name, tmp_path, 3))
    term = next(term for term in at.core.terms if term.name == "articulation")
    term._energy.arrays.springs[:] = 0.0
    at.compare()


@compiled
def linearised(held):
    """∂δθ by the nodes of both bodies, δθ, the rows C, their springs and predictions."""
    return held.J, held.delta, held.arrays.bodies, held.arrays.rows, held.arrays.springs, held.arrays.row_tilde


@pytest.mark.parametrize("name", ["panda_push", "panda_grasp"])
def test_restrained_steps_are_stationary(name: str, tmp_path: Path) -> None:
    """Of gᵀ dx + ½ dxᵀ H dx + Σ D(C (δθ + J dx)), with limits and dry friction, by all terms but contact."""
    at = AtStart(robot(name, tmp_path, 3))
    nodes, term = at.nodes, next(term for term in at.core.terms if term.name == "articulation")
    springs = term._energy.arrays.springs
    springs[:, FRICTION], springs[:, LOWER] = (0.0, 1e4, -1e-3, 1e-3), (1e-4, 1e6, -np.inf, 0.0)
    x = next(at.places(1, 1e-3))
    g = nodes.add(at.core.terms, x, True)
    matrix, H = nodes.matrix, dense(nodes.matrix)
    pattern, is_free = analysed(matrix), nodes.is_free
    U, dx = np.empty(size_of(pattern)), np.empty_like(g)
    assert factorise(pattern, numbers_of(matrix), is_free, U)[is_free].all()
    solve(pattern, matrix, is_free, U, -g, dx)
    before = dx.copy()
    restrain(term.held, dx, pattern, matrix, is_free, U)
    assert np.abs(dx - before).max() > 1e-6 * np.abs(before).max()
    J, delta, bodies, rows, springs, tilde = linearised(term.held)
    by_freedom = np.zeros((len(delta), *x.shape))
    for f, pair in enumerate(bodies):
        for side, body in enumerate(pair):
            by_freedom[f, 4 * body : 4 * body + 4] += J[f, 12 * side : 12 * side + 12].reshape(4, 3)
    ahead = delta + np.einsum("fnk,nk->f", by_freedom, dx)
    force = np.zeros(len(delta))
    add_back(rows, slopes(springs, tilde, along(rows, ahead)), force)
    pulled = np.einsum("f,fnk->nk", force, by_freedom).ravel()
    left = g.ravel() + H @ dx.ravel() + pulled
    assert np.abs(pulled[nodes.free]).max() > 1e-6
    np.testing.assert_allclose(left[nodes.free], 0.0, rtol=0.0, atol=1e-8 * np.abs(pulled).max())


@compiled
def numbers_of(matrix):
    return matrix.numbers


@compiled
def size_of(pattern):
    return pattern.starts[-1]
