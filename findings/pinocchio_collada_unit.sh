#!/usr/bin/env bash
# Pinocchio reads the numbers of a COLLADA file as metres, whatever its <unit> says, and z as up, whatever its <up_axis> says.
#
# COLLADA: <unit meter="0.001"/> says that lengths are in millimetres, and <up_axis> which axis points up; URDF's meshes are in
# metres with z up. Modelling programs export both. Seen with pin 4.1.0: a plate of 1000 mm x 200 mm x 10 mm is one of
# 1000 m x 200 m x 10 m, without a message.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check pin==4.1.0
"$place/venv/bin/python" - "$place" <<'PYTHON'
import sys
from itertools import product
from pathlib import Path

import pinocchio

place = Path(sys.argv[1])
points = " ".join(f"{x} {y} {z}" for x, y, z in product((0, 1000), (0, 200), (0, 10)))
faces = "0 1 3 0 3 2 4 6 7 4 7 5 0 4 5 0 5 1 2 3 7 2 7 6 0 2 6 0 6 4 1 5 7 1 7 3"


def extent(unit, up):
    (place / "plate.dae").write_text(f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><created>2020-01-01T00:00:00</created><modified>2020-01-01T00:00:00</modified>{unit}<up_axis>{up}</up_axis></asset>
  <library_geometries><geometry id="plate"><mesh>
    <source id="at"><float_array id="numbers" count="24">{points}</float_array><technique_common>
      <accessor source="#numbers" count="8" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
      <param name="Z" type="float"/></accessor></technique_common></source>
    <vertices id="corners"><input semantic="POSITION" source="#at"/></vertices>
    <triangles count="12"><input semantic="VERTEX" source="#corners" offset="0"/><p>{faces}</p></triangles>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="all"><node id="one"><instance_geometry url="#plate"/></node></visual_scene>
  </library_visual_scenes><scene><instance_visual_scene url="#all"/></scene>
</COLLADA>""")
    urdf = place / "plate.urdf"
    urdf.write_text(f"""<robot name="plate"><link name="plate"><collision><geometry>
        <mesh filename="{place}/plate.dae"/></geometry></collision></link></robot>""")
    found = pinocchio.buildGeomFromUrdf(pinocchio.buildModelFromUrdf(str(urdf)), str(urdf), pinocchio.COLLISION)
    mesh = found.geometryObjects[0].geometry
    mesh.computeLocalAABB()
    print(unit, up, "extent:", mesh.aabb_local.max_ - mesh.aabb_local.min_)
    return [round(float(length), 6) for length in mesh.aabb_local.max_ - mesh.aabb_local.min_]


assert extent('<unit name="meter" meter="1"/>', "Z_UP") == [1000, 200, 10], "metres are read otherwise now"
assert extent('<unit name="millimeter" meter="0.001"/>', "Z_UP") == [1000, 200, 10], "the unit is honoured now"
assert extent('<unit name="meter" meter="1"/>', "Y_UP") == [1000, 200, 10], "the axis is honoured now"
PYTHON
echo "as described"
