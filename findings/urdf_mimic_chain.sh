#!/usr/bin/env bash
# Three URDF readers do not follow a mimic joint that mimics a mimic joint, each in its own way.
#
# URDF: a joint with <mimic> has multiplier x the other joint's value + offset; nothing says that the other may not mimic one in
# turn, as the last link of a finger does the middle one. Here b = 2 a and c = 3 b + 0.1, so a = 0.1 gives c = 0.7. Seen: urchin
# 0.0.30 takes c as 0 without a message; yourdfpy 0.0.60 takes it as its offset, 0.1, and warns; Pinocchio 4.1.0 refuses the file.
# MuJoCo 4.0.0 couples both (as soft constraints).
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check urchin==0.0.30 yourdfpy==0.0.60 pin==4.1.0 mujoco==4.0.0
"$place/venv/bin/python" - "$place/finger.urdf" <<'PYTHON'
import sys

import mujoco
import numpy as np
import pinocchio
import urchin
import yourdfpy

text = '<robot name="finger"><link name="l0"/>'
for k, (name, mimic) in enumerate({"a": "", "b": '<mimic joint="a" multiplier="2"/>',
                                   "c": '<mimic joint="b" multiplier="3" offset="0.1"/>'}.items()):
    text += f"""<link name="l{k + 1}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
      </inertial></link><joint name="{name}" type="revolute"><parent link="l{k}"/><child link="l{k + 1}"/><axis xyz="0 0 1"/>
      <limit lower="-1" upper="1" effort="1" velocity="1"/>{mimic}</joint>"""
open(sys.argv[1], "w").write(text + "</robot>")


def turn(before, after):
    """the angle about z from one frame to the next"""
    between = np.linalg.inv(before) @ after
    return round(float(np.arctan2(between[1, 0], between[0, 0])), 6)


robot = yourdfpy.URDF.load(sys.argv[1])
robot.update_cfg([0.1])
second = [turn(robot.get_transform(f"l{k}"), robot.get_transform(f"l{k + 1}")) for k in range(3)]
frames = {link.name: frame for link, frame in urchin.URDF.load(sys.argv[1]).link_fk(cfg={"a": 0.1}).items()}
first = [turn(frames[f"l{k}"], frames[f"l{k + 1}"]) for k in range(3)]
try:
    third = str(pinocchio.buildModelFromUrdf(sys.argv[1], mimic=True).nv)
except ValueError:
    third = "refused"
print("urchin", first, "yourdfpy", second, "Pinocchio", third)
assert first == [0.1, 0.2, 0.0], "urchin follows the chain otherwise now"
assert second == [0.1, 0.2, 0.1], "yourdfpy follows the chain otherwise now"
assert third == "refused", "Pinocchio reads the chain now"
assert mujoco.MjModel.from_xml_path(sys.argv[1]).neq == 2, "MuJoCo reads the chain otherwise now"
PYTHON
echo "as described"
