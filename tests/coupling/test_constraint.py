"""The constraint of a scene wired by hand: same energy as the engine's, checked inputs, failures that surface."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
import uipc
from uipc.constitution import ExternalArticulationConstraint as ArticulationGeometry

from ipc_articulation import Engine, ExternalArticulationConstraint
from ipc_articulation.articulation.spring_rows import BoundedRows
from ipc_articulation.errors import ArticulationError, SceneError
from ipc_articulation.frontend.articulations import create_rows
from ipc_articulation.frontend.callbacks import raise_kept
from tests.articulation import reference
from tests.derivatives import complex_step, relative_error
from tests.hinged_boxes import hinged_boxes

MASS, TILDE = np.array([[64.0, 8.0], [8.0, 64.0]]), np.array([0.01, 0.002])


@pytest.fixture
def boxes():
    return hinged_boxes()


def constraint_of(boxes):
    return ExternalArticulationConstraint.from_geometry(boxes.articulation, boxes.scene)


def world_of(boxes, folder, source, engine="cpu"):
    """A world whose animator runs the constraint's callback."""
    constraint = constraint_of(boxes)
    boxes.scene.animator().insert(boxes.owner, constraint.animate(source))
    world = uipc.World(Engine(engine, folder))
    world.init(boxes.scene)
    return constraint, world


def test_energy_gradient_and_hessian_of_the_scene(boxes):
    constraint = constraint_of(boxes)
    assert constraint.bodies == ((0, 0), (0, 1), (0, 2))
    q_ref = constraint.coordinates()
    constraint.set_step(MASS, TILDE)
    q = q_ref + 0.1 * np.random.default_rng(0).normal(size=q_ref.shape)
    joints = constraint._energy.joints

    def K(x):
        return reference.energy(joints, MASS, TILDE, x.reshape(*x.shape[:-1], 3, 12), q_ref)

    assert constraint.energy(q) == pytest.approx(K(q.ravel()), rel=1e-12)
    assert relative_error(constraint.gradient(q).ravel(), complex_step(K, q.ravel())) < 1e-11
    np.testing.assert_allclose(constraint.delta_theta(q), reference.delta_theta(joints, q, q_ref), atol=1e-14)
    assert np.linalg.eigvalsh(constraint.hessian(q))[0] > -1e-9 * np.linalg.eigvalsh(constraint.hessian(q))[-1]


def test_a_mass_that_the_geometry_already_holds_is_taken_over(boxes):
    uipc.view(boxes.articulation["joint_joint"].find("mass"))[:] = MASS.ravel()
    uipc.view(boxes.articulation["joint"].find("delta_theta_tilde"))[:] = TILDE
    constraint = constraint_of(boxes)
    assert constraint.energy(constraint.coordinates()) == pytest.approx(0.5 * TILDE @ MASS @ TILDE)
    uipc.view(boxes.articulation["joint_joint"].find("mass"))[:] = -MASS.ravel()
    with pytest.raises(ArticulationError, match="articulation: mass must be positive definite"):
        constraint_of(boxes)


def test_animate_writes_what_the_source_says_and_the_bodies_follow(boxes, tmp_path):
    constraint, world = world_of(boxes, tmp_path, lambda info: (MASS, info.frame() * TILDE))
    for frame in (1, 2, 3):
        world.advance()
        world.retrieve()
        geometry = boxes.slot.geometry()
        np.testing.assert_array_equal(geometry["joint_joint"].find("mass").view(), MASS.ravel())
        np.testing.assert_array_equal(geometry["joint"].find("delta_theta_tilde").view(), frame * TILDE)
        np.testing.assert_allclose(geometry["joint"].find("delta_theta").view(), frame * TILDE, atol=1e-8)
        np.testing.assert_allclose(constraint.delta_theta(constraint.coordinates()), frame * TILDE, atol=1e-8)


@pytest.mark.parametrize("give", [False, True])
def test_animate_keeps_ref_dof_prev_of_bodies_that_carry_it(give, tmp_path):
    """Given or left to animate, the reference is the previous pose, and ten steps turn the joints ten times as far."""
    boxes = hinged_boxes(ref_dof_prev=np.zeros(12))
    constraint = constraint_of(boxes)

    def source(info):
        return (MASS, TILDE, dict(zip(constraint.bodies, constraint.coordinates(), strict=True)))[: 3 if give else 2]

    _, world = world_of(boxes, tmp_path, source)
    for _ in range(10):
        before = constraint.coordinates()
        world.advance()
        world.retrieve()
        np.testing.assert_array_equal(boxes.bodies.geometry().instances().find("ref_dof_prev").view()[..., 0], before)
    assert boxes.hinge.geometry().edges().find("angle").view()[0] == pytest.approx(10 * TILDE[0], abs=1e-7)
    assert boxes.slider.geometry().edges().find("distance").view()[0] == pytest.approx(10 * TILDE[1], abs=1e-7)


