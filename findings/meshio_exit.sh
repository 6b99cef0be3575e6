#!/usr/bin/env bash
# meshio ends the calling program where it cannot read a mesh file: `except Exception` does not catch that.
#
# OFF files may have faces of any number of corners; this one is a square. Seen with meshio 5.3.5: its reader knows triangles
# only, as its message says, but `meshio.read` then calls sys.exit(1) rather than raising its ReadError, so a program that goes
# through a folder and skips what is not readable ends without a traceback.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check meshio==5.3.5
"$place/venv/bin/python" - "$place" <<'PYTHON'
import sys
from pathlib import Path

import meshio

path = Path(sys.argv[1]) / "square.off"
path.write_text("OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n")
caught = None
try:
    try:
        meshio.read(path)
    except Exception as error:  # noqa: BLE001
        caught = error
except SystemExit as error:
    print("meshio", meshio.__version__, "calls sys.exit with", error.code)
    assert error.code == 1, "another exit status"
else:
    raise AssertionError(f"the file is read, or the error is one that can be caught, now: {caught!r}")
PYTHON
echo "as described"
