#!/usr/bin/env bash
# Pinocchio's URDF reader ignores the <axis> of a planar joint.
#
# URDF: a planar joint moves in the plane perpendicular to its axis. Here the axis is y, so the plane is that of x and z,
# and the cart may fall along -z. Seen with pin 4.1.0: the joint's plane is that of x and y whatever the axis says; the
# freedom that gravity acts on is missing (generalised gravity is zero), without a message.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check pin==4.1.0
cat > "$place/cart.urdf" <<'URDF'
<robot name="cart">
  <link name="world"/>
  <link name="cart">
    <inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
  </link>
  <joint name="plane" type="planar"><parent link="world"/><child link="cart"/><axis xyz="0 1 0"/></joint>
</robot>
URDF
"$place/venv/bin/python" - "$place/cart.urdf" <<'PYTHON'
import sys

import numpy as np
import pinocchio

model = pinocchio.buildModelFromUrdf(sys.argv[1])
data = model.createData()
weight = pinocchio.computeGeneralizedGravity(model, data, pinocchio.neutral(model))
q = pinocchio.integrate(model, pinocchio.neutral(model), np.array([0.1, 0.2, 0.0]))
pinocchio.forwardKinematics(model, data, q)
print("pinocchio", pinocchio.__version__, model.joints[1].shortname())
print("moved by (0.1, 0.2):", data.oMi[1].translation, "generalised gravity:", weight)
assert model.joints[1].shortname() == "JointModelPlanar", "another type of joint"
assert np.allclose(data.oMi[1].translation, [0.1, 0.2, 0.0]), "the axis is honoured now"
assert np.allclose(weight, 0.0), "gravity acts in the plane now"
PYTHON
echo "as described"
