"""The state of bodies, read and written between steps."""

import numpy as np
import pytest
import uipc
from uipc import Matrix4x4, view

from ipc_articulation.engine import Engine
from ipc_articulation.errors import EngineError, SceneError
from tests.engine.joints import add_hinge
from tests.engine.scenes import BoxScene, translation, twist_rate


@pytest.fixture
def three(tmp_path):
    """Three boxes in free fall, the last one fixed."""
    scene = BoxScene(tmp_path)
    for x in range(3):
        scene.add_box(translation(x, 0, 1), is_fixed=int(x == 2))
    return scene.start()


def state_of(scene, *arguments, names=("transform", "velocity")):
    accessor = scene.engine.state_accessor
    geometry = accessor.create_geometry(*arguments)
    for name in names:
        geometry.instances().create(name, Matrix4x4.Identity())
    accessor.copy_to(geometry)
    return geometry


def values(geometry, name):
    return np.array(geometry.instances().find(name).view())


def test_reading(three):
    three.run(3)
    state = state_of(three)
    assert three.engine.state_accessor.body_count() == state.instances().size() == 3
    for k, slot in enumerate(three.slots):
        for name in ("transform", "velocity"):
            assert np.array_equal(values(state, name)[k], slot.geometry().instances().find(name).view()[0])


def test_reading_some_bodies_and_one_attribute(three):
    state = state_of(three.run(1), 1, 1, names=("transform",))
    assert values(state, "transform").shape == (1, 4, 4)
    assert values(state, "transform")[0, 0, 3] == pytest.approx(1.0)
    assert state.instances().find("velocity") is None


def test_going_back_to_an_earlier_state_repeats_the_motion(three):
    three.run(2)
    before = state_of(three)
    q = three.run(4).q
    three.engine.state_accessor.copy_from(before)
    assert np.allclose(three.run(4).q, q, atol=1e-12)
    assert three.world.frame() == 10


def test_written_body_moves_on_from_there(three):
    three.run(1)
    state = state_of(three, 0, 1)
    view(state.instances().find("transform"))[0] = translation(0, 5, 3)
    view(state.instances().find("velocity"))[0] = twist_rate(np.eye(4), linear=(0, 0, 9.8 * 0.01))
    three.engine.state_accessor.copy_from(state)
    three.world.retrieve()
    assert three.q[0, :3] == pytest.approx([0, 5, 3])
    assert three.run(1).q[0, :3] == pytest.approx([0, 5, 3], abs=1e-9)
    assert three.q[1, 2] == pytest.approx(1 - 3 * 9.8e-4)


def test_bdf2_forgets_the_past_of_written_bodies_only(tmp_path):
    scene, other = (BoxScene(tmp_path, integrator__type="bdf2") for _ in range(2))
    for each in (scene, other):
        each.add_box(translation(0, 0, 1))
        each.add_box(translation(1, 0, 1))
        each.start().run(5)
    state = state_of(scene, 0, 1)
    view(state.instances().find("transform"))[0] = translation(0, 8, 1)
    view(state.instances().find("velocity"))[0] = 0.0
    scene.engine.state_accessor.copy_from(state)
    scene.run(1)
    assert scene.q[0, 1] == pytest.approx(8.0, abs=1e-9)
    assert np.array_equal(scene.q[1], other.run(1).q[1])


def test_bodies_anywhere_are_written_at_once(three):
    """Two boxes that change places: no state in between is looked at."""
    accessor, q = three.engine.state_accessor, three.q.copy()
    assert list(accessor.rows.values()) == [0, 1, 2]
    with pytest.raises(SceneError, match=r"intersect in the state that was written"):
        accessor.write(np.array([0]), q[2:], np.zeros((1, 12)))
    np.testing.assert_array_equal(three.engine.cpu.state.q, q)
    accessor.write(np.array([0, 2]), q[[2, 0]], np.zeros((2, 12)))
    np.testing.assert_array_equal(three.engine.cpu.state.q, q[[2, 1, 0]])


