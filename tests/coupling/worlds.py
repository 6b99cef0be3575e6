"""Scenes, worlds and a hand-made multibody engine that the coupling's tests share."""

from __future__ import annotations

import numpy as np
import uipc

from ipc_articulation import Engine
from ipc_articulation.coupling.adapter import ClosedMesh, CoupledBody, CoupledJoint, CoupledRobot, Prediction

uipc.Logger.set_level(uipc.Logger.Level.Critical)

CUBE_CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
CUBE_TRIANGLES = "013 032 467 475 045 051 237 276 026 064 157 173"
CUBE_FACES = np.array([[int(corner) for corner in triangle] for triangle in CUBE_TRIANGLES.split()], dtype=np.int32)


def cube(half_width: float, center=(0.0, 0.0, 0.0)) -> ClosedMesh:
    return ClosedMesh(half_width * CUBE_CORNERS + np.asarray(center), CUBE_FACES)


def make_scene(dt=0.01, gravity=(0.0, 0.0, 0.0), d_hat=2e-3) -> uipc.Scene:
    config = uipc.Scene.default_config()
    config["dt"] = float(dt)
    config["gravity"] = [[float(g)] for g in gravity]
    config["contact"]["d_hat"] = d_hat
    return uipc.Scene(config)


def make_world(scene: uipc.Scene, folder, engine: str = "cpu") -> uipc.World:
    world = uipc.World(Engine(engine, folder))
    world.init(scene)
    return world


class Turntable:
    """A cube on a hinge about z, half a metre off the axis, that wants to turn by the same angle each step."""

    dt = 0.01
    gravity = np.zeros(3)

    def __init__(self, wish: float = 0.01, inertia: float = 2.0, **parts) -> None:
        self.wish, self.inertia, self.parts = wish, inertia, parts
        self.angle, self.rate, self.commits = 0.0, 0.0, []

    def describe(self) -> CoupledRobot:
        link = CoupledBody(
            "cube", np.eye(4), cube(0.1, (0.5, 0.0, 0.0)), 3.0, np.array([0.5, 0.0, 0.0]), 0.02 * np.eye(3), 0.4
        )
        hinge = CoupledJoint("hinge", "revolute", -1, 0, np.zeros(3), np.array([0.0, 0.0, 1.0]))
        return CoupledRobot((link,), (hinge,), **self.parts)

    def predict(self) -> Prediction:
        return Prediction(np.array([[self.inertia]]), np.array([self.wish]), self.link_poses())

    def commit(self, delta_theta, free_poses, free_velocities) -> None:
        self.angle += delta_theta[0]
        self.rate = delta_theta[0] / self.dt
        self.commits.append((delta_theta, free_poses, free_velocities))

    def link_poses(self):
        c, s = np.cos(self.angle), np.sin(self.angle)
        return np.array([[[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]]])

    def theta(self):
        return np.array([self.angle])

    def theta_dot(self):
        return np.array([self.rate])


def at(*position: float) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, 3] = position
    return pose
