"""Counts the steps that a world takes, and the simulated time."""

from __future__ import annotations

from typing import Any

from ipc_articulation.watching.subject import Subject


class StepClock:
    """Steps and simulated time since the clock was made.

    Args:
        subject: The scene.
        engine: The engine of its world, or one that reports nothing.

    Attributes:
        steps: Number of steps.
        time: Simulated time [s], each step with the time step that the scene had when it was counted.
    """

    def __init__(self, subject: Subject, engine: Any) -> None:
        self._subject, self._engine = subject, engine
        self._frame = self._frame_now()
        self.steps, self.time = 0, 0.0

    def follow(self) -> int:
        """Count the steps since the last call; without a CPU engine, which numbers them, one is assumed.

        Returns:
            Their number. It is negative, and nothing is counted, if the world was recovered to an earlier step.
        """
        frame = self._frame_now()
        steps = 1 if frame is None else frame - (self._frame or 0)
        if steps > 0:
            self._frame, self.steps, self.time = frame, self.steps + steps, self.time + steps * self._subject.dt
        return steps

    def rewind(self, steps: int) -> None:
        """Count steps that were undone when the world was recovered to an earlier one."""
        self._frame, self.steps, self.time = self._frame_now(), self.steps - steps, self.time - steps * self._subject.dt

    def _frame_now(self) -> int | None:
        """Number of steps that the CPU engine has taken; None for other engines."""
        return None if self._engine.cpu is None else self._engine.cpu.frame
