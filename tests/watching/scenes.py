"""Scenes for recorders and views."""

from typing import Any

import numpy as np
import trimesh
import uipc
from uipc.constitution import AffineBodyConstitution
from uipc.unit import MPa

from ipc_articulation import Engine

ARM = """<mujoco>
  <option timestep="0.01"/>
  <worldbody>
    <body name="arm" pos="0 0 1">
      <joint name="shoulder" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03"/>
    </body>
  </worldbody>
</mujoco>
"""


def config() -> Any:
    config = uipc.Scene.default_config()
    config["dt"], config["contact"]["d_hat"] = 0.01, 0.001
    config["gravity"] = [[0.0], [0.0], [-9.81]]
    return config


def add_box(scene: uipc.Scene, name: str, height: float, count: int = 1, is_fixed: bool = False) -> None:
    """Boxes of 0.2 m above each other, instances of one geometry."""
    box = trimesh.creation.box((0.2, 0.2, 0.2))
    mesh = uipc.geometry.trimesh(box.vertices, box.faces.astype(np.int32))
    uipc.geometry.label_surface(mesh)
    AffineBodyConstitution().apply_to(mesh, 100 * MPa)
    mesh.instances().resize(count)
    uipc.view(mesh.transforms())[:] = np.eye(4)
    uipc.view(mesh.transforms())[:, 2, 3] = height + 0.3 * np.arange(count)
    uipc.view(mesh.instances().find("is_fixed"))[:] = is_fixed
    scene.objects().create(name).geometries().create(mesh)


def step(world: uipc.World) -> None:
    world.advance()
    world.retrieve()


def move(engine: Engine, body: int, distance: float) -> None:
    """Move a body of the engine along x [m]."""
    state = engine.state_accessor.create_geometry()
    state.instances().create("transform", uipc.Matrix4x4.Identity())
    engine.state_accessor.copy_to(state)
    uipc.view(state.instances().find("transform"))[body][0, 3] += distance
    engine.state_accessor.copy_from(state)
