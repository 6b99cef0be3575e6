"""Every failure of the package is one of these; each message names the thing at fault and what would be valid."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "AdapterError",
    "ArticulationError",
    "DumpError",
    "EngineError",
    "Fault",
    "IpcArticulationError",
    "MeshError",
    "MissingPackageError",
    "ModelError",
    "NoRecordingError",
    "OutputError",
    "OverlapError",
    "RecordingError",
    "SceneError",
    "SceneFileError",
    "SolverError",
    "StartError",
    "StateError",
    "SweepError",
    "TaskError",
    "TimeLimitError",
    "UnsupportedError",
    "ViewingError",
]


class IpcArticulationError(Exception):
    """Root of all errors of this package."""


class SceneError(IpcArticulationError):
    """A libuipc scene is inconsistent: a missing slot, a missing attribute, bodies that intersect at the start."""


class OverlapError(SceneError):
    """Bodies of a libuipc scene that may touch each other intersect, or have almost no gap."""


class UnsupportedError(IpcArticulationError):
    """A scene or model contains something that this engine or adapter does not support; nothing is silently ignored."""


class ArticulationError(IpcArticulationError):
    """Bad input to an articulation: effective mass, predicted joint motion, reference degrees of freedom."""


class MeshError(IpcArticulationError):
    """A surface mesh cannot be used: it is open, degenerate or wrongly oriented."""


class ModelError(IpcArticulationError):
    """A multibody model is wrong: a link, joint or frame of it, or the file that describes it."""


class StateError(IpcArticulationError):
    """A state for the dynamics is wrong: its length, a number that is not finite, a zero quaternion."""


class AdapterError(IpcArticulationError):
    """A multibody engine's model cannot be coupled, or an adapter is unknown."""


class StartError(AdapterError):
    """A robot cannot start with a value of a scene file.

    Attributes:
        key: `initial` or `initial_velocity`.
        joint: Name of the joint.
    """

    def __init__(self, key: str, joint: str, message: str) -> None:
        super().__init__(message)
        self.key, self.joint = key, joint


class EngineError(IpcArticulationError):
    """An engine cannot be made, or cannot do the requested operation."""


class SolverError(IpcArticulationError):
    """The nonlinear solve failed: not finite, or not converged in strict mode."""


class DumpError(IpcArticulationError):
    """A dump of the engine's state cannot be used: missing, damaged, or of another scene."""


class RecordingError(IpcArticulationError):
    """A recording cannot be written or read: a full disk, damage, a newer format version, no such row."""


class NoRecordingError(RecordingError):
    """A folder contains no recording."""


class OutputError(IpcArticulationError):
    """Results cannot be written, or a folder already contains a run, or contains none that can be resumed."""


class TimeLimitError(IpcArticulationError):
    """A run took longer than its time limit; its results until then are kept."""


class SweepError(IpcArticulationError):
    """A sweep cannot be started or resumed: its values, its folder, its workers, the cluster's address."""


class TaskError(IpcArticulationError):
    """A task for learning is wrong, or what it is given: a name, an action, an observation, a reward, a late reset."""


class MissingPackageError(IpcArticulationError):
    """An optional package is not installed; the message names the extra that brings it."""


class ViewingError(IpcArticulationError):
    """A recording or script cannot be shown as asked: a time, a size, a file type, a port, a machine without OpenGL."""


@dataclass(frozen=True)
class Fault:
    """One thing wrong in a scene file, and where: a line and a column, or the setting that brought the value."""

    message: str
    file: Path
    line: int | None = None  # counted from 1, like the column
    column: int | None = None
    setting: str = ""  # `contact.friction=2`, if a setting replaced the file's value

    def __str__(self) -> str:
        place = str(self.file) if self.line is None else f"{self.file}:{self.line}:{self.column}"
        return f"{place}: --set {self.setting}: {self.message}" if self.setting else f"{place}: {self.message}"


class SceneFileError(IpcArticulationError):
    """A scene file is wrong; the error has every fault with its place, each on a line of the message.

    Args:
        message: What is wrong and what would be valid.
        file: The scene file.
        line: Line of the offending key or value, counted from 1.
        column: Column, counted from 1.
    """

    def __init__(self, message: str, file: str | Path, line: int | None = None, column: int | None = None) -> None:
        self._hold((Fault(message, Path(file), line, column),))

    @classmethod
    def of(cls, faults: Iterable[Fault]) -> SceneFileError:
        """One error for at least one fault; its place is that of the first."""
        error = cls.__new__(cls)
        error._hold(tuple(faults))
        return error

    def _hold(self, faults: tuple[Fault, ...]) -> None:
        super().__init__("\n".join(str(fault) for fault in faults))
        self.faults = faults
        self.file, self.line, self.column = faults[0].file, faults[0].line, faults[0].column

    def __reduce__(self) -> tuple[Callable[[tuple[Fault, ...]], SceneFileError], tuple[tuple[Fault, ...]]]:
        return SceneFileError.of, (self.faults,)  # so that all its attributes survive the way from another process
