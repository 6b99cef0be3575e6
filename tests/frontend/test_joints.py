"""Joint and articulation geometries of libuipc scenes, read and refused."""

import re

import numpy as np
import pytest
import uipc
from uipc.constitution import ExternalArticulationConstraint

from ipc_articulation.articulation.joints import Joints, delta_theta
from ipc_articulation.articulation.kinds import KINDS, PRISMATIC, REVOLUTE
from ipc_articulation.articulation.step_input import checked_ref_dof_prev
from ipc_articulation.errors import ArticulationError, SceneError
from ipc_articulation.frontend.articulations import read_articulations
from ipc_articulation.frontend.bodies import read_bodies
from ipc_articulation.frontend.joint_geometry import joint_geometry
from ipc_articulation.frontend.joints import read_joint_mesh
from ipc_articulation.frontend.reference import find_reference_dofs
from tests.hinged_boxes import hinged_boxes


def meshes_of(boxes):
    bodies = read_bodies(boxes.slots)
    return bodies, [read_joint_mesh(slot, bodies) for slot in (boxes.hinge, boxes.slider)]


def refuses(slot, bodies, message):
    with pytest.raises(SceneError, match=re.escape(message)):
        read_joint_mesh(slot, bodies)


def test_joint_meshes_name_bodies_kinds_and_strength():
    _, (hinge, slider) = meshes_of(hinged_boxes())
    assert (hinge.kind.name, slider.kind.name) == ("revolute", "prismatic")
    np.testing.assert_array_equal(hinge.joints.kind, [REVOLUTE])
    np.testing.assert_array_equal(slider.joints.kind, [PRISMATIC])
    np.testing.assert_array_equal(hinge.joints.bodies, [[0, 1]])
    np.testing.assert_array_equal(slider.joints.bodies, [[1, 2]])
    np.testing.assert_allclose(hinge.strength_ratio, [100.0])
    np.testing.assert_allclose(hinge.placement.points[:, 0], [[[0.5, 0, -0.2], [0.5, 0, 0.2]]])
    np.testing.assert_allclose(hinge.placement.points[:, 1], [[[-0.5, 0, -0.2], [-0.5, 0, 0.2]]])


@pytest.mark.parametrize("turned", [False, True])
def test_local_end_points_mean_the_same_joints_as_world_ones(turned):
    _, world = meshes_of(hinged_boxes(turned=turned))
    _, local = meshes_of(hinged_boxes(turned=turned, local=True))
    for one, other in zip(world, local, strict=True):
        np.testing.assert_allclose(one.joints.local, other.joints.local, atol=1e-14)
        np.testing.assert_allclose(one.placement.points, other.placement.points, atol=1e-14)


def test_local_end_points_that_differ_between_the_bodies():
    """A slider takes each body's own axis, a hinge the left body's for both; the slider does not start at θ = 0."""
    boxes = hinged_boxes(local=True)
    for slot in (boxes.hinge, boxes.slider):
        uipc.view(slot.geometry().edges().find("r_position0"))[:] = [[0.1], [0.2], [0.3]]
        uipc.view(slot.geometry().edges().find("r_position1"))[:] = [[0.1], [0.7], [0.3]]
    bodies, (hinge, slider) = meshes_of(boxes)
    np.testing.assert_allclose(hinge.joints.local[:, 1], hinge.joints.local[:, 0])
    np.testing.assert_allclose(slider.joints.local[0, 0, :2], [[0.3, 0, 0, 1], [1, 0, 0, 0]], atol=1e-15)
    np.testing.assert_allclose(slider.joints.local[0, 1, :2], [[0.1, 0.2, 0.3, 1], [0, 1, 0, 0]], atol=1e-15)
    table = read_articulations([boxes.slot], (hinge, slider), bodies)
    between = np.array([2.1, 0.2, 0.3]) - np.array([1.3, 0, 0])
    theta = np.empty(2)
    delta_theta(table.joints.arrays(), table.joints.home, bodies.q, theta)
    np.testing.assert_allclose(theta, [0.0, between @ [0.5, 0.5, 0.0]], atol=1e-15)


