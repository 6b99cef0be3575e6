#!/usr/bin/env bash
# A tendon of MuJoCo whose spring yields remembers more than it was ever stretched.
#
# `springyield` lets the rest length follow where the spring is stretched by more than it. Seen with mujoco 4.0.0: a spatial tendon
# yields by its length extrapolated over the step (length + timestep · velocity), which a site that turns past it never has; so the
# rest length exceeds the largest length of any step minus `springyield`. A yielding joint's is exact.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check mujoco==4.0.0 numpy==2.4.6
"$place/venv/bin/python" - <<'PYTHON'
import mujoco

TEXT = """<mujoco><option gravity="0 0 0" timestep="0.01"/><worldbody><site name="wall" pos="0 0.3 0"/>
    <body><joint axis="0 0 1"/><geom size=".1" pos=".4 0 0"/><site name="arm" pos=".4 0 0"/></body></worldbody>
  <tendon><spatial stiffness="4" springlength="0.5" springyield=".02"><site site="wall"/><site site="arm"/></spatial></tendon></mujoco>"""
model = mujoco.MjModel.from_xml_string(TEXT)
data, end = mujoco.MjData(model), mujoco.MjData(model)
data.qvel[0] = -40.0
mujoco.mj_forward(model, data)
longest, rest = float(data.ten_length[0]), []
for _ in range(3):
    mujoco.mj_step(model, data)
    end.qpos[:] = data.qpos
    mujoco.mj_forward(model, end)
    longest = max(longest, float(end.ten_length[0]))
    rest.append(float(data.plastic[0]))
    print("mujoco", mujoco.__version__, f"length {end.ten_length[0]:.4f}, longest so far {longest:.4f}, yielded {data.plastic}")
    if len(rest) == 1:
        assert rest[0] - (longest - 0.02) > 0.005, "a tendon yields to the length that it has now"
PYTHON
echo "as described"
