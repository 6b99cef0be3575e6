#!/usr/bin/env bash
# DART reads a URDF's joint limits and lets the joint move through them.
#
# URDF: a revolute joint has «a limited range specified by the upper and lower limits». Seen with dartpy 6.20.0: the limits are
# in the joint that DartLoader builds, but are not enforced; a torque within the joint's effort turns it through them, several
# times around. Each joint wants setLimitEnforcement(True) first, and then it stops.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check dartpy==6.20.0 numpy==2.4.6
cat > "$place/door.urdf" <<'URDF'
<robot name="door">
  <link name="world"/>
  <link name="door">
    <inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
  </link>
  <joint name="hinge" type="revolute"><parent link="world"/><child link="door"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="1" effort="10" velocity="100"/></joint>
</robot>
URDF
"$place/venv/bin/python" - "$place/door.urdf" <<'PYTHON'
import sys

import dartpy


def pushed(enforce):
    robot = dartpy.utils.DartLoader().parseSkeleton(sys.argv[1])
    hinge = robot.getJoint("hinge")
    if enforce:
        hinge.setLimitEnforcement(True)
    world = dartpy.simulation.World()
    world.setGravity([0.0, 0.0, 0.0])
    world.setTimeStep(0.001)
    world.addSkeleton(robot)
    for _ in range(2000):
        hinge.setForces([1.0])
        world.step()
    angle = float(hinge.getPositions()[0])
    print("limits", hinge.getPositionLowerLimits(), hinge.getPositionUpperLimits(), "enforced:", hinge.areLimitsEnforced(), "at", angle)
    return angle


assert pushed(False) > 6.3, "the limits hold now"
assert abs(pushed(True) - 1.0) < 0.02, "the limits do not hold when enforced"
PYTHON
echo "as described"
