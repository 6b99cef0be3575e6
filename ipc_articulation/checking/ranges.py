"""Numbers of a scene that are allowed, but seldom meant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ipc_articulation.scenefile.document import Location, SceneProblem
from ipc_articulation.scenefile.schema import ArticulationScene, AxisEntry, BodyEntry, MaterialEntry, RobotScene, Scene


@dataclass(frozen=True)
class Range:
    """Where a quantity usually lies, and what happens outside."""

    low: float
    high: float
    unit: str
    below: str
    above: str

    def remark(self, what: str, value: float) -> str | None:
        """The warning for a value; None inside the range."""
        if self.low <= value <= self.high:
            return None
        why = self.below if value < self.low else self.above
        unit = f" {self.unit}" if self.unit else ""
        return f"{what} {value:g}{unit} is outside {self.low:g} to {self.high:g}{unit}: {why}"


DT = Range(1e-5, 0.05, "s", "runs take long", "contact and fast joints are resolved badly, and steps damp much")
D_HAT = Range(1e-5, 0.05, "m", "it nears rounding, and Newton takes many iterations", "surfaces repel from afar")
RESISTANCE = Range(1e6, 1e12, "Pa", "heavy bodies come very close", "Newton takes many iterations")
STIFFNESS = Range(1e6, 1e11, "Pa", "bodies bend and shear visibly", "Newton takes many iterations")
MASS = Range(1e-5, 1e6, "kg", "so light a body nears rounding beside others", "contact with light bodies is stiff")
DENSITY = Range(1.0, 3e4, "kg/m³", "lighter than foam", "heavier than any metal")
FRICTION = Range(0.0, 2.0, "", "", "dry materials have at most about 1.5")
STRENGTH = Range(1.0, 1e12, "", "the joint gives way visibly", "the masses are lost in rounding, and nothing moves")

_OF_THINGS = {  # keys of bodies and materials
    "mass": MASS,
    "density": DENSITY,
    "stiffness": STIFFNESS,
    "resistance": RESISTANCE,
    "friction": FRICTION,
}

_Quantity = tuple[Location, str, float | None, Range]


def range_problems(scene: Scene) -> Iterator[SceneProblem]:
    """A warning for each number out of its range, and for gravity that points up."""
    if scene.gravity[2] > 0.0:
        shown = ", ".join(f"{g:g}" for g in scene.gravity)
        message = f"gravity [{shown}] m/s² points up, so bodies fall up and a ground faces down"
        yield SceneProblem(("gravity",), message)
    for place, what, value, usual in _quantities(scene):
        remark = None if value is None else usual.remark(what, value)
        if remark is not None:
            yield SceneProblem(place, remark)


def _quantities(scene: Scene) -> Iterator[_Quantity]:
    yield ("dt",), "the time step", scene.dt, DT
    yield ("contact", "d_hat"), "d_hat", scene.contact.d_hat, D_HAT
    yield ("contact", "resistance"), "the resistance", scene.contact.resistance, RESISTANCE
    yield ("contact", "friction"), "the friction", scene.contact.friction, FRICTION
    if isinstance(scene, ArticulationScene):
        yield ("stiffness",), "the stiffness", scene.stiffness, STIFFNESS
    if isinstance(scene, RobotScene):
        yield ("robot", "stiffness"), "the stiffness of the links", scene.robot.stiffness, STIFFNESS
    things: list[tuple[Location, str, BodyEntry | MaterialEntry]] = [
        (("bodies", index), f"body '{body.name}'", body) for index, body in enumerate(scene.bodies)
    ]
    things += [(("materials", name), f"material '{name}'", material) for name, material in scene.materials.items()]
    for place, name, thing in things:
        for key, usual in _OF_THINGS.items():
            yield (*place, key), f"the {key} of {name}", getattr(thing, key, None), usual
    if isinstance(scene, ArticulationScene):
        for index, joint in enumerate(scene.joints):
            at, key = ("joints", index), "strength_ratio"
            yield (*at, key), f"the {key} of joint '{joint.name}'", joint.strength_ratio, STRENGTH
            if isinstance(joint, AxisEntry) and joint.drive is not None:
                drive = joint.drive.strength_ratio
                yield (*at, "drive", key), f"the {key} of the drive of joint '{joint.name}'", drive, STRENGTH