def test_angle_and_distance_are_measured_along_the_left_axis():
    """Local end points that differ between the bodies: the left body's axis serves both."""
    boxes = hinged_boxes(local=True)
    uipc.view(boxes.slider.geometry().edges().find("r_position1"))[:] = [[-0.7], [0.7], [0.3]]
    _, (hinge, slider) = meshes_of(boxes)
    np.testing.assert_array_equal(hinge.tracked.local, hinge.joints.local)
    np.testing.assert_allclose(slider.tracked.local[0, 1, 1], [1, 0, 0, 0], atol=1e-15)
    np.testing.assert_array_equal(slider.tracked.local[:, 0], slider.joints.local[:, 0])


def test_present_coordinates_are_written_to_angle_and_distance():
    boxes = hinged_boxes()
    _, (hinge, slider) = meshes_of(boxes)
    hinge.write_coordinates(np.array([0.25]))
    slider.write_coordinates(np.array([-0.5]))
    assert boxes.hinge.geometry().edges().find("angle").view()[0] == 0.25
    assert boxes.slider.geometry().edges().find("distance").view()[0] == -0.5


def test_what_is_no_joint_is_refused():
    boxes = hinged_boxes()
    message = f"joint geometry {boxes.bodies.id()} has constitution 1: only revolute, prismatic, spherical, "
    refuses(boxes.bodies, read_bodies(boxes.slots), message)


def test_an_articulation_of_a_kind_that_it_cannot_move_is_refused():
    boxes = hinged_boxes()
    weld, _ = boxes.owner.geometries().create(joint_geometry("fixed", np.zeros((1, 3)), *bodies_of(boxes), [100.0]))
    articulation, _ = boxes.owner.geometries().create(ExternalArticulationConstraint().create_geometry([weld], [0]))
    bodies, meshes = meshes_of(boxes)
    message = (
        f"articulation geometry {articulation.id()}, joint 0 is a fixed joint (joint geometry {weld.id()}): only "
        "revolute, prismatic, spherical, free, cylindrical, planar, universal, helical joints can be part of an "
        "articulation"
    )
    with pytest.raises(SceneError, match=re.escape(message)):
        read_articulations([articulation], [*meshes, read_joint_mesh(weld, bodies)], bodies)


OWN = {
    "free": {},
    "cylindrical": {"axes": [[0, 0, 2.0]]},
    "planar": {"axes": [[0, 0, 1.0]], "second_axes": [[1.0, 1.0, 0.5]]},
    "universal": {"axes": [[0, 0, 1.0]], "second_axes": [[0.0, 3.0, 0]]},
    "helical": {"axes": [[1.0, 0, 0]], "pitches": [0.02]},
}


@pytest.mark.parametrize("kind", OWN)
def test_a_joint_geometry_of_our_own_is_read_as_it_was_made(kind):
    boxes = hinged_boxes()
    anchors = [[0.3, -0.2, 0.1]]
    geometry = joint_geometry(kind, anchors, *bodies_of(boxes), [50.0], **OWN[kind])
    slot, _ = boxes.owner.geometries().create(geometry)
    bodies = read_bodies(boxes.slots)
    mesh = read_joint_mesh(slot, bodies)
    assert (mesh.kind.name, mesh.strength_ratio.tolist()) == (kind, [50.0])
    for side, transform in enumerate(bodies.transforms[mesh.joints.bodies[0]]):
        np.testing.assert_allclose(transform @ [*mesh.placement.points[0, side, 0], 1.0], [0.3, -0.2, 0.1, 1.0])
    if "axes" in OWN[kind]:
        axis = np.array(OWN[kind]["axes"][0])
        np.testing.assert_allclose(mesh.placement.axes[0], [axis / np.linalg.norm(axis)] * 2)
    articulation = ExternalArticulationConstraint().create_geometry([slot] * KINDS[mesh.kind.kind].freedoms)
    carrier, _ = boxes.owner.geometries().create(articulation)
    table = read_articulations([carrier], [mesh], bodies)
    theta = np.empty(KINDS[mesh.kind.kind].freedoms)
    delta_theta(table.joints.arrays(), table.joints.home, bodies.q, theta)
    if kind != "free":  # its θ is a pose
        np.testing.assert_allclose(theta, 0.0, atol=1e-15)


def bodies_of(boxes):
    """The first two bodies, as `joint_geometry` takes them."""
    return [(boxes.bodies, 0)], [(boxes.bodies, 1)]


