#!/usr/bin/env bash
# Pinocchio's mesh reader draws the second material's faces between the first material's corners.
#
# Two boxes are one object of an OBJ file; the second box has another material (`usemtl`), which says nothing about its shape.
# Seen with pin 4.1.0 (which bundles coal): the second box is missing and the first is there twice. The vertices of both are
# kept, so the bounding box is right and hides it. With an `o` line between the two, both boxes are there.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check pin==4.1.0
"$place/venv/bin/python" - "$place" <<'PYTHON'
import sys
from pathlib import Path

import coal
import numpy as np
import pinocchio

place = Path(sys.argv[1])
CORNERS = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
FACES = ["1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4"]


def box(shift, first):
    points = "".join(f"v {x + shift} {y} {z}\n" for x, y, z in CORNERS)
    return points, "".join("f " + " ".join(str(int(k) + first) for k in face.split()) + "\n" for face in FACES)


def touched(name, between):
    (points, faces), (others, rest) = box(0, 0), box(2, 8)
    text = f"mtllib paint.mtl\no boxes\n{points}{others}usemtl red\n{faces}{between}usemtl blue\n{rest}"
    (place / f"{name}.obj").write_text(text)
    urdf = place / f"{name}.urdf"
    urdf.write_text(f"""<robot name="boxes"><link name="base"><collision><geometry>
        <mesh filename="{place}/{name}.obj"/></geometry></collision></link></robot>""")
    found = pinocchio.buildGeomFromUrdf(pinocchio.buildModelFromUrdf(str(urdf)), str(urdf), pinocchio.COLLISION)
    mesh = found.geometryObjects[0].geometry
    ball, hits = coal.Sphere(0.1), []
    for x in (0.5, 2.5):
        at = coal.Transform3s(np.eye(3), np.array([x, 0.5, 1.05]))
        hits.append(coal.collide(mesh, coal.Transform3s(), ball, at, coal.CollisionRequest(), coal.CollisionResult()) > 0)
    mesh.computeLocalAABB()
    print(name, "faces", mesh.num_tris, "box", mesh.aabb_local.min_, mesh.aabb_local.max_, "a ball on the first, second:", hits)
    assert np.allclose(mesh.aabb_local.max_, [3, 1, 1]), "the bounding box no longer covers both"
    return hits


(place / "paint.mtl").write_text("newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\n")
assert touched("apart", "o other\n") == [True, True], "two objects are read otherwise now"
assert touched("together", "") == [True, False], "the second material's faces are in their place now"
PYTHON
echo "as described"
