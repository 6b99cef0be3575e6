#!/usr/bin/env bash
# DART moves a mimic joint's follower by a servo: its leader feels nothing of what hangs on the follower.
#
# Two arms turn about parallel horizontal axes, the follower as far as the leader. By virtual work the leader carries both:
# it starts to fall with (m_1 g c_1 + m_2 g c_2) / (I_1 + I_2). Here the follower has all the weight and the leader none
# (its mass is at its axis), so the leader must be pulled along. Seen with dartpy 6.20.0: it stays where it is.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check dartpy==6.20.0 numpy==2.4.6
cat > "$place/arms.urdf" <<'URDF'
<robot name="arms">
  <link name="world"/>
  <link name="leader">
    <inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
  </link>
  <link name="follower">
    <inertial><origin xyz="0.5 0 0"/><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
  </link>
  <joint name="lead" type="continuous"><parent link="world"/><child link="leader"/><axis xyz="0 1 0"/></joint>
  <joint name="follow" type="continuous"><parent link="world"/><child link="follower"/><axis xyz="0 1 0"/><mimic joint="lead"/></joint>
</robot>
URDF
"$place/venv/bin/python" - "$place/arms.urdf" <<'PYTHON'
import sys

import dartpy
import numpy as np

robot = dartpy.utils.DartLoader().parseSkeleton(sys.argv[1])
world = dartpy.simulation.World()
world.setGravity([0.0, 0.0, -9.81])
world.setTimeStep(0.001)
world.addSkeleton(robot)
for _ in range(200):
    world.step()
lead, follow = (float(np.asarray(robot.getJoint(name).getPositions())[0]) for name in ("lead", "follow"))
print("dartpy", dartpy.__version__, "after 0.2 s: lead", lead, "follow", follow)
print("both would be near", 0.5 * 9.81 * 0.5 / (0.1 + 0.1 + 0.25) * 0.2**2)
assert abs(lead) < 1e-6, "the follower's weight reaches the leader now"
PYTHON
echo "as described"