@pytest.mark.parametrize(
    ("kind", "arguments", "message"),
    [
        ("saddle", {}, "joint_geometry: kind 'saddle' is unknown; kinds of joints: revolute"),
        (
            np.array(["revolute"]),
            {},
            "joint_geometry: kind array(['revolute'], dtype='<U8') is unknown; kinds of joints: r",
        ),
        ("helical", {"axes": [[1, 0, 0]]}, "joint_geometry: joints of the kind 'helical' need pitches"),
        ("revolute", {}, "joint_geometry: joints of the kind 'revolute' need axes"),
        ("planar", {"axes": [[1, 0, 0]]}, "joint_geometry: joints of the kind 'planar' need second_axes"),
        ("cylindrical", {"axes": [[0, 0, 0]]}, "joint_geometry: axes: row 0 is [0.0, 0.0, 0.0]; give a direction"),
        ("cylindrical", {"axes": [0, 0, 1]}, "joint_geometry: axes have shape (3,), must be (1, 3), a row for each"),
    ],
)
def test_bad_arguments_of_joint_geometry_are_named(kind, arguments, message):
    with pytest.raises(ArticulationError, match=re.escape(message)):
        joint_geometry(kind, np.zeros((1, 3)), *bodies_of(hinged_boxes()), [50.0], **arguments)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"anchors": "abc"}, "joint_geometry: anchors must be numbers"),
        ({"anchors": np.zeros((1, 3), dtype=complex)}, "joint_geometry: anchors must be numbers (no real numbers)"),
        ({"left": None}, "joint_geometry: left must be a list with a pair for each joint"),
        ({"left": [], "right": []}, "joint_geometry: left must be a list with a pair for each joint"),
        ({"right": [5]}, "joint_geometry: right, joint 0: it is no pair; give a geometry slot and an instance of it"),
        ({"right": [(5, 0)]}, "joint_geometry: right, joint 0: a int is no geometry slot"),
        ({"instance": 9}, "joint_geometry: right, joint 0: instance 9 of 3"),
        ({"instance": 0.5}, "joint_geometry: right, joint 0: instance 0.5 is no whole number"),
    ],
)
def test_bodies_and_numbers_of_joint_geometry_are_checked(change, message):
    boxes = hinged_boxes()
    left, right = bodies_of(boxes)
    if "instance" in change:
        change = {"right": [(boxes.bodies, change["instance"])]}
    given = {"anchors": np.zeros((1, 3)), "left": left, "right": right, **change}
    with pytest.raises(ArticulationError, match=re.escape(message)):
        joint_geometry("free", strength_ratios=[50.0], **given)


@pytest.mark.parametrize(
    ("kind", "arguments", "message"),
    [
        ("universal", {"axes": [[1, 0, 0]], "second_axes": [[1, 1, 0]]}, "must be orthogonal"),
        ("planar", {"axes": [[0, 0, 2]], "second_axes": [[0, 0, -1]]}, "its axis and its second axis are parallel"),
        ("helical", {"axes": [[1, 0, 0]], "pitches": [0.0]}, "its pitch is 0.0 m/rad; it must be finite and not zero"),
    ],
)
def test_joints_that_cannot_be_are_named_when_they_are_read(kind, arguments, message):
    boxes = hinged_boxes()
    slot, _ = boxes.owner.geometries().create(
        joint_geometry(kind, np.zeros((1, 3)), *bodies_of(boxes), [50.0], **arguments)
    )
    with pytest.raises(SceneError, match=f"joint geometry {slot.id()}: {kind} joint 0: .*{re.escape(message)}"):
        read_joint_mesh(slot, read_bodies(boxes.slots))


def test_a_joint_whose_body_has_no_geometry_slot_is_refused():
    boxes = hinged_boxes()
    uipc.view(boxes.hinge.geometry().edges().find("r_geo_id"))[0] = 77
    message = (
        f"joint geometry {boxes.hinge.id()}, joint 0 (right body) refers to geometry 77, instance 1, but no affine"
    )
    refuses(boxes.hinge, read_bodies(boxes.slots), message)


