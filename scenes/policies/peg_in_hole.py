"""A scripted policy for `peg_in_hole.yaml`: feel for the block, search the hole in a spiral, then push the peg in."""

import numpy as np

SCALE, TURN = 0.001, 0.02  # what actions of 1 mean, as in the scene file [m; rad]
PITCH, STRIDE = 0.00025, 0.0001  # of the spiral: between its turns, and along it in an action [m]
PRESS = 0.0006  # by which the target is below the block's face while the peg searches [m]
TOUCHED = 1.0  # contact force on the vertical slide [N]


class PegInHole:
    """Called with an observation, gives an action."""

    def __init__(self):
        self.begin()

    def begin(self):
        """Start an episode."""
        self.mode, self.target, self.angle = "above", None, 2.0 * np.pi

    def __call__(self, observation):
        """An action (4,), from -1 to 1, for an observation of the scene file."""
        tip, seen = np.reshape(observation[:6], (2, 3)).astype(float)
        turn = self._heading(observation[12:18]) - self._heading(observation[6:12])
        if self.target is None:
            self.target = tip.copy()
        if self.mode == "above":
            if np.abs(tip[:2] - seen[:2]).max() < 1e-4 and abs(turn) < 0.002 and tip[2] - seen[2] < 0.004:
                self.mode = "down"
            return self._action([*seen[:2], seen[2] + 0.003], turn)
        if self.mode == "down":
            if tip[2] < seen[2] - 0.001:
                self._insert(tip)
            elif observation[20] > TOUCHED:
                self.mode, self.target[2] = "search", self.target[2]
            return self._action([*seen[:2], self.target[2] - 0.0002], turn)
        if self.mode == "search":
            if tip[2] < seen[2] - 0.0002:
                self._insert(tip)
            radius = PITCH * self.angle / (2.0 * np.pi)
            self.angle += STRIDE / radius
            around = radius * np.array([np.cos(self.angle), np.sin(self.angle)])
            return self._action([*(seen[:2] + around), seen[2] - PRESS], turn)
        return self._action([*self.found, self.target[2] - 0.0004], turn)

    def _insert(self, tip):
        self.mode, self.found = "insert", tip[:2].copy()

    @staticmethod
    def _heading(columns):
        """Angle of a frame's x axis about z [rad]."""
        return float(np.arctan2(columns[1], columns[0]))

    def _action(self, wanted, turn):
        """The action that brings the target to a place, as far as it may."""
        across = np.clip((np.array(wanted) - self.target) / SCALE, -1.0, 1.0)
        self.target = self.target + SCALE * across
        return np.array([*across, np.clip(0.3 * turn / TURN, -1.0, 1.0)], dtype=np.float32)