def test_fixed_body_has_no_velocity(three):
    state = state_of(three)
    view(state.instances().find("velocity"))[...] = twist_rate(np.eye(4), linear=(1, 0, 0))
    three.engine.state_accessor.copy_from(state)
    q = three.q[2]
    assert np.array_equal(three.run(2).q[2], q)
    assert three.q[0, 0] == pytest.approx(0.02)


def test_intersection_names_the_bodies_and_keeps_the_state(three):
    three.run(1)
    state, kept = state_of(three), three.engine.cpu.state
    view(state.instances().find("transform"))[0] = translation(1.05, 0.05, 1.02)
    with pytest.raises(SceneError, match=r"'box 0' and 'box 1' intersect in the state that was written"):
        three.engine.state_accessor.copy_from(state)
    assert three.engine.cpu.state is kept


def test_a_gap_that_rounding_may_hide_is_refused(three):
    state = state_of(three)
    view(state.instances().find("transform"))[0] = translation(1.0, 0.0, 1.2 + 1e-13)
    with pytest.raises(
        SceneError, match=r"'box 0' and 'box 1' have a gap of only 1e-13 m in the state that was written"
    ):
        three.engine.state_accessor.copy_from(state)


@pytest.mark.parametrize("name", ["transform", "velocity"])
def test_numbers_that_are_not_finite(three, name):
    state = state_of(three, 1, 2)
    view(state.instances().find(name))[1, 0, 3] = np.nan
    with pytest.raises(SceneError, match=rf"the {name} written for body 'box 2' is not finite"):
        three.engine.state_accessor.copy_from(state)


@pytest.mark.parametrize("name", ["transform", "velocity"])
def test_numbers_that_are_too_large(three, name):
    state = state_of(three, 1, 2)
    view(state.instances().find(name))[1, 0, 0] = -1e200
    with pytest.raises(SceneError, match=rf"the {name} written for body 'box 2' has a number above 1e\+09"):
        three.engine.state_accessor.copy_from(state)


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        (np.zeros((4, 4)), r"has a wrong last row; it must be 0 0 0 1"),
        (np.eye(4) + np.outer([0, 0, 0, 1], [1, 0, 0, 0]), r"has a wrong last row; it must be 0 0 0 1"),
        (np.diag([0.0, 0.0, 0.0, 1.0]), r"mirrors or flattens it; its determinant must be positive"),
        (np.diag([1.0, 0.0, 1.0, 1.0]), r"mirrors or flattens it; its determinant must be positive"),
        (np.diag([-1.0, 1.0, 1.0, 1.0]), r"mirrors or flattens it; its determinant must be positive"),
    ],
)
def test_a_transform_that_is_no_pose(three, wrong, fault):
    three.run(1)
    state, kept = state_of(three, 1, 2), three.engine.cpu.state
    view(state.instances().find("transform"))[1] = wrong
    with pytest.raises(SceneError, match=rf"the transform written for body 'box 2' {fault}"):
        three.engine.state_accessor.copy_from(state)
    assert three.engine.cpu.state is kept


def test_a_body_may_be_deformed(three):
    state = state_of(three, 0, 1, names=("transform",))
    view(state.instances().find("transform"))[0] = translation(0, 5, 3) @ np.diag([1.1, 0.9, 1.0, 1.0])
    three.engine.state_accessor.copy_from(state)
    np.testing.assert_allclose(three.engine.cpu.state.q[0, [1, 3, 7]], [5.0, 1.1, 0.9])


def test_bodies_that_do_not_exist(three):
    create = three.engine.state_accessor.create_geometry
    with pytest.raises(SceneError, match=r"bodies 2 to 3 were asked for; the scene has 3"):
        create(2, 2)
    with pytest.raises(SceneError, match=r"body_offset is 'a'; it must be a whole number"):
        create("a")
    with pytest.raises(SceneError, match=r"body_count is 1\.5; it must be a whole number"):
        create(np.int32(0), 1.5)


