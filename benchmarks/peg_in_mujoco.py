"""The peg and hole of scenes/peg_in_hole.yaml with MuJoCo's own contact: the same robot, servos, shapes and friction.

The hole's block is four boxes, which are convex; together they have the same surface.
"""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np

from ipc_articulation.scenefile.reading import read_scene

SCENE = Path(__file__).parents[1] / "scenes" / "peg_in_hole.yaml"
OUTER, INNER, HEIGHT = 0.04, 0.01025, 0.03  # half widths and height of the block [m]
JOINTS = ("x", "y", "z", "turn")
SCALES = np.array([0.001, 0.001, 0.001, 0.02])  # of actions


class PegInMujoco:
    """The task with `mj_step`; observations, actions and success are those of the scene file."""

    def __init__(self, substeps: int = 1) -> None:
        self._scene, _ = read_scene(SCENE)
        self._substeps = substeps
        self.model = self._compiled()
        self.data = mujoco.MjData(self.model)
        self._peg, self._block = (self.model.body(name).id for name in ("peg", "block"))
        self.depth = 0.0  # of the deepest contact of this episode [m]

    def reset(self, drawn: dict[str, float]) -> np.ndarray:
        """Start where an environment of the scene file does, by the values that it has drawn."""
        mujoco.mj_resetData(self.model, self.data)
        x, y, turn = (drawn[f"bodies.block.pose.{key}"] for key in ("position[0]", "position[1]", "rpy[2]"))
        self.data.mocap_pos[0] = x, y, 0.0
        self.data.mocap_quat[0] = np.cos(turn / 2), 0.0, 0.0, np.sin(turn / 2)
        self._seen = np.array([drawn["marks.seen.position[0]"], drawn["marks.seen.position[1]"], HEIGHT])
        self._targets, self.depth = np.zeros(4), 0.0
        mujoco.mj_forward(self.model, self.data)
        return self._observe()

    def step(self, action: np.ndarray) -> tuple[np.ndarray, bool]:
        """Do an action; the observation, and whether the peg is in the hole."""
        limits = self.model.jnt_range
        self._targets = np.clip(self._targets + SCALES * np.clip(action, -1.0, 1.0), limits[:, 0], limits[:, 1])
        self.data.ctrl[:] = self._targets
        for _ in range(self._substeps):
            mujoco.mj_step(self.model, self.data)
            if self.data.ncon:
                self.depth = max(self.depth, float(-self.data.contact.dist.min()))
        mujoco.mj_forward(self.model, self.data)
        bottom = self._place(self._block, np.array([0.0, 0.0, 0.006]))
        return self._observe(), bool(np.linalg.norm(self._tip() - bottom) <= 0.001)

    def _observe(self) -> np.ndarray:
        rotations = [self.data.xmat[body].reshape(3, 3)[:, :2].T.ravel() for body in (self._peg, self._block)]
        seen = self._place(self._block, self._seen)
        forces, rates = self.data.qfrc_constraint[:3], self.data.qvel[:3]
        return np.concatenate([self._tip(), seen, *rotations, forces, rates])

    def _tip(self) -> np.ndarray:
        return self._place(self._peg, np.array([0.0, 0.0, -0.03]))

    def _place(self, body: int, point: np.ndarray) -> np.ndarray:
        return self.data.xpos[body] + self.data.xmat[body].reshape(3, 3) @ point

    def _compiled(self) -> mujoco.MjModel:
        robot, friction = self._scene.robot, self._scene.contact.friction
        spec = mujoco.MjSpec.from_file(str(robot.model))
        spec.option.timestep = self._scene.dt / self._substeps
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        spec.joint("turn").armature = robot.armature["turn"]
        for name in JOINTS:
            entry = robot.actuators[name == "turn"]
            actuator = spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
            actuator.set_to_position(kp=entry.kp, kv=entry.kv)
        spec.geom("peg").friction[0] = friction
        block = spec.worldbody.add_body(name="block", mocap=True)
        middle, half = 0.5 * (OUTER + INNER), 0.5 * (OUTER - INNER)
        for sign in (-1.0, 1.0):
            sides = (([half, OUTER], [sign * middle, 0.0]), ([INNER, half], [0.0, sign * middle]))
            for size, place in sides:
                geom = block.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX)
                geom.size, geom.pos = [*size, HEIGHT / 2], [*place, HEIGHT / 2]
                geom.friction[0] = friction
        return spec.compile()
