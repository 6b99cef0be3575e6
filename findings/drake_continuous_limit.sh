#!/usr/bin/env bash
# Drake holds a URDF's continuous joint within <limit lower upper>, which such a joint has not.
#
# URDF: a continuous joint «rotates around the axis and has no upper and lower limits»; lower and upper are for revolute and
# prismatic joints, and exporters write them (often 0 and 0, or -3.14 and 3.14) beside effort and velocity, which do count. Seen
# with Drake 1.51.1: a wheel with 0 and 0.5 stops after half a radian. MuJoCo 4.0.0 and Pinocchio 4.1.0 ignore the two numbers.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check drake==1.51.1 mujoco==4.0.0 pin==4.1.0
"$place/venv/bin/python" - <<'PYTHON'
import mujoco
import numpy as np
import pinocchio
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.analysis import Simulator

BODY = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
URDF = f"""<robot name="cart"><link name="cart">{BODY}</link><link name="wheel">{BODY}</link>
  <joint name="axle" type="continuous"><parent link="cart"/><child link="wheel"/><axis xyz="0 0 1"/>
  <limit lower="0" upper="0.5" effort="10" velocity="10"/></joint></robot>"""

plant = MultibodyPlant(0.001)
Parser(plant).AddModelsFromString(URDF, "urdf")
plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("cart"))
plant.Finalize()
simulator = Simulator(plant)
context = plant.GetMyContextFromRoot(simulator.get_mutable_context())
plant.get_applied_generalized_force_input_port().FixValue(context, [1.0])
simulator.AdvanceTo(3.0)
drake = float(plant.GetPositions(context)[0])

model = mujoco.MjModel.from_xml_string(URDF)
data = mujoco.MjData(model)
data.qfrc_applied[0] = 1.0
while data.time < 3.0:
    mujoco.mj_step(model, data)
joint = pinocchio.buildModelFromXML(URDF).joints[1].shortname()
print("turned in 3 s: Drake", drake, "MuJoCo", float(data.qpos[0]), "of 4.5; Pinocchio's joint:", joint)
assert np.isclose(data.qpos[0], 4.5, rtol=0.01) and joint == "JointModelRUBZ", "MuJoCo or Pinocchio have limits now"
assert abs(drake - 0.5) < 0.05, "Drake ignores the limits now"
PYTHON
echo "as described"
