#!/usr/bin/env bash
# Whether Pinocchio loads a robot with a mimic joint depends on how its joints are called.
#
# A URDF file is a graph, and its names are free. The two jaws of a gripper hang on the same palm, and the leader is the first in
# the file. Seen with pin 4.1.0 and mimic=True: links and joints are added by the alphabet, so the gripper loads where the
# leader's name comes first and is refused where the follower's does, with «The parent joint of the mimic joint is not in the
# kinematic tree», though it is. A real robot's «right_finger» may thus not lead its «left_finger».
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check pin==4.1.0
"$place/venv/bin/python" - <<'PYTHON'
import pinocchio

JAW = """<link name="{0}_jaw"><inertial><mass value="1"/>
  <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="{0}_finger" type="prismatic"><parent link="palm"/><child link="{0}_jaw"/><axis xyz="0 1 0"/>
  <limit lower="0" upper="1" effort="1" velocity="1"/>{1}</joint>"""


def load(leader, follower):
    mimic = f'<mimic joint="{leader}_finger"/>'
    text = f'<robot name="gripper"><link name="palm"/>{JAW.format(leader, "")}{JAW.format(follower, mimic)}</robot>'
    try:
        model = pinocchio.buildModelFromXML(text, mimic=True)
    except ValueError as error:
        return str(error)
    return [model.names[k] for k in range(1, model.njoints)], model.nv


first, second = load("left", "right"), load("right", "left")
print("left leads: ", first)
print("right leads:", second)
assert first == (["left_finger", "right_finger"], 1), "the first gripper is read otherwise now"
assert "not in the kinematic tree" in second, "the second gripper is read now"
PYTHON
echo "as described"
