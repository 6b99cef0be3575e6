"""Attributes of wrong types, whatever reads them: refused by name."""

import re

import numpy as np
import pytest
from uipc import constitution as laws
from uipc import view
from uipc.constitution import AffineBodyConstitution
from uipc.geometry import ground, label_surface

from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.attributes import carried_uids
from ipc_articulation.frontend.bodies import read_bodies
from ipc_articulation.frontend.contact_table import read_half_planes
from ipc_articulation.frontend.entries import Entries
from ipc_articulation.frontend.soft.constitutions import READERS, read_elements
from ipc_articulation.frontend.soft.constraints import ExternalForce, SoftPositionConstraint
from tests.frontend.soft.soft_meshes import SoftScene, bare_solid, rod, shell, solid

TEXT, VECTOR, MATRIX, FRACTION = "thick", np.ones(3), np.eye(4), 0.5


def with_law(make, law, *arguments):
    mesh = make()
    law().apply_to(mesh, *arguments)
    return mesh


def bent_shell():
    return with_law(shell, laws.DiscreteShellBending, 1.0)


def bent_rod():
    return with_law(rod, laws.KirchhoffRodBending, 1e6)


def aimed():
    return with_law(solid, laws.SoftPositionConstraint, 100.0)


def pushed():
    return with_law(solid, laws.FiniteElementExternalForce, np.ones(3))


def affine():
    mesh = bare_solid()
    label_surface(mesh)
    AffineBodyConstitution().apply_to(mesh, 1e8)
    return mesh


def read(mesh):
    """All that the engine reads of the only body of a scene."""
    scene = SoftScene()
    scene.add(mesh)
    if len(read_bodies(scene.slots)):
        return
    (only,) = scene.bodies
    for uid in carried_uids(only.slot.geometry()):
        if uid in READERS:
            read_elements(only, uid)
    constraints = {14: SoftPositionConstraint, 671: ExternalForce}
    for uid in carried_uids(only.slot.geometry()):
        if uid in constraints:
            constraints[uid]([only]).read()


NUMBERS = [
    (solid, "vertices", "vertices", ("thickness", "mass", "mass_density", "d_hat")),
    (solid, "meta", "", ("mass_density", "d_hat")),
    (solid, "tetrahedra", "tetrahedra", ("mu", "lambda")),
    (shell, "triangles", "triangles", ("mu", "lambda")),
    (shell, "vertices", "vertices", ("volume",)),
    (rod, "edges", "edges", ("kappa",)),
    (bent_shell, "edges", "edges", ("bending_stiffness",)),
    (bent_rod, "vertices", "vertices", ("bending_stiffness",)),
    (aimed, "vertices", "vertices", ("strength_ratio",)),
    (affine, "instances", "instances", ("kappa",)),
    (affine, "vertices", "vertices", ("thickness",)),
    (affine, "meta", "", ("volume", "d_hat")),
]
VECTORS = [(solid, ("velocity", "gravity")), (aimed, ("aim_position",)), (pushed, ("external_force",))]
FLAGS = [
    (solid, "vertices", "vertex", ("is_fixed", "is_dynamic", "is_surf")),
    (solid, "edges", "edge", ("is_surf",)),
    (solid, "triangles", "triangle", ("is_surf",)),
    (solid, "meta", "", ("self_collision",)),
    (aimed, "vertices", "vertex", ("is_constrained",)),
    (pushed, "vertices", "vertex", ("external_force/is_constrained",)),
    (affine, "instances", "instance", ("is_fixed", "is_dynamic", "external_kinetic")),
    (affine, "triangles", "triangle", ("is_surf",)),
    (affine, "meta", "", ("self_collision",)),
]
IDS = [
    (make, collection, plural, names)
    for make in (solid, affine)
    for collection, plural in (("vertices", "vertices"), ("meta", ""))
    for names in (("contact_element_id", "subscene_element_id"),)
    if make is solid or collection == "meta"
]


