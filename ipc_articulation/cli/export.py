"""`ipc-articulation export`."""

from __future__ import annotations

import argparse

from ipc_articulation.cli.arguments import add
from ipc_articulation.errors import ViewingError

_TABLES = ("joints", "poses", "steps", "contacts", "forces", "soft")
HELP = "write a run for Blender, spreadsheets and other programs"
DESCRIPTION = """\
Write the bodies of a run and their motion as one animated glTF file (.glb), one USD file, or a sequence
of OBJ files; or its numbers as CSV files, one a table: joints, poses, contacts, forces, steps. Of a
sweep's folder csv writes the table of its runs."""
EXAMPLES = """\
examples:
  ipc-articulation export out/panda_push --format gltf
  ipc-articulation export out/panda_push --format usd --every 1 --out panda_push.usda
  ipc-articulation export out/panda_push --format obj --fps 24
  ipc-articulation export out/panda_push --format csv --table joints --table contacts
  ipc-articulation export out/sweeps/pendulum --format csv
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add(parser, "folder", "--environment")
    parser.add_argument("--format", choices=("gltf", "usd", "obj", "csv"), required=True, help="what to write")
    tables = "of csv: only this table (default: all but soft); can be repeated"
    parser.add_argument("--table", choices=_TABLES, action="append", default=[], dest="tables", help=tables)
    add(parser, "--out", metavar="PATH", help="the file, or the folder of OBJ or CSV files (default: in OUT/NAME)")
    add(parser, "--colours", "--show", "--fps", "--every")
    add(parser, "--quiet", help="no progress bar; print nothing")


def execute(options: argparse.Namespace) -> None:
    """Execute the command."""
    if options.tables and options.format != "csv":
        raise ViewingError(f"--table chooses tables of --format csv; {options.format} has none")
    from ipc_articulation.sweeps.finished import is_sweep

    of_run = _tables if options.format == "csv" else _film
    done = (_sweep if is_sweep(options.folder) else of_run)(options)
    if not options.quiet:
        print(*done, sep="\n")


def _film(options: argparse.Namespace) -> list[str]:
    from ipc_articulation.progress import progress
    from ipc_articulation.recording import read_recording
    from ipc_articulation.recording.environments import looked_at
    from ipc_articulation.viewing.exporting import export
    from ipc_articulation.viewing.moments import film_rows

    recording = looked_at(read_recording(options.folder), options.environment)
    rows = film_rows(recording, options.fps, options.every)
    with progress(options.format, len(rows), options.quiet) as show:
        shown = options.colours, show, options.show
        return [export(recording, options.format, options.out, options.folder, rows, *shown)]


def _tables(options: argparse.Namespace) -> list[str]:
    from ipc_articulation.progress import progress
    from ipc_articulation.recording.recording import salvaged
    from ipc_articulation.viewing.exporting.tables import USUAL, write_tables

    recording, tables = salvaged(options.folder), options.tables or USUAL
    out, every = options.out or options.folder / "csv", options.every or 1
    with progress("csv", recording.rows * len(tables), options.quiet) as show:
        return write_tables(recording, out, tables, every, options.environment, show)


def _sweep(options: argparse.Namespace) -> list[str]:
    from ipc_articulation.sweeps.finished import finished
    from ipc_articulation.viewing.writing import writing

    if options.format != "csv" or options.tables:
        raise ViewingError(f"{options.folder} is a sweep: --format csv writes its one table; else give one of its runs")
    runs = finished(options.folder)
    file = options.out or options.folder / "results.csv"
    with writing(file):
        runs.table.to_csv(file, index=False)
    return [f"{file}: {len(runs.table)} runs", *runs.notes]
