#!/usr/bin/env bash
# An empty <dynamics/> makes a whole robot unreadable for Pinocchio and DART.
#
# URDF: <dynamics> is optional, and so are its damping and its friction, which default to 0, so <dynamics/> says nothing. Seen:
# Pinocchio 4.1.0 and DART 6.20.0, both by the parser urdfdom that they bundle, refuse the file («joint dynamics element
# specified with no damping and no friction»); MuJoCo 4.0.0 and Drake 1.51.1 read it.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check pin==4.1.0 dartpy==6.20.0 mujoco==4.0.0 drake==1.51.1
"$place/venv/bin/python" - "$place/door.urdf" <<'PYTHON'
import sys
from pathlib import Path

import dartpy
import mujoco
import pinocchio
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant

BODY = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


def pin(path):
    try:
        return pinocchio.buildModelFromUrdf(path).nv == 1
    except ValueError:
        return False


def drake(path):
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModels(path)
    return plant.HasJointNamed("hinge")


READERS = {"Pinocchio": pin, "DART": lambda path: dartpy.utils.DartLoader().parseSkeleton(path) is not None,
           "MuJoCo": lambda path: mujoco.MjModel.from_xml_path(path).nv == 1, "Drake": drake}


def read(dynamics):
    Path(sys.argv[1]).write_text(f"""<robot name="door"><link name="frame">{BODY}</link><link name="door">{BODY}</link>
      <joint name="hinge" type="continuous"><parent link="frame"/><child link="door"/><axis xyz="0 0 1"/>{dynamics}</joint></robot>""")
    found = {name: bool(reader(sys.argv[1])) for name, reader in READERS.items()}
    print(dynamics, found, flush=True)
    return found


for good in ("", '<dynamics damping="0"/>', '<dynamics friction="0"/>'):
    assert all(read(good).values()), "a good file is refused"
assert read("<dynamics/>") == {"Pinocchio": False, "DART": False, "MuJoCo": True, "Drake": True}, "it is read otherwise now"
PYTHON
echo "as described"
