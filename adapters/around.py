"""Surroundings of a robot in a scene, and checks of names and states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple, TypedDict, TypeVar

from ipc_articulation.arguments import NUMBER, Wanted, several
from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import ClosedMesh, ContactRule, CoupledBody, CoupledRobot, HalfPlane
from ipc_articulation.coupling.solids import FACETS, Facets, MeshShape
from ipc_articulation.dynamics.model.shapes import Shape
from ipc_articulation.errors import AdapterError

_Step = TypeVar("_Step")


class LinkShapes(NamedTuple):
    """What of a link touches, and what is drawn, in its frame."""

    mesh: ClosedMesh | None
    visual: tuple[Shape, ...]  # none: what touches is drawn


class Around(TypedDict, total=False):
    """Surroundings of a robot, and how surfaces are made."""

    free: Iterable[CoupledBody]  # that IPC moves
    static: Iterable[CoupledBody]  # that never move; every link may touch them
    planes: Iterable[HalfPlane]  # half-spaces that never move; every link may touch them
    friction: float | Mapping[str, float]  # Coulomb coefficient of the model's surfaces, or by body; 1 where not named
    untouchable: Collection[frozenset[str]]  # further pairs of names that never touch
    contact_rules: Iterable[ContactRule]  # friction of pairs where it is not the larger of both
    mesh_shape: MeshShape  # «mesh» takes the triangles of meshes, open ones closed; «hull» their convex hull
    sections: int | None  # flat sides around round shapes, see `coupling.solids.Facets`
    shapes: Mapping[str, LinkShapes]  # of links, in place of those of the model


def _are_shapes(shapes: object) -> bool:
    return isinstance(shapes, Mapping) and all(isinstance(own, LinkShapes) for own in shapes.values())


def _are_numbers(friction: object) -> bool:
    return all(map(NUMBER.accepts, friction.values() if isinstance(friction, Mapping) else [friction]))


AROUND: dict[str, Wanted] = {
    "free": several(CoupledBody),
    "static": several(CoupledBody),
    "planes": several(HalfPlane),
    "friction": Wanted("a number, or a number for each of some bodies by name", _are_numbers),
    "untouchable": several(frozenset),
    "contact_rules": several(ContactRule),
    "shapes": Wanted("LinkShapes for each of some links by name", _are_shapes),
    **FACETS,
}


def facets_of(around: Around) -> Facets:
    """How surfaces become triangles."""
    return Facets(around.get("mesh_shape", "mesh"), around.get("sections"))


def refuse_equal_names(mechanism: CoupledRobot) -> None:
    """Links, bodies and planes are known by name.

    Raises:
        AdapterError: Two of them have the same.
    """
    for name, count in Counter(mechanism.names).items():
        if count > 1:
            raise AdapterError(f"two bodies are called '{name}'; give every link, body and plane a name of its own")


def refuse_change(adapter: object, name: str, scene: Collection[str]) -> None:
    """Attributes from which a scene is built are set once; called before an attribute is set.

    Args:
        adapter: The adapter.
        name: The attribute.
        scene: Names of those attributes.

    Raises:
        AdapterError: It is one of them, and was set before.
    """
    if name in scene and name in adapter.__dict__:
        kind = type(adapter).__name__
        raise AdapterError(
            f"'{name}' of a {kind} cannot be changed: the scene is built from it; couple a new adapter in a new scene"
        )


def predicted(step: _Step | None) -> _Step:
    """The step that is to be committed.

    Raises:
        AdapterError: There is none.
    """
    if step is None:
        raise AdapterError("commit without a prediction: call predict first, once for each step")
    return step


def refuse_other_lengths(state: Mapping[str, Array], **present: Array) -> None:
    """A state must have the arrays of the present one.

    Raises:
        AdapterError: One of them is missing, or has another length.
    """
    for name, array in present.items():
        length = len(state[name]) if name in state else 0
        if length != len(array):
            raise AdapterError(f"the state is of another model: {name} has {length} numbers, this model's {len(array)}")
