"""What is read of steps, beside gradients and energies of what Newton's method minimises."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ipc_articulation.contact.forces import ContactForces
from ipc_articulation.engine.newton import direction
from tests.contact import contact_scenes as scenes
from tests.derivatives import central_difference
from tests.engine.joints import add_hinge, add_slider
from tests.engine.nodes import energy
from tests.engine.parts import contact_matrix, core_of, look_around, term_of
from tests.engine.scenes import BoxScene, translation, twist_rate
from tests.engine.soft.soft_scenes import SoftScene, block, moved

pytestmark = pytest.mark.slow

DT = 0.01  # [s]


def of_joints(folder: Path) -> BoxScene:
    """A box that is hinged to a fixed one, with a slider that slides on the ground."""
    scene = BoxScene(folder, friction=0.5)
    scene.add_ground()
    at = [translation(0.0, 0.0, 0.5), translation(0.25, 0.0, 0.5), translation(0.5, 0.0, 0.11)]
    one, two, three = (scene.add_box(T, is_fixed=k == 0, velocity=twist_rate(T)) for k, T in enumerate(at))
    add_hinge(scene, one, two, [[0.125, -0.1, 0.5], [0.125, 0.1, 0.5]])
    add_slider(scene, two, three, [[0.5, 0.0, 0.2], [0.6, 0.0, 0.2]])
    return scene.start()


def pile(folder: Path, law: str) -> BoxScene:
    """Boxes, each turned a little, above each other."""
    scene = BoxScene(folder, friction=0.5, contact__d_hat=0.002)
    scene.add_ground()
    for k in range(4):
        T = translation(0.02 * k, 0.01 * k, 0.1015 + 0.2025 * k)
        T[:3, :3] = Rotation.from_rotvec([0.0, 0.0, 0.3 * k]).as_matrix()
        scene.add_box(T, velocity=twist_rate(T, linear=(0.1, 0.0, 0.0)))
    return scene.start(friction=law)


def blocks(folder: Path, law: str) -> SoftScene:
    """A soft block on another one on a half-plane, and a box on top."""
    scene = SoftScene(folder, friction=0.4, resistance=1e8)
    scene.add_ground()
    scene.add_soft(moved(block(2, 0.2), 0.0, 0.0, 0.1015))
    scene.add_soft(moved(block(2, 0.15), 0.013, 0.021, 0.278))
    scene.add_box(translation(0.0, 0.0, 0.404), (0.1, 0.1, 0.1))
    return scene.start(friction=law)


SCENES = {
    **{make.__name__: make for make in (scenes.by_load, scenes.soft_by_load, scenes.of_parts)},
    **{make.__name__: make for make in (scenes.of_elements, scenes.of_many_models, of_joints)},
    **{f"{make.__name__}, {law}": lambda folder, make=make, law=law: make(folder, law)
       for make in (pile, blocks) for law in ("lagged", "anchored")},
}  # fmt: skip


def forces_by_gradient(scene: Any) -> tuple[Any, Any]:
    """Of contact on nodes where the last step has ended, (N, 3) [N], and the free ones, (N,)."""
    core = core_of(scene)
    look_around(core)
    contact_matrix(core)
    numbering = core.numbering
    return -direction.gradient(core.work) / DT**2, np.repeat(~numbering.is_fixed, np.diff(numbering.first))


def on_bodies(scene: Any, of_nodes: Any) -> Any:
    """Sum of forces on p of affine bodies and on soft vertices, body by body, (B, 3)."""
    numbering = core_of(scene).numbering
    total = np.zeros((len(core_of(scene).movable), 3))
    heads = numbering.first[:-1]
    np.add.at(total, numbering.body, of_nodes[heads])
    return total


def on_bodies_by_contacts(scene: Any, contacts: ContactForces) -> Any:
    """The same of contacts."""
    body_of = core_of(scene).numbering.body_of  # of rows of twelve, which contacts count
    total = np.zeros((len(core_of(scene).movable), 3))
    for side, sign in ((0, 1.0), (1, -1.0)):
        rows = contacts.bodies[:, side]
        of_bodies = rows < len(body_of)
        np.add.at(total, body_of[rows[of_bodies]], sign * contacts.forces[of_bodies])
    return total


@pytest.mark.parametrize("make", SCENES.values(), ids=SCENES)
def test_contacts_are_those_of_the_gradient(make: Any, tmp_path: Path) -> None:
    """On every body all of which is free; gaps and their number are those of what is within d̂."""
    scene, seen = make(tmp_path), np.zeros(3)
    core = core_of(scene)
    whole = np.ones(len(core.movable), dtype=np.bool_)
    whole[core.numbering.body[core.numbering.is_fixed]] = False
    for _ in range(20):
        read = scene.run().engine.statistics
        contacts = read.contacts
        found, expected = on_bodies_by_contacts(scene, contacts), on_bodies(scene, forces_by_gradient(scene)[0])
        size = np.abs(contacts.forces).max(initial=1e-9)
        np.testing.assert_allclose(found[whole], expected[whole], rtol=0.0, atol=1e-9 * size)
        pushes = contacts.normal_forces.any(axis=1)
        assert np.count_nonzero(pushes) <= read.collisions <= len(pushes)
        if pushes.any():
            assert read.minimum_distance == pytest.approx(contacts.gaps[pushes].min(), rel=1e-9)
        merged = np.count_nonzero(pushes & contacts.friction_forces.any(axis=1))
        seen += read.collisions, np.abs(contacts.friction_forces).max(initial=0.0), merged
    assert (seen[:2] > 0.0).all()
    assert (seen[2] > 0.0) == (len(scene.engine.cpu.model.planes.names) > 0)


def test_joint_forces_are_those_of_the_energy_of_joints(tmp_path: Path) -> None:
    scene = of_joints(tmp_path).run(5)
    bodies, forces = scene.engine.statistics.joint_forces
    total, q = np.zeros((3, 12)), scene.engine.cpu.state.q
    np.add.at(total, bodies, forces)
    joints = term_of(scene, "joint")
    slope = central_difference(lambda at: energy(joints, at.reshape(3, 12)), q.ravel()).reshape(3, 12)
    np.testing.assert_allclose(total[1:], -slope[1:] / DT**2, rtol=0.0, atol=1e-5 * np.abs(slope).max() / DT**2)
    assert np.abs(total).max() > 10.0


def test_a_step_that_is_read_changes_no_bit(tmp_path: Path) -> None:
    ends = []
    for name in ("read", "not read"):
        scene = pile(tmp_path / name, "anchored")
        for _ in range(20):
            scene.run()
            if name == "read":
                _ = scene.engine.statistics.as_dict(), scene.engine.statistics.contacts
        ends.append(scene.engine.cpu.state.q)
    np.testing.assert_array_equal(*ends)
