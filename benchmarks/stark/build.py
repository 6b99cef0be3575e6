"""Builds the program that runs scenes with STARK: `python -m benchmarks.stark.build`, after `tools/fetch_stark.py`.

It needs CMake and a C++20 compiler, and takes some minutes on one core. STARK compiles the derivatives of its energies
when they are first used; a small scene at the end makes it do so, so that no benchmark has to wait for it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE, FOLDER = ROOT / "models" / "stark", ROOT / "models" / "stark_build"
PROGRAM = FOLDER / "peer"


def main() -> None:
    """Build it.

    Raises:
        SystemExit: The source, CMake or a compiler is missing, or building fails.
    """
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    parser.add_argument("--jobs", type=int, default=cores, help=f"files compiled at the same time (default: {cores})")
    jobs = parser.parse_args().jobs
    if not (SOURCE / "stark").is_dir():
        raise SystemExit(f"there is no {SOURCE}; `python tools/fetch_stark.py` fetches it")
    if shutil.which("cmake") is None:
        raise SystemExit("cmake is not installed; install it, for instance with your system's package manager")
    here, source, folder = (str(path.resolve()) for path in (Path(__file__).parent, SOURCE, FOLDER))
    _run(["cmake", "-S", here, "-B", folder, f"-DSTARK_SOURCE={source}", "-DCMAKE_BUILD_TYPE=Release"])
    _run(["cmake", "--build", folder, "--target", "peer", "--parallel", str(jobs)])
    print("STARK compiles the derivatives of its energies; this takes minutes, once", flush=True)
    warm_up()
    print(PROGRAM)


def why_not() -> str | None:
    """Why STARK cannot run here; None if it can."""
    if PROGRAM.is_file():
        return None
    return "STARK is not built: run `python tools/fetch_stark.py`, then `python -m benchmarks.stark.build`"


def warm_up() -> None:
    """Run scenes that use every energy of the benchmark."""
    from benchmarks.stark.cases import cases
    from benchmarks.stark.running import run_stark
    from benchmarks.stark.soft_cases import soft_cases

    for case in [*cases(quick=True), *soft_cases(quick=True)]:
        run_stark(case, 1)


def _run(command: list[str]) -> None:
    if subprocess.run(command, check=False).returncode:
        raise SystemExit(f"this command failed: {' '.join(command)}")


if __name__ == "__main__":
    main()