def test_a_reference_of_another_system_pulls_the_bodies_back(tmp_path):
    """The outer engine says: body 2 was at rest where it began. So its motion does not add up over the steps."""
    boxes = hinged_boxes(ref_dof_prev=np.zeros(12))
    initial = constraint_of(boxes).coordinates()
    _, world = world_of(
        boxes, tmp_path, lambda info: (MASS, TILDE, {boxes.bodies: initial[0], (0, 1): initial[1], (0, 2): initial[2]})
    )
    for _ in range(5):
        world.advance()
        world.retrieve()
    assert boxes.hinge.geometry().edges().find("angle").view()[0] == pytest.approx(TILDE[0], abs=1e-7)


ROWS = BoundedRows(np.array([[1.0, -3.0]]), np.arange(16.0).reshape(1, 4, 4) * [1.0, 1.0, -1.0, 1.0])


def with_rows(boxes, count=1):
    geometry = boxes.slot.geometry()
    geometry["joint"].create("bounded_springs", np.zeros((4, 4)))
    create_rows(geometry, count, 2)
    return geometry


def test_rows_and_their_springs_are_written_for_the_engine(boxes, tmp_path):
    geometry = with_rows(boxes)
    constraint = ExternalArticulationConstraint.from_geometry(geometry, boxes.scene)
    boxes.scene.animator().insert(boxes.owner, constraint.animate(lambda info: (MASS, TILDE, {}, None, ROWS)))
    engine = Engine("cpu", tmp_path)
    world = uipc.World(engine)
    world.init(boxes.scene)
    world.advance()
    world.retrieve()
    np.testing.assert_array_equal(geometry["bounded_row_joint"].find("weight").view(), [1.0, -3.0])
    np.testing.assert_array_equal(geometry["bounded_row"].find("bounded_springs").view(), ROWS.springs)
    np.testing.assert_allclose(geometry["joint"].find("delta_theta").view(), TILDE, atol=1e-8)


def test_rows_without_their_numbers_are_refused(boxes):
    geometry = with_rows(boxes)
    geometry["bounded_row_joint"].resize(3)
    with pytest.raises(SceneError, match="its 1 rows must have the attribute 'bounded_springs', a Matrix4x4 each, in"):
        ExternalArticulationConstraint.from_geometry(geometry, boxes.scene)


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (
            (MASS, TILDE, {}, None, ROWS),
            ArticulationError,
            "articulation: bounded_rows have the shapes (1, 2) and (1, 4, 4), must be (0, 2) and (0, 4, 4)",
        ),
        (MASS, ArticulationError, "the source returned ndarray, must be (mass, delta_theta_tilde)"),
        ((MASS,), ArticulationError, "the source returned a tuple of 1, must be (mass, delta_theta_tilde)"),
        ((MASS, np.zeros(3)), ArticulationError, "articulation: delta_theta_tilde has shape (3,), must be (2,)"),
        ((np.full((2, 2), np.nan), TILDE), ArticulationError, "articulation: mass must be finite"),
        (
            (MASS, TILDE, {(0, 1): np.zeros(12)}),
            SceneError,
            "body (geometry 0, instance 1) has no attribute 'ref_dof_prev'",
        ),
        ((MASS, TILDE, {(0, 7): np.zeros(12)}), ArticulationError, "body (geometry 0, instance 7) is not of this"),
    ],
)
def test_a_bad_answer_surfaces_at_advance_and_changes_nothing(boxes, tmp_path, answer, error, message):
    _, world = world_of(boxes, tmp_path, lambda info: answer)
    with pytest.raises(error, match=re.escape(message)):
        world.advance()
    assert not boxes.slot.geometry()["joint_joint"].find("mass").view().any()


def test_a_reference_that_is_not_a_vector12_surfaces(tmp_path):
    boxes = hinged_boxes(ref_dof_prev=np.zeros(12))
    _, world = world_of(boxes, tmp_path, lambda info: (MASS, TILDE, {(0, 1): np.zeros(9)}))
    message = "body (geometry 0, instance 1): ref_dof_prev has shape (9,), must be (12,), a Vector12"
    with pytest.raises(ArticulationError, match=re.escape(message)):
        world.advance()


