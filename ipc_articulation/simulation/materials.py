"""Material values of bodies, ground, walls and robots: their own, else their material's, else the scene's."""

from __future__ import annotations

from ipc_articulation.scenefile import schema

Thing = schema.BodyEntry | schema.GroundEntry | schema.WallEntry | schema.RobotEntry

_NONE = schema.MaterialEntry()


def material_of(scene: schema.Scene, thing: Thing) -> schema.MaterialEntry:
    """The material that a thing names; one without values where it names none."""
    return _NONE if thing.material is None else scene.materials[thing.material]


def friction_of(scene: schema.Scene, thing: schema.BodyEntry | schema.GroundEntry | schema.WallEntry) -> float:
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
