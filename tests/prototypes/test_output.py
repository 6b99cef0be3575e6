"""What is read of steps of the core, beside the engine's own potential in the same states."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from ipc_articulation import tetrads
from ipc_articulation.arrays import Array
from ipc_articulation.contact.forces import ContactForces
from ipc_articulation.engine import cpu as module
from ipc_articulation.engine.potential import Potential
from prototypes.core import switch
from tests.engine.joints import add_hinge, add_slider
from tests.engine.scenes import BoxScene, translation, twist_rate
from tests.contact import contact_scenes as scenes
from tests.prototypes.test_friction import blocks, hairpin, pile

pytestmark = pytest.mark.slow

DT = 0.01  # [s]
FORCES = "normal_forces", "friction_forces", "couples"


def of_joints(folder: Path) -> BoxScene:
    """A box that is hinged to a fixed one, with a slider that slides on the ground."""
    scene = BoxScene(folder, friction=0.5)
    scene.add_ground()
    at = [translation(0.0, 0.0, 0.5), translation(0.25, 0.0, 0.5), translation(0.5, 0.0, 0.11)]
    one, two, three = (scene.add_box(T, is_fixed=k == 0, velocity=twist_rate(T)) for k, T in enumerate(at))
    add_hinge(scene, one, two, [[0.125, -0.1, 0.5], [0.125, 0.1, 0.5]])
    add_slider(scene, two, three, [[0.5, 0.0, 0.2], [0.6, 0.0, 0.2]])
    return scene.start()


def lagged(make: Any) -> Any:
    return lambda folder: make(folder, "lagged")


def anchored(make: Any) -> Any:
    return lambda folder: make(folder, "anchored")


SCENES = {
    **{make.__name__: make for make in (scenes.by_load, scenes.soft_by_load, scenes.of_parts)},
    **{make.__name__: make for make in (scenes.of_elements, scenes.of_many_models, of_joints)},
    **{f"{make.__name__}, lagged": lagged(make) for make in (pile, blocks)},
    **{f"{make.__name__}, anchored": anchored(make) for make in (pile, blocks, hairpin)},
}


def still(cpu: Any, state: Any) -> Any:
    """A state in which what rows without four vertices have in their place never moves, as in the engine."""
    numbering, initial = cpu.workspace.core.numbering, cpu.model.context.bodies.q
    nobody = np.ones((len(initial) - numbering.affine, 4, 1), dtype=np.bool_)
    nobody[numbering.row - numbering.affine, numbering.label] = False
    moved = {}
    for name in ("q", "q_before", "qdot", "qdot_before"):
        q, rest = getattr(state, name).copy(), initial if name.startswith("q_") or name == "q" else 0.0 * initial
        x, stays = (tetrads.vertices(of[numbering.affine :]) for of in (q, rest))
        q[numbering.affine :] = tetrads.coordinates(np.where(nobody, stays, x))
        moved[name] = q
    return state._replace(**moved)


def begin_and_end(potential: Any, before: Any, q: Array) -> None:
    """Let the engine's own potential be as after a step from a state to q (n, 12)."""
    potential.begin_step(before, DT)
    potential.place(before.q, np.ones(len(q), dtype=np.bool_))
    potential.cover(q)


def as_rows(forces: ContactForces) -> Array:
    """All columns, forces in units of the largest one."""
    size = max(np.abs(forces.normal_forces).max(), 1e-9)
    return np.column_stack([column / (size if name in FORCES else 1.0) for name, column in forces._asdict().items()])


def assert_same(found: ContactForces, expected: ContactForces) -> None:
    """In any order."""
    assert len(found.gaps) == len(expected.gaps)
    if len(found.gaps):
        apart = cdist(as_rows(found), as_rows(expected), "chebyshev")
        assert apart[linear_sum_assignment(apart)].max() < 1e-7


@pytest.mark.parametrize("make", SCENES.values(), ids=SCENES)
def test_it_is_what_the_engine_reads(make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "step", switch._by_core)
    scene, seen = make(tmp_path), np.zeros(4)
    cpu = scene.engine.cpu
    for _ in range(20):
        before = cpu.state if cpu.frame == 0 else still(cpu, cpu.state)
        scene.run()
        own, potential, q = cpu.statistics, cpu.workspace.potential, still(cpu, cpu.state).q
        begin_and_end(potential, before, q)
        assert own.collisions == Potential.collisions(potential, q)
        assert own.minimum_distance == pytest.approx(Potential.minimum_distance(potential, q), rel=1e-9)
        energies = Potential.energies(potential, q)
        size = sum(map(abs, energies.values()))
        assert own.energies == pytest.approx(energies, rel=1e-6, abs=1e-10 * size)
        assert list(own.energies) == list(energies)
        contacts = own.contacts
        assert_same(contacts, Potential.contact_forces(potential, q, DT))
        bodies, forces = own.joint_forces
        held = Potential.joint_forces(potential, q, DT)
        np.testing.assert_array_equal(bodies, held.bodies)
        np.testing.assert_allclose(forces, held.forces, rtol=1e-9, atol=1e-9 * np.abs(held.forces).max(initial=0.0))
        seen += own.collisions, np.abs(contacts.friction_forces).max(initial=0.0), _merged(contacts), len(bodies)
    assert (seen[:2] > 0.0).all()
    assert (seen[2] > 0.0) == (len(cpu.model.planes.names) > 0)
    assert (seen[3] > 0.0) == (make is of_joints)


def _merged(contacts: ContactForces) -> int:
    """How many contacts have forces of barrier and friction."""
    return np.count_nonzero(contacts.normal_forces.any(axis=1) & contacts.friction_forces.any(axis=1))


def test_a_step_that_is_read_changes_no_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "step", switch._by_core)
    ends = []
    for name in ("read", "not read"):
        scene = pile(tmp_path / name, "anchored")
        for _ in range(20):
            scene.run()
            if name == "read":
                _ = scene.engine.statistics.as_dict(), scene.engine.statistics.contacts
        ends.append(scene.engine.cpu.state.q)
    np.testing.assert_array_equal(*ends)
