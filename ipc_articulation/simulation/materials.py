"""Material values of bodies, ground, walls and robots: their own, else their material's, else the scene's."""

from __future__ import annotations

from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.published_materials import SoftBody

Surface = schema.BodyEntry | schema.GroundEntry | schema.WallEntry | SoftBody
Thing = Surface | schema.RobotEntry

_NONE = schema.MaterialEntry()


def material_of(scene: schema.Scene, thing: Thing) -> schema.MaterialEntry:
    """The material of the file that a thing names; one without values where it names none, or a published one."""
    return _NONE if thing.material is None else scene.materials.get(thing.material, _NONE)


def friction_of(scene: schema.Scene, thing: Surface) -> float:
    """Coulomb coefficient of a surface."""
    own = own_friction(scene, thing)
    return scene.contact.friction if own is None else own


def own_friction(scene: schema.Scene, thing: Thing) -> float | None:
    """Coulomb coefficient of a thing or of its material; None where neither has one."""
    return material_of(scene, thing).friction if thing.friction is None else thing.friction


def density_of(scene: schema.Scene, body: schema.BodyEntry) -> float:
    """Density of a body without a mass [kg/m³]."""
    return body.density or material_of(scene, body).density or schema.DENSITY


def stiffness_of(scene: schema.Scene, thing: schema.BodyEntry | schema.RobotEntry) -> float | None:
    """Stiffness of a thing or of its material against deformation [Pa]; None where neither has one."""
    return thing.stiffness or material_of(scene, thing).stiffness


def resistance_of(scene: schema.Scene, thing: Thing) -> float | None:
    """Stiffness of the barrier at a surface [Pa]; None: that of the scene."""
    return material_of(scene, thing).resistance
