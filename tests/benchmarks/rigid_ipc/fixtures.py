"""Small fixtures in the format of rigid-ipc, and steps of their scenes."""

from __future__ import annotations

import json
import tempfile

import numpy as np
import trimesh

from benchmarks.rigid_ipc.fixture import read_fixture
from benchmarks.rigid_ipc.scene import build

BOX = trimesh.creation.box((0.2, 0.4, 0.6))
CUBE = {"vertices": (0.2 * trimesh.creation.box().vertices).tolist(), "faces": trimesh.creation.box().faces.tolist()}


def fixture(folder, bodies, gravity=(0, -9.8, 0), timestep=0.01, problem=None, **args):
    """A fixture with these rigid bodies, read from a folder with the mesh box.obj."""
    (folder / "meshes").mkdir(exist_ok=True)
    (folder / "fixtures").mkdir(exist_ok=True)
    BOX.export(folder / "meshes" / "box.obj")
    problem = {"gravity": list(gravity), "rigid_bodies": bodies, **(problem or {})}
    (folder / "fixtures" / "scene.json").write_text(
        json.dumps({"timestep": timestep, "rigid_body_problem": problem, **args})
    )
    return read_fixture(folder / "fixtures" / "scene.json", folder)


def run(scene_fixture, steps, resistance=1e9):
    """Transforms of all bodies after each step, (steps + 1, n, 4, 4)."""
    import uipc

    from ipc_articulation import Engine

    built = build(scene_fixture, resistance)
    with tempfile.TemporaryDirectory() as workspace:
        engine = Engine("cpu", workspace)
        world = uipc.World(engine)
        world.init(built.scene)
        found = [built.transforms()]
        for _ in range(steps):
            world.advance()
            world.retrieve()
            found.append(built.transforms())
    return np.array(found)
