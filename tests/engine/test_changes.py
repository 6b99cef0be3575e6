"""Geometries created and destroyed between steps."""

import numpy as np
import pytest
from uipc import view

from ipc_articulation.errors import SceneError
from tests.engine.joints import TIGHT, add_hinge, add_weld
from tests.engine.scenes import BoxScene, translation, twist_rate


def destroy(scene, slot):
    """Destroy the object that a geometry slot belongs to."""
    objects = scene.scene.objects()
    found = [objects.find(i) for i in range(objects.created_count())]
    owner = next(o for o in found if o is not None and slot.id() in o.geometries().ids())
    objects.destroy(owner.id())
    if slot in scene.slots:
        scene.slots.remove(slot)


def falling(workspace, count=2, **config):
    scene = BoxScene(workspace, **config)
    for k in range(count):
        velocity = twist_rate(translation(k, 0, 1), linear=(0, 0.1 * k, 0))
        scene.add_box(translation(k, 0, 1), velocity=velocity)
    return scene.start()


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
def test_what_stays_moves_on_as_if_nothing_had_been(tmp_path, integrator):
    scene, undisturbed = (falling(tmp_path, integrator__type=integrator) for _ in range(2))
    scene.run(3)
    new = scene.add_box(translation(0, 5, 1), velocity=twist_rate(np.eye(4), linear=(1, 0, 0)))
    scene.run(3)
    assert np.array_equal(scene.q[:2], undisturbed.run(6).q)
    assert scene.q[2, 0] == pytest.approx(0.03, abs=0.0051)  # BDF2 starts half a step late
    destroy(scene, new)
    assert np.array_equal(scene.run(3).q, undisturbed.run(3).q)
    assert len(scene.engine.cpu.model.context.bodies) == 2


def test_bodies_keep_their_state_when_an_earlier_one_goes(tmp_path):
    scene, undisturbed = falling(tmp_path, 3).run(3), falling(tmp_path, 3).run(6)
    destroy(scene, scene.slots[0])
    assert np.array_equal(scene.run(3).q, undisturbed.q[1:])


@pytest.mark.parametrize("contact", [0, 1])
def test_a_scene_may_begin_empty_and_become_empty(tmp_path, contact):
    scene = BoxScene(tmp_path, contact__enable=contact).start().run(2)
    assert scene.engine.statistics.awake == 0
    slot = scene.add_box(translation(0, 0, 1))
    assert scene.run().q[0, 2] == pytest.approx(1 - 9.8 * 1e-4)
    destroy(scene, slot)
    assert scene.run(2).world.frame() == 5
    assert len(scene.engine.cpu.model.context.bodies) == 0


def test_one_body_in_the_place_of_the_last(tmp_path):
    """As many geometries as before."""
    scene = falling(tmp_path).run(3)
    destroy(scene, scene.slots[1])
    scene.add_box(translation(7, 0, 1))
    assert scene.run().q[1, 2] == pytest.approx(1 - 9.8 * 1e-4)


def test_unretrieved_motion_counts(tmp_path):
    """The state that goes on is the engine's, not the transforms that were last retrieved."""
    scene, undisturbed = falling(tmp_path), falling(tmp_path)
    for _ in range(3):
        scene.world.advance()
    scene.add_box(translation(0, 5, 1))
    assert np.array_equal(scene.run(1).q[:2], undisturbed.run(4).q)


def test_new_body_touches_the_others(tmp_path):
    scene = BoxScene(tmp_path)
    scene.add_ground()
    scene.add_box(translation(0, 0, 0.11))
    scene.start().run(20)
    scene.add_box(translation(0, 0, 0.35))
    scene.run(60)
    assert scene.q[1, 2] - scene.q[0, 2] > 0.2
    assert scene.engine.statistics.minimum_distance > 0.0


def test_intersection_is_named_and_can_be_undone(tmp_path):
    scene, undisturbed = falling(tmp_path).run(1), falling(tmp_path).run(3)
    intruder = scene.add_box(translation(1.05, 0.05, 1.03))
    with pytest.raises(SceneError, match=r"'box 1' and 'box 2' intersect after the scene was changed"):
        scene.run(1)
    assert scene.world.frame() == 1
    destroy(scene, intruder)
    assert np.array_equal(scene.run(2).q, undisturbed.q)


