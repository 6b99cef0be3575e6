"""A chain of two links with a first joint of any kind, between obstacles; its multibody engine wishes at random."""

from __future__ import annotations

import numpy as np
import uipc
from scipy.spatial.transform import Rotation

from ipc_articulation import Engine, affine, couple
from ipc_articulation.coupling.adapter import CoupledBody, CoupledJoint, CoupledRobot, Prediction
from ipc_articulation.coupling.kinds import freedom_names
from tests.coupling.worlds import at, cube

TIGHT = 5e-5  # [m/s] `newton/velocity_tol` for motions that are rougher than a robot's


class Chain:
    """Two cubes with sides of 20 cm, off the axes of their joints; obstacles are 1 mm away on both sides of each."""

    dt, gravity = 0.01, np.zeros(3)

    def __init__(self, kind: str, seed: int = 0, obstacles: bool = True) -> None:
        self.rng, self.with_obstacles = np.random.default_rng(seed), obstacles
        turn = np.eye(4)
        turn[:3, :3] = Rotation.random(rng=self.rng).as_matrix()
        axis, second = turn[:3, 0], turn[:3, 1]
        self.joints = (
            CoupledJoint("first", kind, -1, 0, np.array([0.1, -0.2, 0.3]), axis, second, 0.05),
            CoupledJoint("second", "revolute", 0, 1, np.array([0.25, 0.05, 0.0]), np.array([0.0, 0.6, 0.8])),
        )
        self.freedoms = len(freedom_names(self.joints))
        self.poses = np.stack([at(0.0, 0.0, 0.0), at(0.5, 0.1, 0.0)])
        A = self.rng.normal(size=(self.freedoms, self.freedoms))
        self.mass = 0.3 * np.eye(self.freedoms) + 0.05 * A @ A.T

    def describe(self) -> CoupledRobot:
        links = tuple(
            CoupledBody(name, pose, cube(0.1), 2.0, np.zeros(3), 0.013 * np.eye(3), friction=0.4)
            for name, pose in zip(("one", "two"), self.poses, strict=True)
        )
        return CoupledRobot(links, self.joints, static=self.obstacles if self.with_obstacles else ())

    @property
    def obstacles(self) -> tuple[CoupledBody, ...]:
        return tuple(
            CoupledBody(f"{name}{sign:+d}", pose @ at(0.03, 0.01, sign * 0.1615), cube(0.06), friction=0.4)
            for name, pose in zip(("one", "two"), self.poses, strict=True)
            for sign in (-1, 1)
        )

    def predict(self) -> Prediction:
        return Prediction(self.mass, 0.01 * self.rng.normal(size=self.freedoms), self.poses)

    def commit(self, delta_theta, free_poses, free_velocities) -> None:
        """Nothing: `follow` brings the poses."""

    def link_poses(self):
        return self.poses

    def theta(self):
        return np.zeros(self.freedoms)

    def theta_dot(self):
        return np.zeros(self.freedoms)

    def follow(self, coupling) -> None:
        """Take over the poses of the scene's links."""
        q = affine.q_from_transform(coupling.body_poses)
        self.poses = affine.transform_from_q(affine.nearest_rigid(q))


def coupled(adapter, folder, before=lambda scene: None, d_hat=2e-3, velocity_tol=None):
    """The coupling of an adapter, and its world; `before` puts something into the scene first."""
    config = uipc.Scene.default_config()
    config["dt"], config["gravity"] = float(adapter.dt), [[float(g)] for g in adapter.gravity]
    config["contact"]["d_hat"] = d_hat
    if velocity_tol is not None:
        config["newton"]["velocity_tol"] = velocity_tol
    made = uipc.Scene(config)
    before(made)
    coupling = couple(made, adapter)
    world = uipc.World(Engine("cpu", folder))
    world.init(made)
    return coupling, world