@pytest.mark.parametrize("copy", ["copy_from", "copy_to"])
def test_geometries_that_are_of_no_state(three, copy):
    copy = getattr(three.run(1).engine.state_accessor, copy)
    valid = "; it must be one of the accessor's create_geometry"
    foreign = uipc.geometry.trimesh(np.eye(3), np.array([[0, 1, 2]], dtype=np.int32))
    with pytest.raises(
        SceneError, match=rf"state is a SimplicialComplex without 'backend_abd_body_offset' in its meta{valid}"
    ):
        copy(foreign)
    with pytest.raises(SceneError, match=rf"the geometry of a state is None{valid}"):
        copy(None)
    foreign.meta().create("backend_abd_body_offset", "first")
    with pytest.raises(SceneError, match=r"'backend_abd_body_offset' is text; it must be a whole number"):
        copy(foreign)


@pytest.mark.parametrize("copy", ["copy_from", "copy_to"])
@pytest.mark.parametrize("name", ["transform", "velocity"])
def test_attributes_of_other_types(three, name, copy):
    accessor = three.engine.state_accessor
    state = accessor.create_geometry()
    state.instances().create(name, 1.0)
    with pytest.raises(
        SceneError,
        match=rf"the geometry of a state: '{name}' of its instances is a number each; it must be a 4 x 4 matrix each",
    ):
        getattr(accessor, copy)(state)


def test_no_accessor(tmp_path):
    with pytest.raises(EngineError, match=r"engine 'cpu' has no state accessor before world\.init"):
        _ = Engine("cpu", tmp_path).state_accessor
    scene = BoxScene(tmp_path)
    scene.add_box(np.eye(4))
    with pytest.raises(EngineError, match=r"engine 'none' has no state accessor"):
        _ = scene.start("none").engine.state_accessor


@pytest.mark.parametrize("authored", [None, 2.0 * np.pi])
def test_joint_angle_follows_a_written_state(tmp_path, authored):
    """A lid is turned by 0.3 rad about its hinge; a script may say that it went round once more."""
    scene = BoxScene(tmp_path, gravity=(0, 0, 0))
    base = scene.add_box(np.eye(4), is_fixed=1)
    lid = scene.add_box(translation(0, 0, 0.5))
    hinge = add_hinge(scene, base, lid, [[-0.1, 0, 0.25], [0.1, 0, 0.25]], init_angle=0.5)
    scene.start().run(1)
    angle = hinge.geometry().edges().find("angle")
    assert angle.view()[0] == pytest.approx(0.5)
    if authored is not None:
        view(angle)[0] = 0.5 + authored
    state = state_of(scene, 1, 1)
    about = np.array([0, 0, 0.25])
    c, s = np.cos(0.3), np.sin(0.3)
    turn = np.eye(4)
    turn[1:3, 1:3] = [[c, -s], [s, c]]
    turn[:3, 3] = about - turn[:3, :3] @ about
    view(state.instances().find("transform"))[0] = turn @ translation(0, 0, 0.5)
    scene.engine.state_accessor.copy_from(state)
    expected = 0.8 + (authored or 0.0)
    assert angle.view()[0] == pytest.approx(expected, abs=1e-6)
    scene.run(2)
    assert angle.view()[0] == pytest.approx(expected, abs=1e-4)


@pytest.mark.gpu
def test_cuda_has_the_same_methods(tmp_path):
    from ipc_articulation.engine.engine import has_gpu

    if not has_gpu():
        pytest.skip("no NVIDIA GPU")
    scene = BoxScene(tmp_path)
    scene.add_box(translation(0, 0, 1))
    accessor = scene.start("cuda").engine.state_accessor
    assert isinstance(accessor, uipc.core.AffineBodyStateAccessorFeature)
    assert accessor.body_count() == 1