def test_a_half_plane_of_another_contact_element_type_is_refused():
    scene, plane = SoftScene(), ground(0.0)
    plane.meta().create("contact_element_id", "floor")
    slot = scene.add(plane)
    text = f"half-plane geometry {slot.id()}: 'contact_element_id' is text; it must be a whole number"
    with pytest.raises(SceneError, match=re.escape(text)):
        read_half_planes(scene.slots)


def refuses(make, collection, name, value, text):
    mesh = make()
    attributes = getattr(mesh, collection)()
    if attributes.find(name) is not None:
        attributes.destroy(name)
    attributes.create(name, value)
    with pytest.raises(SceneError, match=r"\(geometry \d\): |geometry \d+: ") as caught:
        read(mesh)
    assert text in str(caught.value)


def said(plural, name, is_what, wanted):
    of, each = (f" of its {plural}", " each") if plural else ("", "")
    return f": '{name}'{of} is {is_what}{each}; it must be {wanted}{each}"


@pytest.mark.parametrize(
    ("make", "collection", "plural", "name"), [(*row[:3], name) for row in NUMBERS for name in row[3]]
)
@pytest.mark.parametrize(
    ("value", "what"), [(TEXT, "text"), (VECTOR, "a vector of 3 numbers"), (MATRIX, "a 4 x 4 matrix")]
)
def test_what_is_no_number_is_refused(make, collection, plural, name, value, what):
    refuses(make, collection, name, value, said(plural, name, what, "a number"))


@pytest.mark.parametrize(("make", "name"), [(make, name) for make, names in VECTORS for name in names])
@pytest.mark.parametrize(
    ("value", "what"), [(TEXT, "text"), (FRACTION, "a number"), (np.ones(2), "a vector of 2 numbers")]
)
def test_what_is_no_vector_is_refused(make, name, value, what):
    refuses(make, "vertices", name, value, said("vertices", name, what, "a vector of 3 numbers"))


@pytest.mark.parametrize(("make", "collection", "plural", "name"), [(*row[:3], name) for row in IDS for name in row[3]])
@pytest.mark.parametrize(("value", "what"), [(TEXT, "text"), (FRACTION, "a floating-point number")])
def test_what_is_no_number_of_an_element_is_refused(make, collection, plural, name, value, what):
    refuses(make, collection, name, value, said(plural, name, what, "a whole number"))


@pytest.mark.parametrize(
    ("make", "collection", "entry", "name"), [(*row[:3], name) for row in FLAGS for name in row[3]]
)
@pytest.mark.parametrize("value", [TEXT, 2, 0.5])
def test_what_is_neither_0_nor_1_is_refused(make, collection, entry, name, value):
    at = f" of {entry} 0" if entry else ""
    plural = {"vertex": "vertices"}.get(entry, f"{entry}s") if entry else ""
    text = said(plural, name, "text", "0 or 1") if value == TEXT else f": '{name}'{at} is {value}; it must be 0 or 1"
    refuses(make, collection, name, value, text)


def test_the_entry_whose_flag_is_wrong_is_named():
    mesh = solid()
    view(mesh.vertices().find("is_fixed"))[3] = -1
    with pytest.raises(SceneError, match=re.escape("soft body 'x': 'is_fixed' of vertex 3 is -1; it must be 0 or 1")):
        Entries(mesh.vertices(), "soft body 'x'", "vertex").flags("is_fixed")


def test_numbers_of_any_size_and_missing_ones_with_a_default_are_read():
    mesh = solid()
    mesh.vertices().create("whole", 3)
    vertices = Entries(mesh.vertices(), "a mesh", "vertex")
    assert vertices.numbers("whole").tolist() == [3.0] * 5
    assert vertices.numbers("none", 0.5).tolist() == [0.5] * 5
    assert vertices.numbers("none", 0.0, (3,)).shape == (5, 3)
    assert Entries(mesh.meta(), "a mesh").ids("none", 7).tolist() == [7]
    with pytest.raises(SceneError, match=r"^a mesh has no attribute 'none' on its vertices$"):
        vertices.numbers("none")
