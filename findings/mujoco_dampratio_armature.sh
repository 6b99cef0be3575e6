#!/usr/bin/env bash
# MuJoCo's mj_setConst leaves the damping of a servo with `dampratio` as it was compiled, whatever its joint's inertia is now.
#
# `dampratio` makes kv of kp and of the inertia that the actuator moves, and `mj_setConst` is what the documentation names for
# updating derived constants after an edit of the model. Seen with mujoco 4.0.0: after `dof_armature` is set, kv stays; in the file the
# same armature gives another one.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check mujoco==4.0.0
"$place/venv/bin/python" - <<'PYTHON'
import mujoco

TEXT = """<mujoco><worldbody><body><joint name="hinge"/><geom size=".1" pos=".3 0 0"/></body></worldbody>
  <actuator><position joint="hinge" kp="10" dampratio="1"/></actuator></mujoco>"""
model = mujoco.MjModel.from_xml_string(TEXT)
compiled = -model.actuator_biasprm[0, 2]
model.dof_armature[0] = 2.0
mujoco.mj_setConst(model, mujoco.MjData(model))
edited = -model.actuator_biasprm[0, 2]
spec = mujoco.MjSpec.from_string(TEXT)
spec.joint("hinge").armature = 2.0
in_file = -spec.compile().actuator_biasprm[0, 2]
print("mujoco", mujoco.__version__, f"kv as compiled {compiled:.4g}, after the edit {edited:.4g}, with it in the file {in_file:.4g}")
assert edited == compiled, "mj_setConst renews kv now"
assert in_file > 2.0 * compiled, "an armature in the file does not count any more"
PYTHON
echo "as described"
