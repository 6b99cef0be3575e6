"""Builds the wheel with machine code for any x86-64-v3 processor: `python tools/build_wheel.py dist`.

What scenes of each kind call is compiled in a fresh copy of the checkout's tracked files, by the numba and the Python
that run this: the wheel is for these alone, and elsewhere compiles as a checkout does. On Windows the recipe is the
same; it has not been tried there.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory

from ipc_articulation.machine_code import KIND, MADE_FOR, OF_WHEEL
from ipc_articulation.warming import KINDS

ROOT = Path(__file__).parents[1]


def build(dist: Path) -> Path:
    """Build the wheel into a folder, and return its file."""
    with TemporaryDirectory() as folder:
        source, code = Path(folder) / "source", Path(folder) / "code"
        copy_tracked(source)
        compile_into(code)
        gather(code, source / "ipc_articulation" / OF_WHEEL.name)
        tags = f"--python-tag=cp{sys.version_info.major}{sys.version_info.minor}", f"--plat-name={platform()}"
        options = [f"-C--build-option={tag}" for tag in tags]
        run("-m", "build", "--wheel", "--outdir", str(Path(folder) / "dist"), *options, str(source))
        (wheel,) = (Path(folder) / "dist").glob("*.whl")
        dist.mkdir(parents=True, exist_ok=True)
        return Path(shutil.move(wheel, dist / wheel.name))


def copy_tracked(source: Path) -> None:
    """Copy what belongs to the checkout."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)


def compile_into(code: Path) -> None:
    """Compile what the list of entrances has, on all cores, then what its scenes call besides."""
    here = {"NUMBA_CPU_NAME": KIND, "NUMBA_CPU_FEATURES": "", "NUMBA_CACHE_DIR": str(code)}
    run("-m", "ipc_articulation", "warm", **here)
    for kind in KINDS:
        run("-m", "ipc_articulation.warming.record", kind, quiet=True, **here)


def gather(code: Path, into: Path) -> None:
    """Put all machine code into one folder; names tell it apart."""
    into.mkdir()
    for file in code.rglob("*.nbc"):
        shutil.copy(file, into / file.name)
    (into / "made_for.txt").write_text(f"{MADE_FOR}\n", encoding="utf-8")


def run(*arguments: str, quiet: bool = False, **environment: str) -> None:
    """Run a program of Python."""
    output = subprocess.DEVNULL if quiet else None
    subprocess.run([sys.executable, *arguments], cwd=ROOT, env={**os.environ, **environment}, stdout=output, check=True)


def platform() -> str:
    """The tag of this platform; machine code of numba needs no library of the system's."""
    return sysconfig.get_platform().replace("-", "_").replace("linux_", "manylinux_2_17_")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dist", type=Path, nargs="?", default=ROOT / "dist", help="folder for the wheel (dist)")
    wheel = build(parser.parse_args().dist)
    print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB")
