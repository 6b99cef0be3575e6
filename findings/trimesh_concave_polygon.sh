#!/usr/bin/env bash
# trimesh triangulates a concave polygon according to the corner that the file begins it with: its area is 3 or 4.
#
# Neither OBJ nor PLY nor OFF says that a face must be convex, and modelling programs export such faces unless told to
# triangulate. Seen with trimesh 5.2.0: faces are cut into a fan from their first corner. An L of area 3 is right where the
# list of its corners begins in the notch or opposite to it; else triangles cover the notch and overlap (area 4), though it
# is the same polygon. MuJoCo 4.0.0 gives the prism over each of the six its volume.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check trimesh==5.2.0 mujoco==4.0.0 numpy==2.4.6
"$place/venv/bin/python" - <<'PYTHON'
import io

import mujoco
import numpy as np
import trimesh

CORNERS = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
SCENE = """<mujoco><asset><mesh name="prism" file="prism.obj" inertia="exact"/></asset><worldbody><body><freejoint/>
  <geom type="mesh" mesh="prism" density="1"/></body></worldbody></mujoco>"""


def points(height, begin=""):
    return "".join(f"{begin}{x} {y} {height}\n" for x, y in CORNERS)


areas, volumes = {"obj": [], "ply": [], "off": []}, []
for start in range(6):
    face = [(start + k) % 6 for k in range(6)]
    plain, upper = " ".join(map(str, face)), " ".join(str(k + 7) for k in face)
    header = "ply\nformat ascii 1.0\nelement vertex 6\n" + "".join(f"property float {axis}\n" for axis in "xyz")
    header += "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
    texts = {"obj": points(0, "v ") + "f " + " ".join(str(k + 1) for k in face) + "\n",
             "ply": header + points(0) + "6 " + plain + "\n", "off": "OFF\n6 1 0\n" + points(0) + "6 " + plain + "\n"}
    for kind, text in texts.items():
        areas[kind].append(round(float(trimesh.load_mesh(io.BytesIO(text.encode()), file_type=kind).area), 6))
    prism = points(0, "v ") + points(1, "v ") + f"f {upper}\nf " + " ".join(str(k + 1) for k in reversed(face)) + "\n"
    prism += "".join(f"f {k + 1} {(k + 1) % 6 + 1} {(k + 1) % 6 + 7} {k + 7}\n" for k in range(6))
    volumes.append(float(mujoco.MjModel.from_xml_string(SCENE, {"prism.obj": prism.encode()}).body_mass[1]))
print("trimesh:", areas)
print("MuJoCo:", volumes)
for kind, found in areas.items():
    assert sorted(set(found)) == [3.0, 4.0], f"{kind}: concave faces are triangulated otherwise now"
assert np.allclose(volumes, 3.0), "MuJoCo's prisms are of another volume now"
PYTHON
echo "as described"
