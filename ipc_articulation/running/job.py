"""The input of a run, kept beside its results as `run.json`, so that the run can be resumed.

{"format": "ipc_articulation run", "version": 1, "file": …, "settings": {…}, "engine": …, "steps": …,
 "scene": the checked file's content, "files": {path: SHA-256 of robots, meshes and tables of numbers},
 "checksum": …}
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ipc_articulation.errors import OutputError
from ipc_articulation.recording.layout import is_sealed, sealed
from ipc_articulation.scenefile.document import Document
from ipc_articulation.scenefile.reading import AnyScene, read_scene

RUN_FILE = "run.json"
_FORMAT, _VERSION = "ipc_articulation run", 1


@dataclass(frozen=True)
class Job:
    """One run of a scene file."""

    file: str  # the scene file, absolute
    settings: dict[str, Any]  # put over its values
    engine: str  # "cpu", "cuda" or "none": the one that runs it, never "auto"
    steps: int
    scene: dict[str, Any]  # content of the scene file and of those it includes, settings put over it
    files: dict[str, str]  # SHA-256 of the files that the scene names, by path

    @classmethod
    def of(cls, scene: AnyScene, document: Document, engine: str, steps: int) -> Job:
        """The run of a scene that was read."""
        content = json.loads(json.dumps(document.data))  # tuples become lists
        digests = {str(path): _digest(path) for path in sorted(set(_paths(scene.model_dump())))}
        return cls(str(document.file.resolve()), document.settings, engine, steps, content, digests)

    def write(self, folder: Path) -> None:
        """Write `run.json`; it is there whole or not at all.

        Raises:
            OutputError: It cannot be written.
        """
        text = json.dumps(sealed({"format": _FORMAT, "version": _VERSION, **asdict(self)}), indent=1)
        draft = folder / f".{RUN_FILE}"
        try:
            draft.write_text(text, encoding="utf-8")
            draft.replace(folder / RUN_FILE)
        except OSError as error:
            raise OutputError(f"{folder / RUN_FILE} cannot be written: {error.strerror}") from error

    def read_scene(self) -> tuple[AnyScene, Document]:
        """The scene, as it was when the run began.

        Raises:
            OutputError: The scene file is gone, or says something else now; or a file that it names does.
            SceneFileError: It is wrong now.
        """
        if not Path(self.file).is_file():
            raise OutputError(f"the run's scene file {self.file} is missing; restore it to resume")
        scene, document = read_scene(self.file, self.settings)
        now = Job.of(scene, document, self.engine, self.steps)
        if changed := sorted(key for key in {*self.scene, *now.scene} if self.scene.get(key) != now.scene.get(key)):
            raise OutputError(
                f"scene file {self.file} was changed since the run began, at {', '.join(map(repr, changed))}; "
                "restore it to resume, or start a new run"
            )
        if changed := sorted(path for path in self.files if self.files[path] != now.files.get(path)):
            raise OutputError(f"{changed[0]} was changed since the run began; restore it to resume, or start a new run")
        return scene, document


def read_job(folder: Path) -> Job:
    """Read the run of a folder.

    Raises:
        OutputError: It holds none, one of a newer version, or its `run.json` is damaged.
    """
    file = folder / RUN_FILE
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise OutputError(f"{folder} holds no run: {RUN_FILE} is missing; give the folder OUT/NAME of a run") from error
    except (OSError, ValueError) as error:
        raise OutputError(f"{file} cannot be read: {error}") from error
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise OutputError(f"{file} is not of a run: its 'format' is not '{_FORMAT}'")
    if content.get("version") != _VERSION:
        raise OutputError(f"{file} is of format version {content.get('version')}, this reads {_VERSION}")
    if not is_sealed(content):
        raise OutputError(f"{file} is damaged: its content does not have the checksum that it names")
    return Job(**{key: content[key] for key in Job.__dataclass_fields__})


def _paths(value: Any) -> Iterator[Path]:
    """Every path in nested values."""
    if isinstance(value, Path):
        yield value
    elif isinstance(value, Mapping):
        for child in value.values():
            yield from _paths(child)
    elif isinstance(value, list | tuple):
        for child in value:
            yield from _paths(child)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
