"""Observations of a scene file: `observe`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ipc_articulation.arrays import Array
from ipc_articulation.errors import TaskError
from ipc_articulation.gym.state import TaskState
from ipc_articulation.naming import matching
from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.document import Document

Observer = Callable[[TaskState], Array]

AXES = "xyz"


def axis_numbers(axes: str) -> list[int]:
    """Numbers of axes that are given by letters: [0, 2] of "xz"."""
    return [AXES.index(axis) for axis in axes]


def observers(entries: Sequence[schema.ObserveEntry], state: TaskState, document: Document) -> list[Observer]:
    """A function for each entry.

    Args:
        entries: Of the scene file.
        state: Of the scene, for names.
        document: The document of the scene, for places.

    Raises:
        SceneFileError: An entry names a joint or point that there is not; with its place.
    """
    made = []
    for index, entry in enumerate(entries):
        with document.blame("observe", index, _place(entry)):
            made.append(_scaled(_observer(entry, state), entry.scale))
    return made


def require_point(name: str, state: TaskState) -> str:
    """A name of a point that the scene has.

    Raises:
        TaskError: It has none of that name.
    """
    state.position(name)
    return name


def _place(entry: schema.ObserveEntry) -> str:
    """The key of an entry that names something."""
    return "joints" if hasattr(entry, "joints") else "of"


def _scaled(observe: Observer, scale: float) -> Observer:
    return observe if scale == 1.0 else lambda state: scale * observe(state)


def _observer(entry: schema.ObserveEntry, state: TaskState) -> Observer:
    match entry:
        case schema.JointPositionsEntry(joints=joints):
            columns = matching(joints, state.joints, "joint", TaskError)
            return lambda state: state.theta[columns]
        case schema.JointVelocitiesEntry(joints=joints):
            columns = matching(joints, state.joints, "joint", TaskError)
            return lambda state: state.theta_dot[columns]
        case schema.JointForcesEntry(joints=joints):
            columns = matching(joints, state.joints, "joint", TaskError)
            return lambda state: state.contact_force[columns]
        case schema.PositionEntry(of=of, relative_to=other, axes=axes):
            return _position(require_point(of, state), other and require_point(other, state), axes)
        case schema.RotationEntry(of=of):
            require_point(of, state)
            return lambda state: state.pose(of)[:3, :2].T.ravel()
        case schema.VelocityOfEntry(of=of, axes=axes):
            require_point(of, state)
            return lambda state: state.velocity(of)[axis_numbers(axes)]
        case schema.LastActionEntry():
            return lambda state: state.action


def _position(of: str, other: str | None, axes: str) -> Observer:
    chosen = axis_numbers(axes)
    if other is None:
        return lambda state: state.position(of)[chosen]
    return lambda state: (state.position(of) - state.position(other))[chosen]
