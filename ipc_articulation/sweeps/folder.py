"""The folder of a sweep, OUT/NAME/:

    sweep.json          which scene the runs are of: format version, digests of its files, engine, steps
    runs/ID.json        the record of a finished run: the truth, written in one piece
    runs/ID/            its recording
    results.parquet     the table, made from the records

A kill at any moment leaves every record that was written, so that the sweep can be resumed.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from ipc_articulation.errors import SweepError
from ipc_articulation.sweeps.case import Basis, Case
from ipc_articulation.sweeps.contents import Contents
from ipc_articulation.sweeps.record import Record

VERSION = 1


class SweepFolder:
    """Where a sweep keeps what it has.

    Args:
        path: OUT/NAME.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.runs, self.table = path, path / "runs", path / "results.parquet"
        self._about = path / "sweep.json"

    @contextmanager
    def opened(self, basis: Basis, contents: Contents, force: bool) -> Iterator[None]:
        """Begin or resume a sweep; other processes are locked out.

        Args:
            basis: What its runs share.
            contents: Files of its scene.
            force: Forget all earlier runs.

        Raises:
            SweepError: Another process works here; or the folder holds something else, or runs of another scene.
        """
        if self.path.exists() and any(self.path.iterdir()) and not self._about.exists():
            raise SweepError(f"{self.path} holds something else than a sweep; choose another --out")
        self.path.mkdir(parents=True, exist_ok=True)
        try:
            with FileLock(self.path / ".lock", blocking=False):
                self._settle(basis, contents, force)
                yield
        except Timeout as error:
            raise SweepError(f"another process runs a sweep in {self.path}; wait for it, or choose --out") from error

    def records(self, cases: list[Case]) -> dict[str, Record]:
        """What is finished of these cases, by id.

        Raises:
            SweepError: A record is damaged.
        """
        return {case.id: self._read(case) for case in cases if self._file(case.id).exists()}

    def write(self, record: Record) -> None:
        """Keep a record; a kill leaves it whole or not there at all.

        Raises:
            SweepError: It cannot be written, as on a full disk.
        """
        write_whole(self._file(record.id), json.dumps(asdict(record), indent=1, ensure_ascii=False) + "\n")

    def _file(self, id: str) -> Path:
        return self.runs / f"{id}.json"

    def _read(self, case: Case) -> Record:
        file = self._file(case.id)
        try:
            return Record(**json.loads(file.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError) as error:
            raise SweepError(f"{file} is damaged; remove it to repeat that run: {error}") from error

    def _settle(self, basis: Basis, contents: Contents, force: bool) -> None:
        """Make the folder one of this very sweep."""
        about = {"version": VERSION, "engine": basis.engine, "steps": basis.steps, "files": contents.digests}
        if self._about.exists() and not force:
            self._compare(about)
        elif self.runs.exists():
            shutil.rmtree(self.runs)
            self.table.unlink(missing_ok=True)
        self.runs.mkdir(exist_ok=True)
        write_whole(self._about, json.dumps(about, indent=1, ensure_ascii=False) + "\n")

    def _compare(self, about: dict[str, Any]) -> None:
        """Raise the first difference of what is to run from what has run here."""
        try:
            before = json.loads(self._about.read_text(encoding="utf-8"))
            version, files = before["version"], before["files"]
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise SweepError(f"{self._about} is damaged: {error!r}; --force starts again") from error
        if version != VERSION:
            raise SweepError(f"{self._about} has format version {version}, and this program knows {VERSION}")
        for path in sorted({*files, *about["files"]}):
            if path not in files or path not in about["files"]:
                raise SweepError(f"the runs in {self.path} and this sweep do not both name {path}; {_CHOICE}")
            if files[path] != about["files"][path]:
                raise SweepError(f"{path} has changed since the runs in {self.path}; {_CHOICE}")
        for key in ("engine", "steps"):
            if before.get(key) != about[key]:
                raise SweepError(f"the runs in {self.path} have {key} {before.get(key)}, not {about[key]}; {_CHOICE}")


_CHOICE = "choose another --out, or start again with --force"


def write_whole(file: Path, text: str) -> None:
    """Put a file in its place in one piece."""
    draft = file.with_name(f".{file.name}")
    try:
        with draft.open("w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(draft, file)
    except OSError as error:
        raise SweepError(f"cannot write {file}: {error.strerror}; what was finished before is kept") from error
