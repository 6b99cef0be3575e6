"""A scripted policy for `push_crate.yaml`: turn the hand across the way to the mark, go behind the crate, and push."""

import numpy as np

SCALE, TURN = 0.012, 0.06  # what actions of 1 mean, as in the scene file [m; rad]
HALF = 0.06  # of the crate's edge [m]
ABOVE, DOWN = 0.12, 0.03  # heights of the finger tips on the way and while they push [m]


class PushCrate:
    """Called with an observation, gives an action."""

    def __init__(self):
        self.begin()

    def begin(self):
        """Start an episode."""
        self.mode = "approach"

    def __call__(self, observation):
        """An action (4,), from -1 to 1, for an observation of the scene file."""
        tip, crate, mark = np.reshape(observation[:9], (3, 3)).astype(float)
        towards = (mark - crate)[:2]
        left = np.linalg.norm(towards)
        towards /= max(left, 1e-9)
        turn = self._turn(observation, towards)
        behind, aside = (tip - crate)[:2] @ towards, (tip - crate)[:2] @ np.array([-towards[1], towards[0]])
        off = crate[:2] - (self._reach(observation, towards) + 0.03) * towards - tip[:2]
        if self.mode == "approach":
            if np.linalg.norm(off) < 0.01 and abs(turn) < 0.1:
                self.mode = "lower"
            return self._action(0.4 * off, 0.4 * (ABOVE - tip[2]), turn)
        if self.mode == "lower":
            if tip[2] < DOWN + 0.01:
                self.mode = "push"
            return self._action(0.4 * off, 0.3 * (DOWN - tip[2]), turn)
        if self.mode == "lift":
            if tip[2] > ABOVE - 0.03:
                self.mode = "approach"
            return self._action(-0.005 * towards, 0.4 * (ABOVE - tip[2]), 0.0)
        if behind > -0.5 * HALF or abs(aside) > 0.05:
            self.mode = "lift"
        return self._action(min(0.005, 0.0015 + 0.04 * left) * towards, 0.4 * (DOWN - tip[2]), 0.1 * turn)

    @staticmethod
    def _turn(observation, towards):
        """What the hand's wide side lacks to be across the way, (-π/2, π/2] [rad]; either side may be in front."""
        side = observation[9:12].astype(float)
        lacks = np.arctan2(towards[1], towards[0]) - (np.arctan2(side[1], side[0]) + np.pi / 4)
        return (lacks + np.pi / 2) % np.pi - np.pi / 2

    @staticmethod
    def _reach(observation, towards):
        """Half of the crate's width along a direction [m]."""
        sides = np.reshape(observation[15:21], (2, 3))[:, :2].astype(float)
        return HALF * np.abs(sides @ towards).sum()

    @staticmethod
    def _action(across, up, turn):
        action = np.array([across[0] / SCALE, across[1] / SCALE, up / SCALE, 0.3 * turn / TURN])
        return np.clip(action, -1.0, 1.0).astype(np.float32)
