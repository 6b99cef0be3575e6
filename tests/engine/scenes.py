"""Small libuipc scenes of boxes, and what the tests ask of them."""

from __future__ import annotations

import numpy as np
import trimesh
import uipc
from uipc import Scene, World, view
from uipc.constitution import AffineBodyConstitution
from uipc.geometry import ground, label_surface
from uipc.geometry import trimesh as uipc_trimesh

from ipc_articulation import affine
from ipc_articulation.engine import Engine

uipc.Logger.set_level(uipc.Logger.Error)


class BoxScene:
    """A scene of boxes under construction, z up; `start` makes the world."""

    def __init__(self, workspace, gravity=(0.0, 0.0, -9.8), friction=0.5, resistance=1e9, **config):
        settings = Scene.default_config()
        settings["gravity"] = [[g] for g in gravity]
        for path, value in config.items():
            node = settings
            *parents, leaf = path.split("__")
            for parent in parents:
                node = node[parent]
            node[leaf] = value
        self.scene = Scene(settings)
        if resistance is not None:  # else nobody has set it
            self.scene.contact_tabular().default_model(friction, resistance)
        self.workspace, self.slots = str(workspace), []

    def add_ground(self, height=0.0, normal=(0.0, 0.0, 1.0)):
        geometry = ground(height, np.array(normal, dtype=float))
        return self.scene.objects().create("ground").geometries().create(geometry)[0]

    def add_box(self, transform, size=(0.2, 0.2, 0.2), **properties):
        return self.add_mesh(trimesh.creation.box(size), transform, **properties)

    def add_mesh(self, mesh, transform, density=1000.0, kappa=1e8, velocity=None, **flags):
        geometry = uipc_trimesh(mesh.vertices.copy(), mesh.faces.copy())
        label_surface(geometry)
        AffineBodyConstitution().apply_to(geometry, kappa, density)
        view(geometry.transforms())[0] = transform
        for name, value in flags.items():
            view(geometry.instances().find(name))[:] = value
        if velocity is not None:
            view(geometry.instances().find("velocity"))[0] = velocity
        slot = self.scene.objects().create(f"box {len(self.slots)}").geometries().create(geometry)[0]
        self.slots.append(slot)
        return slot

    def start(self, engine="cpu", **options):
        self.engine = Engine(engine, self.workspace, **options)
        self.world = World(self.engine)
        self.world.init(self.scene)
        return self

    def run(self, steps=1):
        for _ in range(steps):
            self.world.advance()
            self.world.retrieve()
        return self

    @property
    def q(self):
        return self._coordinates("transform")

    @property
    def qdot(self):
        return self._coordinates("velocity")

    def _coordinates(self, name):
        return np.stack(
            [affine.q_from_transform(slot.geometry().instances().find(name).view()[0]) for slot in self.slots]
        )

    def masses(self):
        return self.engine.cpu.model.context.bodies.mass

    def minimum_distance(self):
        return self.engine.cpu.workspace.core.distances.closest(self.engine.cpu.state.q)[0]

    def linear_momentum(self):
        """Σ m v of the centres of mass, (3,)."""
        return sum((M @ qdot)[:3] for M, qdot in zip(self.masses(), self.qdot, strict=True))

    def angular_momentum(self):
        """Σ ∫ρ x x ẋ about the world's origin, (3,)."""
        total = np.zeros(3)
        for M, q, qdot in zip(self.masses(), self.q, self.qdot, strict=True):
            moments = np.empty((4, 4))  # ∫ρ (1, x̄)(1, x̄)ᵀ
            moments[:] = M[np.ix_([0, 3, 4, 5], [0, 3, 4, 5])]
            X = np.column_stack([q[:3], affine.linear_part(q)])
            V = np.column_stack([qdot[:3], affine.linear_part(qdot)])
            P = X @ moments @ V.T  # ∫ρ x ẋᵀ
            total += [P[1, 2] - P[2, 1], P[2, 0] - P[0, 2], P[0, 1] - P[1, 0]]
        return total


def translation(*position):
    T = np.eye(4)
    T[:3, 3] = position
    return T


def twist_rate(transform, linear=(0, 0, 0), angular=(0, 0, 0)):
    """Rate of a transform that moves with a twist, (4, 4)."""
    q = affine.q_from_transform(transform)
    return affine.transform_rate_from_qdot(affine.qdot_from_twist(q, linear, angular))
