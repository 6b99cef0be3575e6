#!/usr/bin/env bash
# Pinocchio's model of a mimic joint forgets the follower's limits, effort, damping and friction.
#
# URDF: the follower turns by multiplier x leader + offset. Here it turns twice as far, and may turn by half a radian, so the
# leader may turn by a quarter; and the follower's damping of 3 brakes the leader by 2 x 2 x 3 = 12 besides its own 0.5.
# Seen with pin 4.1.0 and mimic=True: one freedom, as wished, with the leader's own numbers only, so a sample of the
# configurations within the limits puts the follower far beyond its own. Without mimic=True they are read.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check pin==4.1.0
cat > "$place/gripper.urdf" <<'URDF'
<robot name="gripper">
  <link name="palm"/>
  <link name="left">
    <inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
  </link>
  <link name="right">
    <inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
  </link>
  <joint name="a_lead" type="revolute"><parent link="palm"/><child link="left"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="9" velocity="9"/><dynamics damping="0.5" friction="0.2"/></joint>
  <joint name="b_follow" type="revolute"><parent link="palm"/><child link="right"/><axis xyz="0 0 1"/>
    <limit lower="-0.5" upper="0.5" effort="4" velocity="4"/><dynamics damping="3" friction="0.7"/>
    <mimic joint="a_lead" multiplier="2"/></joint>
</robot>
URDF
"$place/venv/bin/python" - "$place/gripper.urdf" <<'PYTHON'
import sys

import numpy as np
import pinocchio

plain, model = (pinocchio.buildModelFromUrdf(sys.argv[1], mimic=mimic) for mimic in (False, True))
for name in ("upperPositionLimit", "upperEffortLimit", "velocityLimit", "damping", "upperDryFrictionLimit"):
    print(name, "apart:", getattr(plain, name), "as mimic:", getattr(model, name))
    assert np.allclose(getattr(model, name), getattr(plain, name)[:1]), f"the follower's {name} counts now"
data = model.createData()
pinocchio.forwardKinematics(model, data, model.upperPositionLimit)
turn = data.oMi[2].rotation
angle = float(np.arctan2(turn[1, 0], turn[0, 0]))
print("with the leader at its limit the follower is at", angle, "of at most", plain.upperPositionLimit[1])
assert np.isclose(plain.upperPositionLimit[1], 0.5) and np.isclose(plain.damping[1], 3.0), "the numbers are not read apart"
assert np.isclose(angle, 2.0), "the follower stays within its limit now"
PYTHON
echo "as described"
