"""A world with one box above a floor, and a pose for it: what the page on running takes for granted."""

import numpy as np
import trimesh
import uipc
from uipc.constitution import AffineBodyConstitution

from ipc_articulation import Engine

box = trimesh.creation.box((0.2, 0.2, 0.2))
mesh = uipc.geometry.trimesh(box.vertices.copy(), box.faces.astype(np.int32))
AffineBodyConstitution().apply_to(mesh, 1e8)
scene = uipc.Scene(uipc.Scene.default_config())
slot, _ = scene.objects().create("box").geometries().create(mesh)
floor, _ = scene.objects().create("floor").geometries().create(uipc.geometry.ground(-1.0))
engine = Engine("cpu", "out/")
world = uipc.World(engine)
world.init(scene)
world.advance()
world.retrieve()
pose = np.eye(4)
