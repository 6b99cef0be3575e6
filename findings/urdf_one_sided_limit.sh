#!/usr/bin/env bash
# One joint's <limit> means three things to three readers, where it leaves out lower or upper.
#
# URDF 1.0: lower and upper of a revolute joint are optional and default to 0. A hinge with upper="1" alone moves from 0 to 1,
# one with neither is held at 0. Seen: Pinocchio 4.1.0 does so; MuJoCo 4.0.0 has no limit in either case, though it stores the
# range of the first; Drake 1.51.1 takes minus infinity to 1 for the first and no limit for the second.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check pin==4.1.0 mujoco==4.0.0 drake==1.51.1
"$place/venv/bin/python" - <<'PYTHON'
import mujoco
import numpy as np
import pinocchio
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant

BODY = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


def ranges(limit):
    urdf = f"""<robot name="door"><link name="frame">{BODY}</link><link name="door">{BODY}</link>
      <joint name="hinge" type="revolute"><parent link="frame"/><child link="door"/><axis xyz="0 0 1"/>
      <limit {limit} effort="1" velocity="1"/></joint></robot>"""
    one = pinocchio.buildModelFromXML(urdf)
    two = mujoco.MjModel.from_xml_string(urdf)
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModelsFromString(urdf, "urdf")
    hinge = plant.GetJointByName("hinge")
    mine = [-np.inf, np.inf] if not two.jnt_limited[0] else list(map(float, two.jnt_range[0]))
    print(f"limit {limit or 'of neither'}: MuJoCo's stored range is {two.jnt_range[0]}, limited: {bool(two.jnt_limited[0])}")
    return [[float(one.lowerPositionLimit[0]), float(one.upperPositionLimit[0])], mine,
            [float(hinge.position_lower_limits()[0]), float(hinge.position_upper_limits()[0])]]


both, upper, neither = ranges('lower="-1" upper="1"'), ranges('upper="1"'), ranges("")
for what, found in (("both", both), ("upper alone", upper), ("neither", neither)):
    print(what, dict(zip(("Pinocchio", "MuJoCo", "Drake"), found)))
free = [-np.inf, np.inf]
assert both == [[-1.0, 1.0]] * 3, "they differ even with both"
assert upper == [[0.0, 1.0], free, [-np.inf, 1.0]], "upper alone is read otherwise now"
assert neither == [[0.0, 0.0], free, free], "a limit of neither is read otherwise now"
PYTHON
echo "as described"
