#!/usr/bin/env bash
# Two readers of OBJ files count negative indices from the wrong place.
#
# OBJ: -1 in a face is the last vertex read so far, so parts with relative indices can be put one after the other. Here two
# tetrahedra are, one at x = 0 and one at x = 5. Seen: trimesh 5.2.0 counts from the end of the file, so the second is there
# twice and the first is missing, without a message; meshio 5.3.5 subtracts one, as from positive indices, so -4 becomes -5 and
# points one vertex too far back even where the file ends.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check trimesh==5.2.0 meshio==5.3.5
"$place/venv/bin/python" - "$place" <<'PYTHON'
import sys
from pathlib import Path

import meshio
import numpy as np
import trimesh

path = Path(sys.argv[1]) / "pair.obj"
FACES = "f -4 -2 -3\nf -4 -3 -1\nf -4 -1 -2\nf -3 -2 -1\n"
path.write_text("".join(f"v {x} 0 0\nv {x + 1} 0 0\nv {x} 1 0\nv {x} 0 1\n{FACES}" for x in (0, 5)))
mesh = trimesh.load_mesh(str(path))
corners = mesh.vertices[mesh.faces]
print("trimesh", trimesh.__version__, "faces", len(mesh.faces), "from", corners.min((0, 1)), "to", corners.max((0, 1)))
triangles = meshio.read(path).cells_dict["triangle"]
print("meshio", meshio.__version__, triangles.tolist())

path.write_text(path.read_text().replace("-4", "1").replace("-3", "2").replace("-2", "3").replace("-1", "4"))
print("positive indices:", meshio.read(path).cells_dict["triangle"][0])
assert len(mesh.faces) == 8, "another number of faces"
assert np.allclose(corners.min((0, 1)), [5, 0, 0]) and np.allclose(corners.max((0, 1)), [6, 1, 1]), "trimesh has the first part now"
assert triangles[0].tolist() == [-5, -3, -4] and triangles.min() == -5, "meshio counts well now"
PYTHON
echo "as described"