def test_a_joint_of_a_body_with_itself_is_refused():
    boxes = hinged_boxes()
    uipc.view(boxes.hinge.geometry().edges().find("r_inst_id"))[0] = 0
    message = f"joint geometry {boxes.hinge.id()}, joint 0 joins geometry {boxes.bodies.id()}, instance 0 to itself"
    refuses(boxes.hinge, read_bodies(boxes.slots), message)


def test_an_axis_without_length_is_refused():
    boxes = hinged_boxes()
    uipc.view(boxes.hinge.geometry().positions())[1] = boxes.hinge.geometry().positions().view()[0]
    message = f"joint geometry {boxes.hinge.id()}, joint 0: its axis edge has zero length"
    refuses(boxes.hinge, read_bodies(boxes.slots), message)


@pytest.mark.parametrize(
    ("attribute", "value", "rule"),
    [
        ("strength_ratio", -1.0, " and not negative"),
        ("strength_ratio", np.inf, " and not negative"),
        ("init_angle", np.nan, ""),
    ],
)
def test_numbers_that_cannot_be_are_refused(attribute, value, rule):
    boxes = hinged_boxes()
    uipc.view(boxes.hinge.geometry().edges().find(attribute))[0] = value
    message = f"joint geometry {boxes.hinge.id()}, joint 0: {attribute} is {value}; it must be finite{rule}"
    refuses(boxes.hinge, read_bodies(boxes.slots), message)


@pytest.mark.parametrize("attribute", ["l_geo_id", "r_inst_id", "strength_ratio", "init_angle"])
def test_a_missing_attribute_is_named(attribute):
    boxes = hinged_boxes()
    boxes.hinge.geometry().edges().destroy(attribute)
    refuses(boxes.hinge, read_bodies(boxes.slots), f"joint geometry {boxes.hinge.id()} has no attribute '{attribute}'")


