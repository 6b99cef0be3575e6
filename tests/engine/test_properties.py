"""Masses and friction that change between steps."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from uipc import view
from uipc.constitution import AffineBodyExternalBodyForce

from ipc_articulation.engine import Engine, step
from ipc_articulation.errors import DumpError, EngineError, SceneError, SolverError
from tests.engine.joints import add_hinge
from tests.engine.scenes import BoxScene, translation, twist_rate

G, DT = 9.8, 0.01


def sliding(workspace, count=2, speed=1.0, density=1000.0, law=None, **config):
    """Boxes that slide along x on the ground."""
    scene = BoxScene(workspace, **{"contact__d_hat": 0.002, **config})
    scene.ground = scene.add_ground()
    for k in range(count):
        place = translation(0, k, 0.1015)
        scene.add_box(place, velocity=twist_rate(place, (speed, 0, 0)), density=density)
    return scene.start(friction=law)


def on_ground(scene, friction, box=0):
    """Set the friction of a box on the ground."""
    pair = (scene.slots[box].id(), 0), (scene.ground.id(), 0)
    scene.engine.properties.set_frictions({pair: friction})


def set_mass(scene, mass, box=0):
    scene.engine.properties.set_masses({scene.slots[box].id(): mass})


def decelerations(scene, steps=15):
    before = scene.run(10).qdot[:, 0]  # has settled on the ground
    return (before - scene.run(steps).qdot[:, 0]) / (steps * DT)


@pytest.mark.parametrize("law", ["anchored", "lagged"])
def test_a_body_slides_with_the_friction_that_was_set_last(tmp_path, law):
    scene = sliding(tmp_path, friction=0.5, speed=3.0, law=law)
    on_ground(scene, 0.9)
    on_ground(scene, 0.2)
    assert decelerations(scene) == pytest.approx([0.2 * G, 0.5 * G], rel=0.02)
    on_ground(scene, 0.0)
    assert decelerations(scene) == pytest.approx([0.0, 0.5 * G], rel=0.02, abs=0.01)


def test_friction_between_two_bodies_may_come_where_there_was_none(tmp_path):
    scene = BoxScene(tmp_path, friction=0.0, contact__d_hat=0.002)
    scene.add_box(translation(0, 0, 0.0), size=(2, 2, 0.2), is_fixed=1)
    for y in (-0.5, 0.5):
        place = translation(-0.5, y, 0.2015)
        scene.add_box(place, velocity=twist_rate(place, (1.0, 0, 0)))
    keys = [(slot.id(), 0) for slot in scene.start().slots]
    scene.engine.properties.set_frictions({(keys[2], keys[0]): 0.3})
    assert decelerations(scene) == pytest.approx([0.0, 0.0, 0.3 * G], rel=0.02, abs=0.01)


def test_a_force_accelerates_by_the_mass_that_was_set(tmp_path):
    scene = BoxScene(tmp_path, gravity=(0, 0, 0))
    for x in (0.0, 1.0):
        geometry = scene.add_box(translation(x, 0, 0)).geometry()
        AffineBodyExternalBodyForce().apply_to(geometry, np.array([4.0, 0, 0, *np.zeros(9)]))
    scene.start()
    set_mass(scene, 2.0)
    assert scene.run(5).qdot[:, 0] == pytest.approx([5 * DT * 4.0 / 2.0, 5 * DT * 4.0 / 8.0])
    set_mass(scene, 4.0)
    assert scene.run(5).qdot[0, 0] == pytest.approx(5 * DT * (4.0 / 2.0 + 4.0 / 4.0))


def tumbling(workspace, density, by_load):
    """A box that falls on an edge of another one, whose mass moves both."""
    scene = BoxScene(workspace, resistance=None if by_load else 1e8, contact__d_hat=0.002)
    scene.add_ground()
    scene.add_box(translation(0, 0, 0.102), density=density)
    place = translation(0.11, 0.03, 0.33)
    scene.add_box(place, velocity=twist_rate(place, (0, 0, -0.5), (1, 2, 0)))
    return scene.start(resistance="load" if by_load else "table")


@pytest.mark.parametrize("by_load", [False, True])
def test_a_mass_that_was_set_is_as_one_that_was_built(tmp_path, by_load):
    built, changed = tumbling(tmp_path / "a", 250.0, by_load), tumbling(tmp_path / "b", 1000.0, by_load)
    assert not np.allclose(built.masses(), changed.masses())
    set_mass(changed, 2.0)
    assert np.allclose(built.masses(), changed.masses(), rtol=1e-12)
    assert np.allclose(built.run(25).q, changed.run(25).q, atol=1e-7)
    assert built.q[1, 2] < 0.3


def test_setting_a_mass_twice_leaves_no_trace(tmp_path):
    direct, over_another = sliding(tmp_path / "a", 1), sliding(tmp_path / "b", 1)
    set_mass(over_another, 0.7)
    for scene in (direct, over_another):
        set_mass(scene, 3.3)
    assert np.array_equal(direct.run(5).q, over_another.run(5).q)


def test_the_mass_that_a_body_has_leaves_it_asleep_and_the_first_one_has_its_bits_again(tmp_path):
    scene = BoxScene(tmp_path, contact__d_hat=0.002)
    scene.add_ground()
    place = np.eye(4)
    place[:3, :3] = Rotation.from_rotvec([0.0, 0.0, 0.7]).as_matrix()
    place[:3, 3] = 0.0, 0.0, 0.102
    scene.add_box(place, size=(0.3, 0.1, 0.2), density=731.0)
    scene.start(friction="anchored")
    while scene.run().engine.statistics.newton.iterations:
        pass
    before, mass = scene.masses().copy(), scene.masses()[0, 0, 0]
    set_mass(scene, mass)
    assert scene.run().engine.statistics.newton.iterations == 0
    set_mass(scene, 0.7)
    set_mass(scene, mass)
    np.testing.assert_array_equal(scene.masses(), before)


def test_all_instances_of_a_geometry_are_looked_at(tmp_path):
    scene = BoxScene(tmp_path)
    geometry = scene.add_box(translation(0, 0, 1)).geometry()
    geometry.instances().resize(2)
    view(geometry.transforms())[1] = translation(1, 0, 1)
    view(geometry.instances().find("is_fixed"))[1] = 1
    scene.start()
    with pytest.raises(SceneError, match=r"the mass of '.* instance 1' has no effect: the body is fixed"):
        set_mass(scene, 1.0)


def fails(*args):
    raise SolverError("nothing is solved")


def test_what_is_read_of_a_step_is_not_that_of_another_one_that_failed(tmp_path, monkeypatch):
    """All sleep, so the next step begins nothing; but the one that failed had begun with another dt."""
    scene = sliding(tmp_path, 1, speed=0.0)
    while scene.run().engine.statistics.newton.iterations:
        pass
    scene.run(3)
    weight = np.abs(scene.engine.statistics.contacts.normal_forces.sum(axis=0)).max()
    dt = view(scene.scene.config().find("dt"))
    dt[0] = 2.0 * DT
    with monkeypatch.context() as patched:
        patched.setattr(step, "minimise", fails)
        with pytest.raises(SolverError, match="nothing is solved"):
            scene.run()
    view(scene.scene.config().find("dt"))[0] = DT
    scene.run()
    assert np.abs(scene.engine.statistics.contacts.normal_forces.sum(axis=0)).max() == pytest.approx(weight, rel=1e-9)


def test_sleeping_bodies_wake(tmp_path):
    scene = sliding(tmp_path, 1, speed=0.0)
    while scene.run().engine.statistics.newton.iterations:
        pass
    height = scene.q[0, 2]
    set_mass(scene, 30.0)
    assert scene.run().engine.statistics.newton.iterations
    assert scene.run(50).q[0, 2] < height
    assert scene.q[0, 2] > 0.1


def test_what_was_set_remains_when_bodies_come_into_the_scene(tmp_path):
    scene = sliding(tmp_path, 1, speed=3.0)
    set_mass(scene, 3.0)
    on_ground(scene, 0.1)
    scene.add_box(translation(5, 0, 5))
    assert decelerations(scene)[0] == pytest.approx(0.1 * G, rel=0.02)
    assert scene.masses()[0, 0, 0] == scene.slots[0].geometry().meta().find("abd_mass").view()[0] == 3.0


def test_a_dump_is_of_a_scene_with_its_masses_and_friction(tmp_path):
    scene = sliding(tmp_path, 1)
    set_mass(scene, 3.0)
    on_ground(scene, 0.1)
    scene.run(3).world.dump()
    q = scene.run(5).q
    again = sliding(tmp_path, 1)
    with pytest.raises(DumpError, match=r"its mass of 'box 0' is 3\.0, the present scene's 8\.0"):
        again.world.recover()
    set_mass(again, 3.0)
    with pytest.raises(DumpError, match=r"its largest friction of 'box 0' is 0\.1, the present scene's 0\.5"):
        again.world.recover()
    on_ground(again, 0.1)
    assert again.world.recover()
    assert np.array_equal(again.run(5).q, q)


def jointed(workspace):
    scene = BoxScene(workspace)
    scene.add_box(translation(0, 0, 1), is_fixed=1)
    scene.add_box(translation(1, 0, 1))
    scene.add_box(translation(2, 0, 1))
    add_hinge(scene, scene.slots[1], scene.slots[2], [[1.5, -0.1, 1], [1.5, 0.1, 1]])
    link = scene.add_box(translation(0, 3, 1))
    view(link.geometry().instances().find("external_kinetic"))[:] = 1
    return scene.start()


@pytest.mark.parametrize(
    ("box", "mass", "message"),
    [
        (1, -1.0, r"the mass of 'box 1' is -1\.0, must be a positive, finite number"),
        (1, 0, r"the mass of 'box 1' is 0, must be a positive"),
        (1, np.nan, r"the mass of 'box 1' is nan, must be a positive"),
        (1, 1e300, r"the mass of 'box 1' is 1e\+300, must be between 1e-30 and 1e30 kg"),
        (1, "2", r"the mass of 'box 1' is '2', must be a positive"),
        (1, 2.0, r"the mass of 'box 1' cannot change while a joint, a stitch or a SoftTransformConstraint holds"),
        (0, 2.0, r"the mass of 'box 0' has no effect: the body is fixed"),
        (3, 2.0, r"the mass of 'box 3' has no effect: a multibody engine or an aim moves the body"),
    ],
)
def test_masses_that_cannot_be_are_refused(tmp_path, box, mass, message):
    scene = jointed(tmp_path)
    free = scene.add_box(translation(5, 0, 1))
    with pytest.raises(SceneError, match=message):
        scene.engine.properties.set_masses({free.id(): 2.0, scene.slots[box].id(): mass})
    assert free.geometry().meta().find("abd_mass").view()[0] == pytest.approx(8.0)


@pytest.mark.parametrize(
    ("friction", "other", "message"),
    [
        (-0.1, None, r"the friction of 'box 0' and 'ground' is -0\.1, must be a number from 0 to 1e\+06"),
        (np.inf, None, r"the friction of 'box 0' and 'ground' is inf, must be"),
        (0.1, (99, 0), r"friction of geometry 99, instance 0: it is no affine body or half-plane"),
    ],
)
def test_friction_that_cannot_be_is_refused(tmp_path, friction, other, message):
    scene = sliding(tmp_path, 1)
    ground = (scene.ground.id(), 0)
    with pytest.raises(SceneError, match=message):
        scene.engine.properties.set_frictions({((scene.slots[0].id(), 0), other or ground): friction})
    with pytest.raises(SceneError, match="set_masses refers to geometry 99"):
        scene.engine.properties.set_masses({99: 1.0})


def test_pairs_that_are_none_leave_no_trace(tmp_path):
    scene = sliding(tmp_path, 1, speed=3.0)
    box, ground = (scene.slots[0].id(), 0), (scene.ground.id(), 0)
    for frictions, message in (
        ({(box, ground, box): 0.1}, r"set_frictions: a pair is .* must be two \(geometry id, instance\)"),
        ({"ab": 0.1}, r"set_frictions: a pair is 'ab', must be two"),
        ({(box, box): 0.1}, "a pair is of two bodies, or of a body and a half-plane"),
        ({(box, ground): 0.1, (ground, box): 0.2}, "the friction of 'ground' and 'box 0' is given twice"),
        ([(box, ground)], "set_frictions: frictions is .* must be a Mapping"),
    ):
        with pytest.raises(SceneError, match=message):
            scene.engine.properties.set_frictions(frictions)
    scene.add_box(translation(5, 0, 5))
    assert decelerations(scene)[0] == pytest.approx(0.5 * G, rel=0.02)


def test_a_scene_without_friction_gets_none(tmp_path):
    scene = sliding(tmp_path, 1, contact__friction__enable=0)
    with pytest.raises(SceneError, match=r"the scene has no friction: its contact/friction/enable is 0"):
        on_ground(scene, 0.1)


def test_other_engines_and_worlds_that_do_not_exist_have_none(tmp_path):
    for backend in ("cpu", "none"):
        with pytest.raises(EngineError, match=rf"engine '{backend}' has no properties before world\.init, or reads"):
            _ = Engine(backend, str(tmp_path)).properties
