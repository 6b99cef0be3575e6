#!/usr/bin/env bash
# MuJoCo weighs and draws only the first object of an OBJ file, but collides with all of them.
#
# Two separate boxes of 1 m are two objects (`o`) of one OBJ file, which is compiled without a message. Seen with MuJoCo 4.0.0:
# the faces and the mass are those of the first box and a ray passes through the second, but the convex hull for contact is
# around both, so a ball lies on what has neither mass nor picture. Without the `o` lines both boxes are there.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check mujoco==4.0.0 numpy==2.4.6
"$place/venv/bin/python" - <<'PYTHON'
from itertools import product

import mujoco
import numpy as np

FACES = ["1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4"]
SCENE = """<mujoco><asset><mesh name="boxes" file="boxes.obj" inertia="exact"/></asset><worldbody>
  <body name="boxes"><joint name="hold" type="slide" axis="1 0 0"/><geom type="mesh" mesh="boxes" density="1"/></body>
  <body pos="2.5 0.5 1.2"><freejoint/><geom type="sphere" size="0.1" density="1"/></body></worldbody></mujoco>"""


def seen(line):
    text = ""
    for k, shift in enumerate((0, 2)):
        text += line.format(k) + "".join(f"v {x + shift} {y} {z}\n" for x, y, z in product((0, 1), repeat=3))
        text += "".join("f " + " ".join(str(int(corner) + 8 * k) for corner in face.split()) + "\n" for face in FACES)
    model = mujoco.MjModel.from_xml_string(SCENE, {"boxes.obj": text.encode()})
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    hit = np.zeros(1, dtype=np.int32)
    ray = mujoco.mj_ray(model, data, np.array([2.2, 0.2, 5.0]), np.array([0.0, 0.0, -1.0]), None, 1, -1, hit, None)
    for _ in range(1000):
        mujoco.mj_step(model, data)
    mass, height = float(model.body_mass[1]), float(data.qpos[3])
    print(repr(line), "faces", int(model.mesh_facenum[0]), "mass", mass, "ray to the second box:", ray, "ball at", height)
    return mass, ray > 0, height


mass, met, height = seen("")
assert np.isclose(mass, 2.0) and met and np.isclose(height, 1.1, atol=0.01), "boxes of one object are read otherwise now"
mass, met, height = seen("o part{}\n")
assert np.isclose(mass, 1.0) and not met, "the second object has mass or a surface now"
assert np.isclose(height, 1.1, atol=0.01), "the second object does not collide now"
PYTHON
echo "as described"