def test_articulations_are_the_joints_of_their_geometries():
    boxes = hinged_boxes()
    bodies, meshes = meshes_of(boxes)
    other = ExternalArticulationConstraint().create_geometry([boxes.slider], [0])
    other_slot, _ = boxes.owner.geometries().create(other)
    table = read_articulations([boxes.slot, other_slot], meshes, bodies)
    assert table.make_energy().sizes == table.counts == (2, 1)
    np.testing.assert_array_equal(table.joints.kind, [REVOLUTE, PRISMATIC, PRISMATIC])
    table.write_delta_theta(np.array([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(boxes.slot.geometry()["joint"].find("delta_theta").view(), [1, 2])
    np.testing.assert_array_equal(other_slot.geometry()["joint"].find("delta_theta").view(), [3])


def test_the_energy_of_a_scene_without_articulations_has_no_freedoms():
    bodies, meshes = meshes_of(hinged_boxes())
    table = read_articulations([], meshes, bodies)
    energy = table.make_energy()
    table.begin_step(energy, bodies.q, [])
    assert energy.energy(bodies.q) == 0.0
    assert energy.delta_theta(bodies.q).shape == (0,)


def test_step_attributes_are_read_and_checked():
    boxes = hinged_boxes()
    bodies, meshes = meshes_of(boxes)
    table = read_articulations([boxes.slot], meshes, bodies)
    geometry = boxes.slot.geometry()
    uipc.view(geometry["joint"].find("delta_theta_tilde"))[:] = [0.1, 0.2]
    uipc.view(geometry["joint_joint"].find("mass"))[:] = [64, 8, 8, 32]
    energy, other = table.make_energy(), table.make_energy()
    table.begin_step(energy, bodies.q, [])
    np.testing.assert_array_equal(energy.mass[0], [[64, 8], [8, 32]])
    np.testing.assert_array_equal(energy.delta_theta_tilde, [0.1, 0.2])
    np.testing.assert_array_equal(other.delta_theta_tilde, [0.0, 0.0])
    uipc.view(geometry["joint_joint"].find("mass"))[:] = [64, 8, 9, 32]
    with pytest.raises(ArticulationError, match=f"articulation geometry {boxes.slot.id()}: mass must be symmetric"):
        table.begin_step(energy, bodies.q, [])


def test_an_articulation_of_an_unknown_joint_geometry_is_refused():
    boxes = hinged_boxes()
    bodies, meshes = meshes_of(boxes)
    with pytest.raises(SceneError) as refused:
        read_articulations([boxes.slot], meshes[:1], bodies)
    assert f"articulation geometry {boxes.slot.id()}, joint 1 refers to geometry {boxes.slider.id()}" in str(
        refused.value
    )
    assert "only revolute, prismatic, spherical, free, " in str(refused.value)


def test_an_articulation_with_an_index_out_of_range_is_refused():
    boxes = hinged_boxes()
    bodies, meshes = meshes_of(boxes)
    uipc.view(boxes.slot.geometry()["joint"].find("index"))[1] = 4
    message = (
        f"articulation geometry {boxes.slot.id()}, joint 1: index 4 is out of range, "
        f"joint geometry {boxes.slider.id()} has 1 joints, 0 to 0"
    )
    with pytest.raises(SceneError, match=re.escape(message)):
        read_articulations([boxes.slot], meshes, bodies)


def test_an_articulation_with_a_mass_of_the_wrong_size_is_refused():
    boxes = hinged_boxes()
    bodies, meshes = meshes_of(boxes)
    boxes.slot.geometry()["joint_joint"].resize(3)
    message = f"articulation geometry {boxes.slot.id()}: mass has 3 entries, must be 4 for 2 freedoms"
    with pytest.raises(SceneError, match=re.escape(message)):
        read_articulations([boxes.slot], meshes, bodies)


def test_reference_is_the_attribute_where_there_is_one_else_the_previous_pose():
    reference = np.r_[1.0, 2.0, 3.0, np.diag([1.0, 2.0, 3.0]).ravel()]
    boxes = hinged_boxes(ref_dof_prev=reference)
    bodies = read_bodies([*boxes.slots, *hinged_boxes().slots])
    q_prev = np.random.default_rng(0).normal(size=(6, 12))
    q_ref = find_reference_dofs(bodies).read(q_prev)
    np.testing.assert_array_equal(q_ref[:3], np.tile(reference, (3, 1)))
    np.testing.assert_array_equal(q_ref[3:], q_prev[3:])


@pytest.mark.parametrize(
    ("value", "found"), [(0.0, "a number"), (np.zeros(3), "shape (3, 1)"), (np.zeros((4, 4)), "shape (4, 4)")]
)
def test_a_reference_that_is_not_a_vector12_is_refused(value, found):
    bodies = read_bodies(hinged_boxes(ref_dof_prev=value).slots)
    message = f"(geometry 0): ref_dof_prev holds {found} an instance, must be a Vector12: translation, then the rows"
    with pytest.raises(SceneError, match=re.escape(message)):
        find_reference_dofs(bodies)


def test_a_reference_that_is_not_finite_names_the_body():
    boxes = hinged_boxes(ref_dof_prev=np.r_[np.zeros(3), np.eye(3).ravel()])
    bodies = read_bodies(boxes.slots)
    uipc.view(boxes.bodies.geometry().instances().find("ref_dof_prev"))[1, 5] = np.nan
    message = f"body '{bodies.names[1]}': ref_dof_prev must be finite, but entry 5 is nan"
    reference = find_reference_dofs(bodies)
    with pytest.raises(ArticulationError, match=re.escape(message)):
        reference.refuse_not_finite(reference.read(bodies.q))


def test_a_reference_that_was_created_but_never_written_is_refused_in_the_step(tmp_path):
    """With libuipc's default of zeros the hinge went half a turn."""
    boxes = hinged_boxes(ref_dof_prev=np.zeros(12))
    bodies = read_bodies(boxes.slots)
    message = f"body '{bodies.names[0]}': ref_dof_prev has A = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], "
    with pytest.raises(ArticulationError, match=re.escape(message + "which is no rotation; write the body's")):
        find_reference_dofs(bodies).read(bodies.q)
    with pytest.raises(ArticulationError, match=r"body 7: ref_dof_prev has A = .* which is no rotation"):
        checked_ref_dof_prev("body 7", np.zeros(12))


def test_joints_concatenate_and_pick():
    _, (hinge, slider) = meshes_of(hinged_boxes())
    both = Joints.concatenate([hinge.joints, slider.joints])
    assert len(both) == 2
    np.testing.assert_array_equal(both[1:].local, slider.joints.local)
    assert len(Joints.concatenate([])) == 0
