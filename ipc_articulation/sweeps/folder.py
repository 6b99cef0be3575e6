"""The folder of a sweep, OUT/NAME/:

    sweep.json          which scene the runs are of: format version, digests of its files, engine, steps
    runs/NAME.json      the record of a finished run: the truth, written in one piece
    runs/NAME/          its recording
    results.parquet     the table, made from the records

A kill at any moment leaves every record that was written, so that the sweep can be resumed.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ipc_articulation.errors import SweepError
from ipc_articulation.recording.claim import claimed
from ipc_articulation.sweeps.case import Basis, Case
from ipc_articulation.sweeps.contents import Contents
from ipc_articulation.sweeps.record import RUNS, Record, read_record, write_whole

VERSION = 2  # 1 named runs by their ids alone
ABOUT = "sweep.json"


class SweepFolder:
    """The folder of a sweep: its description and the records of finished runs.

    Args:
        path: OUT/NAME.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.runs, self.table = path, path / RUNS, path / "results.parquet"
        self._about = path / ABOUT

    @contextmanager
    def opened(self, basis: Basis, contents: Contents, force: bool) -> Iterator[None]:
        """Begin or resume a sweep; other processes are locked out.

        Args:
            basis: What its runs have in common.
            contents: Files of its scene.
            force: Forget all earlier runs.

        Raises:
            SweepError: Another process works here; or the folder holds something else, or runs of another scene.
        """
        with claimed(self.path, SweepError, "--out"):
            try:
                self._settle(basis, contents, force)
            except OSError as error:
                raise SweepError(f"cannot work in {self.path}: {error.strerror}; choose another --out") from error
            yield

    def records(self, cases: list[Case]) -> dict[str, Record]:
        """Records of the finished ones among these cases, by id.

        Raises:
            SweepError: A record is damaged.
        """
        files = {case.id: self._file(case.name) for case in cases}
        return {id: read_record(file) for id, file in files.items() if file.exists()}

    def write(self, record: Record) -> None:
        """Keep a record; a kill leaves it whole or not there at all.

        Raises:
            SweepError: It cannot be written, as on a full disk.
        """
        _write_json(self._file(record.name), asdict(record))

    def _file(self, name: str) -> Path:
        return self.runs / f"{name}.json"

    def _settle(self, basis: Basis, contents: Contents, force: bool) -> None:
        """Make the folder one of this very sweep."""
        if not self._about.exists() and any(path.name != ".lock" for path in self.path.iterdir()):
            raise SweepError(f"{self.path} is not the folder of a sweep; choose another --out")
        about = {"version": VERSION, "engine": basis.engine, "steps": basis.steps, "files": contents.digests}
        if self._about.exists() and not force:
            self._compare(about)
        elif self.runs.exists():
            shutil.rmtree(self.runs)
            self.table.unlink(missing_ok=True)
        self.runs.mkdir(exist_ok=True)
        _write_json(self._about, about)

    def _compare(self, about: dict[str, Any]) -> None:
        """Raise an error about the first difference between the new sweep and the earlier one in this folder."""
        try:
            before = json.loads(self._about.read_text(encoding="utf-8"))
            version, files = before["version"], dict(before["files"])
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise SweepError(f"{self._about} is damaged: {error!r}; --force starts again") from error
        if version != VERSION:
            raise SweepError(f"{self._about} has format version {version}, and this program knows {VERSION}; {_CHOICE}")
        for path in sorted({*files, *about["files"]}):
            if path not in files or path not in about["files"]:
                raise SweepError(f"the runs in {self.path} and this sweep do not both name {path}; {_CHOICE}")
            if files[path] != about["files"][path]:
                raise SweepError(f"{path} has changed since the runs in {self.path}; {_CHOICE}")
        for key in ("engine", "steps"):
            if before.get(key) != about[key]:
                raise SweepError(f"the runs in {self.path} have {key} {before.get(key)}, not {about[key]}; {_CHOICE}")


_CHOICE = "choose another --out, or start again with --force"


def _write_json(file: Path, content: dict[str, Any]) -> None:
    write_whole(file, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())