def hinged(workspace, weld=False):
    """A lid hinged to a fixed base, turning; and a box beside."""
    scene = BoxScene(workspace, gravity=(0, 0, 0), **TIGHT)
    base = scene.add_box(np.eye(4), is_fixed=1)
    about = twist_rate(translation(0, 0, 0.5), linear=(0, -0.25 * 3, 0), angular=(3, 0, 0))
    lid = scene.add_box(translation(0, 0, 0.5), velocity=about)
    joint = add_weld(scene, base, lid) if weld else add_hinge(scene, base, lid, [[-0.1, 0, 0.25], [0.1, 0, 0.25]])
    scene.add_box(translation(2, 0, 0))
    return scene.start(), lid, joint


@pytest.mark.parametrize("weld", [False, True], ids=["hinge", "weld"])
def test_joint_that_stays_is_the_same_joint(tmp_path, weld):
    """Its angle counts from the pose in which it was made, not from the one of the change."""
    scene, _, joint = hinged(tmp_path, weld)
    undisturbed, _, other = hinged(tmp_path, weld)
    scene.run(10)
    scene.add_box(translation(5, 0, 0))
    destroy(scene, scene.slots[2])
    scene.run(10)
    undisturbed.run(20)
    assert scene.q[:2] == pytest.approx(undisturbed.q[:2], abs=1e-12)
    if not weld:
        angle = joint.geometry().edges().find("angle").view()[0]
        assert angle > 0.3
        assert angle == pytest.approx(other.geometry().edges().find("angle").view()[0], abs=1e-12)


def test_new_joint_is_made_where_its_bodies_are_now(tmp_path):
    scene = BoxScene(tmp_path, gravity=(0, 0, 0), **TIGHT)
    base = scene.add_box(np.eye(4), is_fixed=1)
    lid = scene.add_box(translation(0, 0, 0.5), velocity=twist_rate(translation(0, 0, 0.5), linear=(0, 1, 0)))
    scene.start().run(10)
    state = scene.engine.cpu.state
    hinge = add_hinge(scene, base, lid, [[-0.1, 0.05, 0.25], [0.1, 0.05, 0.25]])
    scene.run(1)
    angle = hinge.geometry().edges().find("angle").view()[0]
    assert -0.1 < angle < 0.0  # the lid goes on with about 1 m/s at 0.25 m for 0.01 s
    assert angle == pytest.approx(-0.01 / 0.25, rel=0.3)
    assert state.q[1, 1] == pytest.approx(0.1)


@pytest.mark.parametrize("weld", [False, True], ids=["hinge", "weld"])
def test_destroyed_body_with_a_joint_is_named(tmp_path, weld):
    scene, lid, joint = hinged(tmp_path, weld)
    scene.run(1)
    destroy(scene, lid)
    message = r"body 'box 1' \(geometry 1\) was destroyed, but joint geometry 2 still joins it; destroy the object"
    for _ in range(2):
        with pytest.raises(SceneError, match=message):
            scene.run(1)
    assert scene.world.frame() == 1
    destroy(scene, joint)
    assert scene.run(1).world.frame() == 2


def test_callback_of_a_new_object_is_called(tmp_path):
    scene, heights, frames = BoxScene(tmp_path), [], []
    scene.add_box(np.eye(4))
    scene.add_box(translation(1, 0, 1))
    scene.scene.animator().insert(scene.scene.objects().find(0), lambda info: frames.append(info.frame()))
    scene.start().run(1)
    new = scene.add_box(translation(0, 5, 1))
    owner = scene.scene.objects().find(2)

    def watch(info):
        heights.append(view(info.geo_slots()[0].geometry().transforms())[0, 2, 3])

    scene.scene.animator().insert(owner, watch)
    scene.run(2)
    assert heights[0] == 1.0
    assert len(heights) == 2
    assert frames == [1, 2, 3]
    assert new.id() == 2


def test_a_callback_whose_object_is_destroyed_is_named(tmp_path):
    scene, frames = BoxScene(tmp_path), []
    scene.add_box(np.eye(4))
    scene.add_box(translation(1, 0, 1))
    animator = scene.scene.animator()
    animator.insert(scene.scene.objects().find(0), lambda info: frames.append(info.frame()))
    scene.start().run(1)
    destroy(scene, scene.slots[0])
    for _ in range(2):
        with pytest.raises(SceneError, match=r"object 0 was destroyed, .*; call scene\.animator\(\)\.erase\(0\) too"):
            scene.run(1)
    animator.erase(0)
    assert scene.run(1).world.frame() == 2
    assert frames == [1]


def test_dump_and_accessor_know_the_new_bodies(tmp_path):
    scene = falling(tmp_path).run(1)
    accessor = scene.engine.state_accessor
    scene.add_box(translation(0, 5, 1))
    scene.run(1)
    assert accessor.body_count() == 3
    assert scene.world.dump()
    q = scene.run(2).q
    assert scene.world.recover(2)
    assert np.array_equal(scene.run(2).q, q)
