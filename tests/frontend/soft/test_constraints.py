"""Values that callbacks write on vertices: read anew each time, of several bodies, and refused when wrong."""

import re

import numpy as np
import pytest
from uipc import view
from uipc.constitution import FiniteElementExternalForce, SoftPositionConstraint

from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.soft import constraints
from tests.frontend.soft.soft_meshes import SOLID, SQUARE, SoftScene, shell, solid

DT = 0.01


def scene_with(constraint, *arguments):
    scene = SoftScene()
    for mesh in (solid(), shell()):
        constraint().apply_to(mesh, *arguments)
        scene.add(mesh)
    return scene


def vertices(scene, k, name):
    return view(scene.slots[k].geometry().vertices().find(name))


def test_positions_are_those_of_now():
    scene = scene_with(SoftPositionConstraint, 50.0)
    constraint = constraints.SoftPositionConstraint(scene.bodies)
    aims = constraint.read()
    assert not aims.is_constrained.any()
    np.testing.assert_array_equal(aims.position, np.vstack([SOLID, SQUARE]))
    np.testing.assert_array_equal(aims.strength, np.full(9, 50.0))
    vertices(scene, 1, "is_constrained")[2] = 1
    vertices(scene, 1, "aim_position")[2] = np.reshape([7.0, 8.0, 9.0], (3, 1))
    vertices(scene, 0, "strength_ratio")[4] = 3.0
    aims = constraint.read()
    assert np.flatnonzero(aims.is_constrained).tolist() == [7]
    np.testing.assert_array_equal(aims.position[7], [7, 8, 9])
    assert aims.strength[4] == 3.0


def test_an_aim_does_not_follow_the_positions():
    """Both attributes share their memory until one of them is written."""
    scene = scene_with(SoftPositionConstraint, 50.0)
    constraint = constraints.SoftPositionConstraint(scene.bodies)
    vertices(scene, 0, "position")[:] += 1.0
    np.testing.assert_array_equal(constraint.read().position[:5], SOLID)


def test_forces_are_those_of_now():
    scene = scene_with(FiniteElementExternalForce, np.array([0.0, 1.0, 2.0]))
    reader = constraints.ExternalForce(scene.bodies)
    forces = reader.read(DT)
    assert forces.is_constrained.all()
    np.testing.assert_array_equal(forces.force, np.tile([0.0, 1.0, 2.0], (9, 1)))
    vertices(scene, 1, "external_force")[0] = np.reshape([3.0, 4.0, 5.0], (3, 1))
    vertices(scene, 0, "external_force/is_constrained")[:] = 0
    forces = reader.read(DT)
    assert np.flatnonzero(forces.is_constrained).tolist() == [5, 6, 7, 8]
    np.testing.assert_array_equal(forces.force[5], [3, 4, 5])


def test_both_have_switches_of_their_own():
    scene = SoftScene()
    mesh = solid()
    SoftPositionConstraint().apply_to(mesh)
    FiniteElementExternalForce().apply_to(mesh, np.array([0.0, 1.0, 0.0]))
    scene.add(mesh)
    assert not constraints.SoftPositionConstraint(scene.bodies).read().is_constrained.any()
    assert constraints.ExternalForce(scene.bodies).read(DT).is_constrained.all()


def test_nothing_is_read_of_no_bodies():
    aims = constraints.SoftPositionConstraint([]).read()
    assert aims.position.shape == (0, 3)
    assert aims.strength.shape == aims.is_constrained.shape == (0,)


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("aim_position", np.nan, "the 'aim_position' of vertex 3 is not finite"),
        ("strength_ratio", np.inf, "the 'strength_ratio' of vertex 3 is not finite"),
        ("strength_ratio", -1.0, "the 'strength_ratio' of vertex 3 is negative"),
    ],
)
def test_wrong_values_are_refused(name, value, text):
    scene = scene_with(SoftPositionConstraint, 50.0)
    constraint = constraints.SoftPositionConstraint(scene.bodies)
    vertices(scene, 1, name)[3] = value
    shell_id = scene.slots[1].id()
    with pytest.raises(SceneError, match=rf"soft body 'cushion {shell_id}' \(geometry {shell_id}\): {re.escape(text)}"):
        constraint.read()


def test_negative_coordinates_are_right():
    scene = scene_with(SoftPositionConstraint, 50.0)
    vertices(scene, 1, "aim_position")[3] = -1.0
    assert constraints.SoftPositionConstraint(scene.bodies).read().position.min() == -1.0


def test_a_missing_or_misshapen_attribute_is_refused():
    scene = SoftScene()
    scene.add(solid())
    with pytest.raises(SceneError, match="has no attribute 'is_constrained' on its vertices"):
        constraints.SoftPositionConstraint(scene.bodies)
    mesh = solid()
    mesh.vertices().create("external_force/is_constrained", 0)
    mesh.vertices().create("external_force", 1.0)
    scene = SoftScene()
    scene.add(mesh)
    with pytest.raises(
        SceneError,
        match=re.escape("'external_force' of its vertices is a number each; it must be a vector of 3 numbers each"),
    ):
        constraints.ExternalForce(scene.bodies)


def test_an_attribute_that_was_replaced_is_found():
    scene = scene_with(SoftPositionConstraint, 50.0)
    constraint = constraints.SoftPositionConstraint(scene.bodies)
    before = constraint.read()
    for name, value in (("aim_position", np.array([7.0, 8.0, 9.0])), ("is_constrained", 1)):
        attributes = scene.slots[1].geometry().vertices()
        attributes.destroy(name)
        attributes.create(name, value)
    after = constraint.read()
    assert not before.is_constrained.any()
    assert after.is_constrained.sum() == 4
    np.testing.assert_array_equal(after.position[after.is_constrained], [[7.0, 8.0, 9.0]] * 4)