def test_an_error_of_the_source_itself_surfaces_as_itself(boxes, tmp_path):
    _, world = world_of(boxes, tmp_path, lambda info: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        world.advance()


def test_what_is_written_arrives_though_snapshots_share_the_attributes(tmp_path):
    """A write into a shared attribute moves it to new memory: whoever kept an array would go on with the old one."""
    boxes = hinged_boxes(ref_dof_prev=np.zeros(12))
    constraint, world = world_of(boxes, tmp_path, lambda info: (info.frame() * MASS, info.frame() * TILDE))
    joints, instances = boxes.slot.geometry()["joint"], boxes.bodies.geometry().instances()
    snapshots = []
    for frame in range(1, 5):
        before = constraint.coordinates()
        world.advance()
        world.retrieve()
        np.testing.assert_allclose(constraint.delta_theta(constraint.coordinates()), frame * TILDE, atol=1e-8)
        np.testing.assert_array_equal(instances.find("ref_dof_prev").view()[..., 0], before)
        np.testing.assert_array_equal(joints.find("delta_theta_tilde").view(), frame * TILDE)
        snapshots = [uipc.core.SceneSnapshot(boxes.scene), *snapshots[: frame % 2]]
        for slot in (joints.find("delta_theta_tilde"), instances.find("ref_dof_prev"), instances.find("transform")):
            assert slot.is_shared()
            uipc.view(slot)  # as if to write: moves it


def test_the_geometry_is_looked_for_again_where_the_animated_object_is_another(boxes):
    callback = constraint_of(boxes).animate(lambda info: (MASS, TILDE))
    callback(SimpleNamespace(geo_slots=lambda: [boxes.slot]))
    for others in ([boxes.hinge], []):
        with pytest.raises(SceneError, match=re.escape("the animated object has 0 articulation geometries")):
            callback(SimpleNamespace(geo_slots=lambda others=others: others))
        with pytest.raises(SceneError):
            raise_kept(boxes.scene)
    callback(SimpleNamespace(geo_slots=lambda: [boxes.hinge, boxes.slot]))


def test_check_raises_what_libuipc_would_only_log(boxes):
    constraint = constraint_of(boxes)
    with pytest.raises(TypeError):
        constraint.animate(lambda: None)(None)
    with pytest.raises(TypeError):
        constraint.check()
    constraint.check()


def test_a_callback_inserted_for_another_object_is_refused(boxes, tmp_path):
    other = boxes.scene.objects().create("other")
    constraint = constraint_of(boxes)
    boxes.scene.animator().insert(other, constraint.animate(lambda info: (MASS, TILDE)))
    world = uipc.World(Engine("cpu", tmp_path))
    world.init(boxes.scene)
    with pytest.raises(SceneError, match=re.escape("the animated object has 0 articulation geometries")):
        world.advance()


def test_two_articulations_of_one_object_each_find_their_own_geometry(boxes, tmp_path):
    one, other = (ArticulationGeometry().create_geometry([joint], [0]) for joint in (boxes.hinge, boxes.slider))
    owner = boxes.scene.objects().create("owner of two")
    slots = [owner.geometries().create(geometry)[0] for geometry in (one, other)]
    callbacks = [
        ExternalArticulationConstraint.from_geometry(geometry, boxes.scene).animate(lambda info, t=t: ([[9.0]], [t]))
        for geometry, t in ((one, 0.01), (other, 0.002))
    ]
    boxes.scene.animator().insert(owner, lambda info: [callback(info) for callback in callbacks])
    boxes.scene.animator().insert(boxes.owner, constraint_of(boxes).animate(lambda info: (MASS, TILDE)))
    world = uipc.World(Engine("cpu", tmp_path))
    world.init(boxes.scene)
    world.advance()
    world.retrieve()
    moved = [slot.geometry()["joint"].find("delta_theta").view()[0] for slot in slots]
    np.testing.assert_allclose(moved, TILDE, atol=1e-8)


def test_a_geometry_that_is_no_articulation_is_refused(boxes):
    with pytest.raises(SceneError, match=re.escape("the geometry has constitution 18, must be 23")):
        ExternalArticulationConstraint.from_geometry(boxes.hinge.geometry(), boxes.scene)


def test_a_joint_geometry_without_slot_is_refused(boxes):
    uipc.view(boxes.articulation["joint"].find("geo_id"))[1] = 55
    message = "articulation, joint 1 refers to joint geometry 55, which has no geometry slot"
    with pytest.raises(SceneError, match=re.escape(message)):
        constraint_of(boxes)


@pytest.mark.parametrize(
    ("attribute", "value", "message"),
    [
        ("r_geo_id", 77, "refers to geometry 77, instance 1, but no affine body has that geometry slot"),
        ("r_inst_id", 9, "refers to geometry 0, instance 9, but that geometry has 3 instances, 0 to 2"),
    ],
)
def test_a_joint_whose_body_is_not_there_is_refused(boxes, attribute, value, message):
    uipc.view(boxes.hinge.geometry().edges().find(attribute))[0] = value
    with pytest.raises(SceneError, match=re.escape(message)):
        constraint_of(boxes)


def test_a_body_whose_instance_was_removed_is_refused(boxes):
    constraint = constraint_of(boxes)
    boxes.bodies.geometry().instances().resize(2)
    with pytest.raises(SceneError, match="geometry 0 has only 2 instances now; one in use was removed"):
        constraint.coordinates()
