"""Names of a robot's coordinates, frames and joints, and the errors for names that it does not have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from ipc_articulation.arguments import shown
from ipc_articulation.dynamics.loops.closure import Closure
from ipc_articulation.dynamics.loops.layout import numbered
from ipc_articulation.errors import ModelError
from ipc_articulation.naming import suggest

Letter = Literal["x", "y"]  # position coordinates, velocity coordinates


def coordinate_names(closure: Closure, letter: Letter) -> tuple[str, ...]:
    """A name for each coordinate: the joint's, with a number if it has several, or the loop's own names."""
    names = [""] * (closure.nx if letter == "x" else closure.nv)
    for at in closure.free:
        own = getattr(at, letter)
        names[own.start : own.stop] = numbered(closure.joints.names[at.joint], len(own))
    for loop in closure.loops:
        names[getattr(loop, letter)] = loop.constraint.names(loop.joints)["xy".index(letter)]
    return tuple(names)


def find_coordinates(closure: Closure, joint: str, letter: Letter) -> slice:
    """Range of a joint's coordinates.

    Raises:
        ModelError: There is no moving joint of that name, or it is in a loop.
    """
    index = find_in_list(closure.joints.names, joint, "joint", closure.name)
    for at in closure.free:
        if at.joint == index:
            own = getattr(at, letter)
            return slice(own.start, own.stop)
    loop = next(loop for loop in closure.loops if closure.joints.v[index] in loop.dofs)
    raise ModelError(f"joint '{joint}' is in {loop.name}; its own coordinates are those of spanning_tree")


def find_in_list(known: Sequence[str], name: str, what: str, model: str) -> int:
    """The place of a name; errors are those of `find`."""
    return find({name: i for i, name in enumerate(known)}, name, what, model)


def find(known: Mapping[str, int], name: str, what: str, model: str) -> int:
    """The index that belongs to a name.

    Raises:
        ModelError: It is not known; names the model, what was sought, and a similar name.
    """
    if not isinstance(name, str) or name not in known:
        raise ModelError(f"model '{model}' has no {what} {shown(name)}{suggest(name, known)}")
    return int(known[name])
