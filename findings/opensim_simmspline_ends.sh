#!/usr/bin/env bash
# OpenSim's SimmSpline is neither of the cubic splines that one expects, and straight outside its points.
#
# Joints of OpenSim models (knees above all) are written as SimmSpline, «a cubic spline as implemented in SIMM»; the type
# NaturalCubicSpline of older files is read as one. Seen with OpenSim 4.6: it is no natural spline (whose curvature is zero at
# its ends) and not one with scipy's default ends: its third derivative in the first and last interval is that of the cubic
# through the four points nearest to the end. Outside its points it goes on straight along its tangent, so the curvature jumps
# to zero there. (There are wheels for Python 3.11 and newer.)
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check opensim==4.6 scipy==1.16.3 numpy==2.3.5
"$place/venv/bin/python" - <<'PYTHON'
import numpy as np
import opensim
from scipy.interpolate import CubicSpline

X, Y = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [0.0, 1.0, 0.0, 2.0, 0.0, 1.0]
simm = opensim.SimmSpline()
for x, y in zip(X, Y):
    simm.addPoint(x, y)


def at(x, order=0):
    place = opensim.Vector(1, float(x))
    return simm.calcDerivative(opensim.StdVectorInt([0] * order), place) if order else simm.calcValue(place)


inside = np.linspace(0.0, 5.0, 51)
mine = np.array([at(x) for x in inside])
for ends in ("natural", "not-a-knot", "clamped"):
    distance = float(np.abs(CubicSpline(X, Y, bc_type=ends)(inside) - mine).max())
    print("largest distance from the spline with", ends, "ends:", distance)
    assert distance > 0.01, f"it is the {ends} spline now"
thirds = [(at(b, 2) - at(a, 2)) / (b - a) for a, b in ((0.1, 0.9), (4.1, 4.9))]
cubics = [float(np.diff(Y[:4], 3)[0]), float(np.diff(Y[-4:], 3)[0])]
print("third derivative in the end intervals:", thirds, "of the cubics through four points:", cubics)
assert np.allclose(thirds, cubics), "the ends are other ones now"
outside = [(at(-d) - at(0.0)) / -d for d in (0.5, 1.0, 2.0)]
print("slope from the first point back:", outside, "curvature at 0.001 and -0.001:", at(0.001, 2), at(-0.001, 2))
assert np.allclose(outside, at(0.0, 1)), "it is not straight outside now"
assert abs(at(0.001, 2)) > 1.0 and at(-0.001, 2) == 0.0, "the curvature does not jump now"
PYTHON
echo "as described"
