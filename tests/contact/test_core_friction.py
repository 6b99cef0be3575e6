"""Friction of the core and its memory beside those of the engine, kernel by kernel, on real scenes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ipc_articulation.contact.planes import energy
from ipc_articulation.contact.planes.pairs import rows_of
from ipc_articulation.contact.soft.soft_contact import SoftContact
from ipc_articulation.contact.soft.vertex_forces import friction_forces as soft_forces
from ipc_articulation.contact.soft.vertex_rows import add_gradients
from ipc_articulation.engine.terms.contact import Contact
from prototypes.core.switch import switch
from uipc.constitution import DiscreteShellBending, ElasticModuli2D, NeoHookeanShell
from uipc.geometry import label_surface
from uipc.geometry import trimesh as uipc_trimesh

from benchmarks.stark.cases import converging
from ipc_articulation.arrays import Array
from ipc_articulation.compiled import compiled
from ipc_articulation.contact import friction, pair_friction
from ipc_articulation.contact.forces import ContactForces, friction_forces
from ipc_articulation.contact.friction import _Friction
from ipc_articulation.contact.soft import vertex_friction
from ipc_articulation.contact.stencils import PLANE
from ipc_articulation.engine.newton import ends, stages, touching
from ipc_articulation.engine.newton.work import scene_of
from ipc_articulation.linear_system.system import empty_matrix, with_room
from tests.contact.cores import DT, read
from tests.engine.scenes import BoxScene, translation
from tests.engine.soft.soft_scenes import SoftScene, block, cloth, moved
from tests.engine.test_friction import slope

pytestmark = pytest.mark.slow


def turned(scene: Any, count: int, friction: str) -> Any:
    """Boxes that fall onto each other, on a half-plane."""
    rng = np.random.default_rng(0)
    for k in range(count):
        T = translation(*rng.uniform(-0.04, 0.04, 2), 0.11 + 0.23 * k)
        c, s = np.cos(0.3 * k), np.sin(0.3 * k)
        T[:2, :2] = [[c, -s], [s, c]]
        scene.add_box(T, velocity=np.array(translation(0.3, 0.1 * k, 0.0) - np.eye(4)))
    return scene.start(friction=friction)


def pile(workspace: Path, law: str) -> Any:
    scene = BoxScene(workspace, friction=0.5, contact__d_hat=0.002)
    scene.add_ground(-1.0)
    scene.add_ground()
    return turned(scene, 4, law)


def incline(workspace: Path, law: str) -> Any:
    return slope(workspace, 0.3, on_body=False, friction=law)[0]


def cloth_on_box(workspace: Path, law: str) -> Any:
    scene = SoftScene(workspace, friction=0.4, resistance=1e8)
    scene.add_box(translation(0.01, 0.02, 0.0), (0.25, 0.2, 0.1))
    scene.add_ground(-0.0515)
    scene.add_soft(moved(cloth(8, 0.4), 0.0, 0.0, 0.0535))
    return scene.start(friction=law)


def blocks(workspace: Path, law: str) -> Any:
    """A soft block on another one on a half-plane, and a box on top."""
    scene = SoftScene(workspace, friction=0.4, resistance=1e8)
    scene.add_ground(-1.0)
    scene.add_ground()
    scene.add_soft(moved(block(2, 0.2), 0.0, 0.0, 0.1015))
    scene.add_soft(moved(block(2, 0.15), 0.013, 0.021, 0.278))
    scene.add_box(translation(0.0, 0.0, 0.404), (0.1, 0.1, 0.1))
    return scene.start(friction=law)


def hairpin(workspace: Path, law: str) -> Any:
    """A shell at rest in two layers, whose upper one sinks onto the lower one."""
    scene = SoftScene(workspace, friction=0.4, resistance=1e8)
    scene.add_ground(-0.002)
    g, n, r = np.linspace(0.0, 1.0, 25), 25, 0.004
    bend = np.clip((g - 0.4) / 0.2, 0.0, 1.0) * np.pi
    x = np.where(g < 0.4, 0.4 - g, np.where(g > 0.6, g - 0.6, -r * np.sin(bend)))
    z = r - r * np.cos(bend)
    width = np.linspace(-0.1, 0.1, 6)
    points = np.stack([np.repeat(x, 6), np.tile(width, n) + 0.003 * np.repeat(g, 6), np.repeat(z, 6)], axis=1)
    a = (np.arange(n - 1)[:, None] * 6 + np.arange(5)).ravel()
    faces = np.concatenate([np.stack([a, a + 6, a + 7], 1), np.stack([a, a + 7, a + 1], 1)])
    mesh = uipc_trimesh(points, faces.astype(np.int32))
    label_surface(mesh)
    NeoHookeanShell().apply_to(mesh, ElasticModuli2D.youngs_poisson(1e5, 0.4), 200.0, 2e-4)
    DiscreteShellBending().apply_to(mesh, 1e-5)
    scene.add_soft(mesh)
    return scene.start(friction=law)


SCENES = {make.__name__: make for make in (pile, incline, cloth_on_box, blocks, hairpin)}


@compiled
def friction_of(work: Any) -> Any:
    return work.friction


@compiled
def fields(f: Any) -> Any:
    """Of `Friction`; arrays are those of `f`."""
    of_stencils = f.pair, f.kind, f.vertices, f.w, f.normal, f.force, f.eps, f.count, f.nodes, f.lever
    return *of_stencils, f.is_leaning, f.lean, f.anchor, f.dual, f.apart


@compiled
def derivatives(work: Any, x: Any, moving: Any) -> Any:
    """The gradient of friction (N, 3), and its Hessian as a `Matrix`."""
    rows, g = work.scene.rows, np.zeros_like(x)
    matrix, every = with_room(empty_matrix(rows.first), 6 * 2000, 16 * 54 * 2000), np.ones_like(rows.is_fixed)
    of = work.sums.row_of_node, every, matrix, g
    friction.add_friction(work.scene, work.friction, work.since, x, moving, *of)
    return g, matrix


@compiled
def product(matrix: Any, a: Any, b: Any) -> float:
    """Aᵀ H b for a and b (N, 3)."""
    total, first = 0.0, matrix.first
    for k in range(-len(matrix.own), matrix.used[0]):
        i = matrix.rows[k] if k >= 0 else -1 - k
        j = matrix.cols[k] if k >= 0 else i
        begin = matrix.start[k] if k >= 0 else matrix.own[i]
        left, right = 3 * (first[i + 1] - first[i]), 3 * (first[j + 1] - first[j])
        H = matrix.numbers[begin : begin + left * right].reshape(left, right)
        a_i, b_j = a[first[i] : first[i + 1]].copy().reshape(left), b[first[j] : first[j + 1]].copy().reshape(right)
        total += a_i @ (H @ b_j)
        if i != j:
            a_j, b_i = a[first[j] : first[j + 1]].copy().reshape(right), b[first[i] : first[i + 1]].copy().reshape(left)
            total += a_j @ (H.T @ b_i)
    return total


class Both:
    """A scene at the beginning of a step, by both."""

    def __init__(self, scene: Any, law: str) -> None:
        self.cpu = scene.engine.cpu
        self.term = next(t for t in self.cpu.workspace.potential.terms if isinstance(t, Contact))
        self.world, self.state = self.term.world, self.cpu.state
        self.core = read(self.cpu)
        assert self.cpu.model.rules.anchored == (law == "anchored")
        self.nodes, self.body = self.core.nodes, self.core.numbering.body_of
        self.term.begin_step(self.state, DT)
        self.since, self.at = self.nodes(self.state.q), self.state.q
        self.core.begin_step(self.state, DT)

    @property
    def friction(self) -> Any:
        """Of the core."""
        return friction_of(self.core.work)

    def by_coordinates(self, g: Array) -> Array:
        """Jᵀ g for g (N, 3)."""
        result, (_, _, _, row, label, _) = np.zeros_like(self.state.q), self.core.numbering
        affine, moved = self.core.numbering.affine, label > 0
        of_affine, of_soft = g[: 4 * affine].reshape(-1, 4, 3), g[4 * affine :]
        result[:affine, :3] = of_affine[:, 0]
        result[:affine, 3:] = of_affine[:, 1:].swapaxes(1, 2).reshape(-1, 9)
        np.add.at(result, (row[:, None], np.arange(3)), of_soft)
        np.add.at(result, (row[moved, None], 3 + 3 * np.arange(3) + label[moved, None] - 1), of_soft[moved])
        return result

    def renew(self, q: Array) -> None:
        """Renew friction of both at q."""
        self.at = q
        self.world.renew_friction(q)
        stages.stand(self.core.work, self.nodes(q))
        touching.collide(self.core.work)
        touching.renew_friction(self.core.work)

    def frictions(self) -> Iterator[tuple[tuple[int, ...], dict[str, Array]]]:
        """Names of the engine's contact points, and what friction has there."""
        for of_material in self.world.body_contacts:
            own = of_material._friction
            if own is None:
                continue
            if isinstance(of_material, SoftContact):
                vertices = own.vertices if of_material._stretched is None else of_material._stretched.vertices
                anchors = np.zeros_like(own.normal) if of_material._stretched is None else of_material._stretched.s
                columns = own.kind, vertices
            else:
                columns, anchors = self._found(of_material, own), own.anchor
            for k in range(len(own.force)):
                has = {"force": own.force[k], "normal": own.normal[k], "dual": own.dual[k], "anchor": anchors[k]}
                yield (int(columns[0][k]), *columns[1][k].tolist()), {**has, "eps": own.eps}
        step, pairs = self.world.half_planes._step, self.world.half_planes._pairs
        of, vertex = rows_of(pairs)
        for r in np.flatnonzero(step.normal_force):
            has = {"force": step.normal_force[r], "normal": pairs.normal[of[r]], "dual": step.dual[r]}
            name = PLANE, int(vertex[r]), int(self.world.half_planes._plane[of[r]]), 0, 0
            yield name, {**has, "anchor": step.anchor[r], "eps": step.eps[of[r]]}

    def energies(self, q: Array, moving: Array) -> Array:
        """Friction of the engine, row by row, (n,)."""
        E = np.zeros(len(q))
        for of_material in self.world.body_contacts:
            if of_material._friction is not None:
                kind = vertex_friction if isinstance(of_material, SoftContact) else pair_friction
                kind.add_energy(*of_material._friction, moving, q, E)
        energy.add_energy(self.world.half_planes.columns, self._plane_step(), q, moving, E)
        return E

    def _plane_step(self) -> tuple[Any, ...]:
        """Without barriers."""
        step = self.world.half_planes._step
        return tuple(step._replace(stiffness=0.0 * step.stiffness))

    def derivatives(self, q: Array, moving: Array, a: Array, b: Array) -> tuple[Array, float]:
        """The gradient of the engine's friction (n, 12), and aᵀ H b for a and b (n, 12)."""
        g, H = np.zeros_like(q), np.zeros((len(q), 12, 12))
        energy.add_derivatives(self.world.half_planes.columns, self._plane_step(), q, moving, g, H)
        total = np.einsum("na,nab,nb->", a, H, b)
        for of_material in self.world.body_contacts:
            own = of_material._friction
            if own is None:
                continue
            if isinstance(of_material, SoftContact):
                g_v, H_v = vertex_friction.derivatives(*own, moving, q)
                add_gradients(own.vertices, g_v, own.body, own.points, g)
                ends = (vertex_friction.positions(own.vertices, own.body, own.points, d) for d in (a, b))
                total += np.einsum("ka,kab,kb->", *_between(ends, H_v))
            else:
                bodies, blocks = pair_friction.add_derivatives(*own, moving, q, g)
                total += np.einsum("ka,kab,kb->", *_between((a[bodies], b[bodies]), blocks))
        return g, total

    def forces(self, q: Array) -> ContactForces:
        """Of the engine's friction, in the order of `frictions`."""
        parts, x = [], self.cpu.model.surfaces.positions(q)
        for of_material in self.world.body_contacts:
            own, xi = of_material._friction, of_material._thickness
            if own is None:
                continue
            if isinstance(of_material, SoftContact):
                stretched = of_material._stretched
                parts.append(soft_forces(own, q, xi, 0.0 if stretched is None else stretched.apart))
            else:
                parts.append(friction_forces(own, q, xi, of_material._apart))
        planes = self.world.half_planes
        step, gaps, (of, _) = planes._step, planes._gaps(x), rows_of(planes._pairs)
        found = planes.forces(x)
        on = np.flatnonzero((gaps < planes._pairs.d_hat[of]) | (step.normal_force > 0.0))
        parts.append(ContactForces(*(column[step.normal_force[on] > 0.0] for column in found)))
        return ContactForces.join(parts)

    def displaced(self, rng: np.random.Generator) -> Array:
        """Coordinates at which slips are as long as ε."""
        eps = 3e-6 if self.cpu.model.rules.anchored else 0.5 * self.core.config.eps_velocity * DT
        return self.state.q + rng.choice([0.1, 0.3, 1.0]) * eps * rng.normal(size=self.state.q.shape)

    def some(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """Some of the bodies (B,), and the same by rows (n,)."""
        bodies = rng.random(len(self.core.movable)) < 0.6
        return bodies, bodies[self.body]

    def _found(self, of_material: Any, own: Any) -> tuple[Array, Array]:
        """Kinds and vertices of affine bodies' friction, which does not tell them: of stencils with forces."""
        x = self.cpu.model.surfaces.positions(self.at)
        near = of_material.touching(x, of_material._all)
        mu = np.ones(len(near.bodies))
        normal, force, _ = pair_friction._lag(
            *near.columns[1:], self.cpu.model.surfaces.points, x, mu, of_material._d_hat, of_material._thickness
        )
        on = np.flatnonzero(force)
        np.testing.assert_array_equal(normal[on], own.normal)
        return near.kind[on], near.vertices[on]


def _between(ends: Any, H: Array) -> tuple[Array, Array, Array]:
    a, b = (end.reshape(len(H), H.shape[1]) for end in ends)
    return a, H, b


def names(found: Any) -> list[tuple[int, ...]]:
    """Of the core's contact points, as those of the engine."""
    return [(int(k), *v.tolist()) for k, v in zip(found.kind, found.vertices, strict=True)]


def states(make: Callable[[Path, str], Any], law: str, workspace: Path) -> Iterator[tuple[Any, Both]]:
    """Some steps of a scene, as they begin."""
    scene = make(workspace, law)
    for index in range(33):
        if index in (4, 20, 32):
            yield scene, Both(scene, law)
        scene.run()


LAWS = pytest.mark.parametrize("law", ["anchored", "lagged"])
MAKES = pytest.mark.parametrize("make", SCENES.values(), ids=SCENES)


def assert_same(both: Both) -> list[int]:
    """The same friction at the same points; returns the core's place of each of the engine's."""
    found = _Friction(*fields(both.friction))
    place = {name: f for f, name in enumerate(names(found))}
    own = dict(both.frictions())
    assert own.keys() == place.keys()
    assert len(own)
    tolerance = {"force": 1e-9, "normal": 1e-9, "dual": 1e-7, "anchor": 1e-7, "eps": 0.0}
    rows = [place[name] for name in own]
    for field, share in tolerance.items():
        wanted = np.array([has[field] for has in own.values()])
        scale = np.nanmax(np.abs(wanted), initial=1e-12) if field != "anchor" else found.eps.max()
        if field == "dual":
            scale = found.force.max()
        np.testing.assert_allclose(getattr(found, field)[rows], wanted, rtol=0.0, atol=share * scale, err_msg=field)
    return rows


@LAWS
@MAKES
def test_energies_and_derivatives_are_those_of_the_engine(make: Any, law: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    for _, both in states(make, law, tmp_path):
        assert_same(both)
        for _ in range(4):
            q = both.displaced(rng)
            x, (bodies, rows) = both.nodes(q), both.some(rng)
            assert_same_energies(both, q, bodies, rows)
            a, b = rng.normal(size=(2, *q.shape))
            g, H = derivatives(both.core.work, x, bodies)
            g_wanted, product_wanted = both.derivatives(q, rows, a, b)
            scale = np.abs(g_wanted).max()
            np.testing.assert_allclose(both.by_coordinates(g), g_wanted, rtol=0.0, atol=1e-7 * scale)
            assert product(H, both.nodes(a), both.nodes(b)) == pytest.approx(product_wanted, rel=1e-6, abs=1e-6 * scale)
            _assert_follows(both, q, both.displaced(rng), rng)


def assert_same_energies(both: Both, q: Array, bodies: Array, rows: Array) -> None:
    """Of bodies (B,), which are rows (n,) of twelve, at q (n, 12)."""
    E = np.zeros(len(bodies))
    friction.add_friction_energies(both.friction, both.since, both.nodes(q), bodies, E)
    wanted = np.bincount(both.body, both.energies(q, rows), len(E))
    np.testing.assert_allclose(E, wanted, rtol=1e-9, atol=1e-12 * wanted.max())


def _assert_follows(both: Both, q: Array, ahead: Array, rng: np.random.Generator) -> None:
    x, to, found = both.nodes(q), both.nodes(ahead), both.friction
    of_bodies, of_rows = both.some(rng)
    moving, rows = both.some(rng)
    slips, changes = np.zeros(len(moving)), np.zeros(len(q))
    friction.add_slips(found, both.since, x, to, moving, slips)
    for part in both.world._contacts:
        part.add_friction_changes(q, ahead, rows, changes)
    assert slips.max() == pytest.approx(changes.max(), rel=1e-7)
    assert not slips[~moving].any()
    both.world.follow(q, ahead - q, of_rows)
    friction.follow(found, both.since, x, to, np.ones_like(moving), of_bodies)
    assert_same(both)


@MAKES
def test_what_is_remembered_is_what_the_engine_remembers(make: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    for scene, both in states(make, "anchored", tmp_path):
        held, before = both.state.held_anchors, both.state.q
        work, some = both.core.work, both.displaced(rng)
        some[:1] = before[:1]
        scene.run()
        both.term.begin_step(both.state, DT)
        for q in (both.cpu.state.q, both.displaced(rng), some, before):
            ends.recall(work, both.core.ends, both.state, 0.0)
            stages.stand(work, both.nodes(q))
            keys, values, stencils, stretches = touching.remember(work)[2]
            anchors, springs = both.world.remembered(q, held), both.world.springs(q)
            np.testing.assert_array_equal(keys, anchors.pairs)
            np.testing.assert_array_equal(stencils, springs.stencils)
            length = np.abs(anchors.values[:, :3]).max(initial=1e-9)
            np.testing.assert_allclose(values[:, :6], anchors.values[:, :6], rtol=1e-6, atol=1e-6 * length)
            np.testing.assert_allclose(values[:, 6:], anchors.values[:, 6:], rtol=0.0, atol=1e-12)
            length = np.abs(springs.stretches[:, :3]).max(initial=1e-9)
            np.testing.assert_allclose(stretches[:, :3], springs.stretches[:, :3], rtol=0.0, atol=1e-7 * length)
            np.testing.assert_allclose(stretches[:, 3], springs.stretches[:, 3], rtol=1e-7)
            assert len(keys) + len(stencils)
        kept = {tuple(name): s[:3].tobytes() for name, s in zip(both.state.springs, both.state.stretches, strict=True)}
        for name, s in zip(stencils, stretches, strict=True):
            assert s[:3].tobytes() == kept.get(tuple(name), s[:3].tobytes())
        stays = np.isin(keys, held.pairs)
        assert values[stays].tobytes() == held.values[np.isin(held.pairs, keys)].tobytes()


@LAWS
@MAKES
def test_forces_are_those_of_the_engine(make: Any, law: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    for _, both in states(make, law, tmp_path):
        q, rows, scene = both.displaced(rng), assert_same(both), scene_of(both.core.work)
        own = friction.forces(scene, both.friction, both.since, both.nodes(q))
        for name, column, wanted in zip(ContactForces._fields, own, both.forces(q), strict=True):
            if name == "bodies":
                np.testing.assert_array_equal(column[rows], wanted)
            elif name != "normal_forces":
                scale = max(1.0, np.abs(wanted).max()) if name == "points" else np.abs(wanted).max()
                np.testing.assert_allclose(column[rows], wanted, rtol=0.0, atol=1e-8 * scale, err_msg=name)


@LAWS
@MAKES
def test_friction_is_renewed_as_in_the_engine(make: Any, law: str, tmp_path: Path) -> None:
    for scene, both in states(make, law, tmp_path):
        scene.run()
        both.renew(both.cpu.state.q)
        assert_same(both)
        every = np.ones_like(both.core.movable), np.ones(len(both.at), dtype=np.bool_)
        assert_same_energies(both, both.at, *every)


@pytest.mark.parametrize("make", [pile, cloth_on_box])
def test_steps_end_where_those_of_the_engine_end(make: Any, monkeypatch: Any, tmp_path: Path) -> None:
    start = BoxScene.start

    def start_converging(self: Any, **options: Any) -> Any:
        converging(self.scene)
        return start(self, **options)

    monkeypatch.setattr(BoxScene, "start", start_converging)
    one, other = (make(tmp_path / name, "anchored") for name in ("engine", "core"))
    switch(other.engine.cpu)
    for _ in range(40):
        one.world.advance()
        other.world.advance()
        state, wanted = other.engine.cpu.state, one.engine.cpu.state
        np.testing.assert_allclose(state.q, wanted.q, rtol=0.0, atol=1e-8)
    np.testing.assert_array_equal(state.anchored, wanted.anchored)
    np.testing.assert_allclose(state.anchors, wanted.anchors, rtol=0.0, atol=1e-8)
    np.testing.assert_array_equal(state.springs, wanted.springs)
