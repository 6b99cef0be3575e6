#!/usr/bin/env bash
# While a Python `mjcb_control` is set, MuJoCo compiles no model, even if the callback does nothing.
#
# The callback belongs to steps; compiling an MJCF text needs none. Seen with mujoco 4.0.0: `from_xml_string` raises
# "engine error: Python exception raised", without the callback having raised anything; with no callback set the same text compiles.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check mujoco==4.0.0
"$place/venv/bin/python" - <<'PYTHON'
import mujoco

TEXT = '<mujoco><worldbody><body><joint/><geom size=".1"/></body></worldbody></mujoco>'
calls = []
mujoco.set_mjcb_control(lambda model, data: calls.append(data.time))
try:
    mujoco.MjModel.from_xml_string(TEXT)
    said = None
except ValueError as error:
    said = str(error)
mujoco.set_mjcb_control(None)
without = mujoco.MjModel.from_xml_string(TEXT)
print("mujoco", mujoco.__version__, "with a callback:", said, "calls:", len(calls), "without one: nq", without.nq)
assert said is not None, "models compile while a callback is set now"
assert "Python exception raised" in said, "another error"
PYTHON
echo "as described"
