"""`ipc-articulation doctor`."""

from __future__ import annotations

import argparse

HELP = "report what is installed, what works, and what to do"
DESCRIPTION = """\
Examine packages, engines, optional parts, pictures, browser, compiled code and disk; report for each whether it is OK,
missing or broken, and what to do about it. A step is taken on every engine, which compiles on a machine's first run."""
EXAMPLES = """\
examples:
  ipc-articulation doctor
  ipc-articulation doctor --json

exit status 1: not even the CPU engine works
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--json", action="store_true", help="a list of objects: name, state, text, advice")


def execute(options: argparse.Namespace) -> int | None:
    """Execute the command.

    Returns:
        None if the CPU engine works, otherwise 1.
    """
    import sys
    from dataclasses import asdict

    from ipc_articulation.doctor import examine, works

    if not options.json and sys.stderr is not None and sys.stderr.isatty():
        print(
            "taking a step on every engine: half a minute, one to two minutes on a machine's first run", file=sys.stderr
        )
    findings = []
    for finding in examine():
        findings.append(finding)
        if not options.json:
            print(f"{finding.state:<8}{finding.name:<17} {finding.text}", flush=True)
            if finding.advice:
                print(f"{'':<25} -> {finding.advice}")
    if options.json:
        import json

        print(json.dumps([asdict(finding) for finding in findings], indent=2))
    return None if works(findings) else 1
