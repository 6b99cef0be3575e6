"""`ipc-articulation check`."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ipc_articulation.cli.arguments import add, scene_file

if TYPE_CHECKING:
    from ipc_articulation.checking import Report
    from ipc_articulation.errors import Fault

HELP = "report errors and risks in scene files"
DESCRIPTION = """\
Check scene files and the files they name: every error with its line and column, and warnings of values that run, but
are probably not intended. Takes no step, and runs no Python code that a scene names."""
EXAMPLES = """\
examples:
  ipc-articulation check scenes/*.yaml
  ipc-articulation check scene.yaml --set contact.d_hat=1e-4 --strict
  ipc-articulation check scene.yaml --json
  ipc-articulation check --schema > scene.schema.json
"""
CLEAN, WRONG = 0, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("files", metavar="FILE", nargs="*", type=scene_file, help="scene files (YAML), or example:NAME")
    add(parser, "--set")
    add(parser, "--json", help="print a JSON list of reports, one per file")
    text = "what is otherwise a warning counts as an error: exit status 2"
    parser.add_argument("--strict", dest="refuse_warnings", action="store_true", help=text)
    parser.add_argument("--schema", action="store_true", help="print the JSON schema of scene files, for editors")


def execute(options: argparse.Namespace) -> int | None:
    """Execute the command.

    Returns:
        The exit status.
    """
    if options.schema and options.files:
        print("ipc-articulation check: give FILE or --schema, not both", file=sys.stderr)
        return WRONG
    if options.schema:
        from ipc_articulation.scenefile.json_schema import SCHEMA_FILE

        print(SCHEMA_FILE.read_text(encoding="utf-8"), end="")
        return CLEAN
    if not options.files:
        print("ipc-articulation check: name at least one FILE, or give --schema", file=sys.stderr)
        return WRONG
    from ipc_articulation.checking import check_file
    from ipc_articulation.scenefile.settings import parse_setting

    settings = dict(parse_setting(text) for text in options.settings)
    reports = [check_file(file, settings) for file in options.files]
    if options.json:
        print(json.dumps([_as_data(report) for report in reports], indent=2))
    else:
        for report in reports:
            _print(report)
    wrong = any(report.errors or (options.refuse_warnings and report.warnings) for report in reports)
    return WRONG if wrong else CLEAN


def _print(report: Report) -> None:
    for kind, faults in (("error", report.errors), ("warning", report.warnings)):
        for fault in faults:
            place, message = str(fault).removesuffix(fault.message), fault.message
            print(f"{place}{kind}: {message}")
    print(f"{report.file}: {_count(len(report.errors), 'error')}, {_count(len(report.warnings), 'warning')}")


def _count(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"


def _as_data(report: Report) -> dict[str, Any]:
    errors, warnings = ([_placed(fault) for fault in faults] for faults in (report.errors, report.warnings))
    return {"file": str(report.file), "errors": errors, "warnings": warnings}


def _placed(fault: Fault) -> dict[str, Any]:
    return {**asdict(fault), "file": str(fault.file), "setting": fault.setting or None}
