"""One scene file run for every combination of some values: `sweep`."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal

from ipc_articulation.arguments import COUNT, FLAG, NUMBER, PATH, TEXT, checked, instance, optional
from ipc_articulation.cores import cores
from ipc_articulation.errors import SceneFileError, SweepError
from ipc_articulation.naming import suggest
from ipc_articulation.scenefile.document import Document
from ipc_articulation.scenefile.examples import scene_file
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.sweeps.case import Basis, Case, cases, combinations
from ipc_articulation.sweeps.contents import Contents
from ipc_articulation.sweeps.folder import SweepFolder
from ipc_articulation.sweeps.processes import in_processes
from ipc_articulation.sweeps.progress import progress
from ipc_articulation.sweeps.record import Record
from ipc_articulation.sweeps.table import make_table, require_table_packages, write_table
from ipc_articulation.sweeps.worker_process import Request

if TYPE_CHECKING:
    import pandas

DEFAULT_OUT = Path("out") / "sweeps"
KEEP = ("recordings", "summaries")

_TRIES = 20  # combinations read before the first run, to find mistakes that all of them share
_TABLE_EVERY = 10.0  # seconds between two tables of a sweep under way


@checked(
    SweepError,
    (),
    file=PATH,
    settings=instance(Mapping),
    ray=optional(TEXT),
    out=optional(PATH),
    engine=TEXT,
    steps=optional(COUNT),
    time_limit=optional(NUMBER),
    **dict.fromkeys(("retry_failed", "force", "quiet"), FLAG),
)
def sweep(
    file: str | Path,
    settings: Mapping[str, Iterable[Any]],
    *,
    workers: int | None = None,
    ray: str | None = None,
    out: str | Path | None = None,
    engine: str = "auto",
    steps: int | None = None,
    time_limit: float | None = None,
    keep: Literal["recordings", "summaries"] = "recordings",
    retry_failed: bool = False,
    force: bool = False,
    quiet: bool = False,
) -> pandas.DataFrame:
    """Run a scene file for every combination of values; finished runs in the same folder are not repeated.

    A run that fails, takes too long or ends its process is in the table with its error; the others continue.
    `OUT/NAME/` contains the table, `results.parquet`, and `runs/`, where every run has a record and a folder.

    Args:
        file: The scene file, or `example:NAME` for an installed one.
        settings: Values for dotted paths of its keys: `{"contact.friction": [0.1, 0.5], "seed": range(100)}`.
        workers: Number of processes on this machine, each with one thread; as many as there are cores by default.
        ray: Address of a Ray cluster that does the runs instead, such as "auto" or "10.0.0.1:6379".
        out: Folder of all sweeps; by default `out/sweeps`.
        engine: "cpu", "cuda", "none" or "auto".
        steps: Number of steps, instead of the file's.
        time_limit: Seconds after which a run is ended.
        keep: "summaries" keeps no recordings, only the numbers of the table.
        retry_failed: Repeat runs that failed before.
        force: Forget all earlier runs of this folder.
        quiet: Print no progress bar.

    Returns:
        The table, one row per run in the order of the product (the last key varies fastest); see `sweeps.table`.

    Raises:
        SweepError: The values, the folder or the cluster cannot be used; or a file of the scene changed meanwhile.
        SceneFileError: The scene cannot be read with any of the values.
        MissingPackageError: An extra is missing: `data`, or `cluster` for Ray.
        KeyboardInterrupt: It was stopped; the same call resumes it.
    """
    require_table_packages()
    _check_options(workers, ray, time_limit, keep)
    file, choices = scene_file(file), combinations(settings)
    contents = Contents(_readable(file, choices), settings)
    basis = Basis(file, contents.digest, engine, steps, keep)
    planned = cases(basis, choices)
    folder = SweepFolder(Path(DEFAULT_OUT if out is None else out) / file.stem)
    with folder.opened(basis, contents, force):
        records = folder.records(planned)
        missing = [case for case in planned if _is_missing(records.get(case.id), retry_failed)]
        requests = [_request(basis, case, folder) for case in missing]
        doing = _do(requests, workers, ray, time_limit, contents.require_unchanged)
        try:
            with progress(folder.path.name, len(planned), len(planned) - len(missing), quiet) as show:
                _collect(doing, folder, planned, records, show)
        finally:
            doing.close()
            table = _write(folder, planned, records)
    return table


def _check_options(workers: int | None, ray: str | None, time_limit: float | None, keep: str) -> None:
    """Raise an error for invalid options."""
    if ray is not None and workers is not None:
        raise SweepError("the runs are done by workers of this machine or by a Ray cluster: give one of the two")
    if workers is not None and workers < 1:
        raise SweepError(f"workers={workers}: it must be at least one")
    if time_limit is not None and not 0.0 < time_limit < float("inf"):
        raise SweepError(f"time_limit={time_limit}: it must be a number of seconds above 0, or None")
    if keep not in KEEP:
        raise SweepError(f"keep={keep!r} is unknown{suggest(keep, KEEP)}")


def _do(
    requests: list[Request], workers: int | None, address: str | None, limit: float | None, check: Callable[[], None]
) -> Generator[Record]:
    """Start the runs, on this machine or on the cluster at an address."""
    if address is not None:
        from ipc_articulation.sweeps.cluster import on_cluster

        return on_cluster(requests, address, limit, check)
    count = cores() if workers is None else workers
    return in_processes(requests, max(1, min(count, len(requests))), limit, check)


def _collect(
    doing: Iterator[Record],
    folder: SweepFolder,
    planned: list[Case],
    records: dict[str, Record],
    show: Callable[[Record], None],
) -> None:
    """Keep each record as it comes, and write the table now and then."""
    next_table = monotonic() + _TABLE_EVERY
    for record in doing:
        folder.write(record)
        records[record.id] = record
        show(record)
        if monotonic() > next_table:
            _write(folder, planned, records)
            next_table = monotonic() + _TABLE_EVERY


def _write(folder: SweepFolder, planned: list[Case], records: Mapping[str, Record]) -> pandas.DataFrame:
    table = make_table([records[case.id] for case in planned if case.id in records])
    write_table(table, folder.table)
    return table


def _readable(file: Path, choices: list[dict[str, Any]]) -> Document:
    """The document of the first combination that the scene file can be read with.

    Raises:
        SceneFileError: That of the first one, where none of some twenty all over the product can be read.
    """
    first: SceneFileError | None = None
    for choice in choices[:: max(1, len(choices) // _TRIES)]:
        try:
            return read_scene(file, choice)[1]
        except SceneFileError as error:
            first = first or error
    assert first is not None
    raise first


def _is_missing(record: Record | None, retry_failed: bool) -> bool:
    return record is None or (retry_failed and record.status != "done")


def _request(basis: Basis, case: Case, folder: SweepFolder) -> Request:
    """The request to a worker, see `worker.perform`; its paths are absolute, so the worker may start in any folder."""
    return {
        "id": case.id,
        "settings": case.settings,
        "file": str(basis.file.resolve()),
        "engine": basis.engine,
        "steps": basis.steps,
        "keep": basis.keep,
        "runs": str(folder.runs.resolve()),
    }
