"""Every failure of the package is one of these; each message names the thing at fault and what would be valid."""

from __future__ import annotations

from pathlib import Path


class IpcArticulationError(Exception):
    """Root of all errors of this package."""


class SceneError(IpcArticulationError):
    """A libuipc scene is inconsistent: a missing slot, a missing attribute, bodies that intersect at the start."""


class UnsupportedError(IpcArticulationError):
    """A scene or model holds something that this engine or adapter does not do; nothing is ever silently ignored."""


class ArticulationError(IpcArticulationError):
    """Bad input to an articulation: effective mass, predicted joint motion, reference degrees of freedom."""


class MeshError(IpcArticulationError):
    """A surface mesh cannot be used: it is open, degenerate or wrongly oriented."""


class ModelError(IpcArticulationError):
    """A multibody model is wrong: a link, joint or frame of it, or the file that describes it."""


class StateError(IpcArticulationError):
    """A state handed to the dynamics is wrong: its length, a number that is not finite, a zero quaternion."""


class AdapterError(IpcArticulationError):
    """A multibody engine's model cannot be coupled, or an adapter is unknown."""


class EngineError(IpcArticulationError):
    """An engine cannot be made, or cannot do what it was asked."""


class SolverError(IpcArticulationError):
    """The nonlinear solve failed: not finite, or not converged in strict mode."""


class DumpError(IpcArticulationError):
    """A dump of the engine's state cannot be used: missing, damaged, or of another scene."""


class MissingPackageError(IpcArticulationError):
    """An optional package is not installed; the message names the extra that brings it."""


class ViewingError(IpcArticulationError):
    """A recording cannot be shown as asked: a time outside it, a size, a file type, a machine without OpenGL."""


class SceneFileError(IpcArticulationError):
    """A scene file is wrong; carries the place.

    Args:
        message: What is wrong and what would be valid.
        file: The scene file.
        line: Line of the offending key or value, counted from 1.
        column: Column, counted from 1.
    """

    def __init__(self, message: str, file: str | Path, line: int | None = None, column: int | None = None) -> None:
        place = str(file) if line is None else f"{file}:{line}:{column}"
        super().__init__(f"{place}: {message}")
        self.file, self.line, self.column = Path(file), line, column
