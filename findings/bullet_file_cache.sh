#!/usr/bin/env bash
# PyBullet loads a URDF file as it was the first time, even where the file has changed since.
#
# A program that writes variants of a robot to one file, and loads each, gets the first one every time. Seen with pybullet 3.2.7:
# neither removing the body nor resetSimulation forgets the file's text. A new connection does, and so do another name and
# setPhysicsEngineParameter(enableFileCaching=0).
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check pybullet==3.2.7 numpy==2.4.6
"$place/venv/bin/python" - "$place" <<'PYTHON'
import sys
from pathlib import Path

import pybullet

path = Path(sys.argv[1]) / "ball.urdf"


def mass(kilograms, name=path):
    name.write_text(f"""<robot name="ball"><link name="ball"><inertial><mass value="{kilograms}"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>""")
    body = pybullet.loadURDF(str(name))
    found = pybullet.getDynamicsInfo(body, -1)[0]
    pybullet.removeBody(body)
    return found


pybullet.connect(pybullet.DIRECT)
first = mass(1)
again = mass(2)
pybullet.resetSimulation()
reset = mass(3)
pybullet.disconnect()
pybullet.connect(pybullet.DIRECT)
anew = mass(4)
other = mass(5, path.with_name("other.urdf"))
pybullet.setPhysicsEngineParameter(enableFileCaching=0)
uncached = mass(6)
print("written 1, 2, 3, 4, 5, 6; loaded", first, again, reset, anew, other, uncached)
assert (first, anew, other, uncached) == (1.0, 4.0, 5.0, 6.0), "the files are read otherwise now"
assert (again, reset) == (1.0, 1.0), "a changed file is read again now"
PYTHON
echo "as described"
