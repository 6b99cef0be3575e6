"""Statistics of a step, as data and as a line of the log."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Any

from ipc_articulation.arrays import Array
from ipc_articulation.contact.forces import ContactForces
from ipc_articulation.engine.newton.newton_report import NewtonReport, NewtonResult
from ipc_articulation.engine.output.step_output import StepOutput
from ipc_articulation.engine.terms.joint_penalty import JointForces
from ipc_articulation.errors import EngineError
from ipc_articulation.frontend.turns import Turn, in_turn

log = logging.getLogger("ipc_articulation")


class StepEnd:
    """The end of a step, for figures that are measured only on request; valid until the next step begins.

    They are measured in the arrays that steps work in: a thread waits until the step that another one takes has ended.

    Attributes:
        q_start: Coordinates of all bodies at the beginning of the step, (n, 12).
        q: Those at its end, which minimise the potential, (n, 12).
    """

    def __init__(self, frame: int, output: StepOutput, q_start: Array, q: Array, turn: Turn) -> None:
        """Take what is read of the step, and the turn of its scene."""
        self.q_start, self.q, self.turn = q_start, q, turn
        self._frame, self._output, self._is_past = frame, output, False

    def close(self) -> None:
        """Invalidate the end, because the next step begins and changes what it was read of."""
        self._is_past = True

    @in_turn
    def minimum_distance(self) -> float:
        self._refuse_past()
        return self._output.minimum_distance(self.q)

    @in_turn
    def collisions(self) -> int:
        self._refuse_past()
        return self._output.collisions(self.q)

    @in_turn
    def contacts(self, dt: float) -> ContactForces:
        self._refuse_past()
        return self._output.contact_forces(self.q, dt)

    @in_turn
    def joint_forces(self, dt: float) -> JointForces:
        self._refuse_past()
        return self._output.joint_forces(self.q, dt)

    @in_turn
    def energies(self) -> dict[str, float]:
        self._refuse_past()
        return self._output.energies(self.q)

    def _refuse_past(self) -> None:
        if self._is_past:
            raise EngineError(
                f"energies, contacts, collisions and minimum_distance of step {self._frame} can be measured only until "
                "the next step begins; keep statistics.as_dict() of each step, or, in another thread than that of the "
                "steps, read them within «with engine.between_steps():»"
            )


class NoStatistics:
    """Stands for statistics where there are none: it is false, and each of its figures is an EngineError."""

    def __init__(self, why: str) -> None:
        """Take the reason, for messages."""
        self._why = why

    def __bool__(self) -> bool:
        return False

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise EngineError(f"statistics.{name}: {self._why}; ask «if engine.statistics:» before")


@dataclass(frozen=True)
class StepStatistics:
    """Figures of one step. Contacts, collisions, minimum distance and energies are measured on request.

    Any thread may read them, without changing a bit of the run; those that are measured wait for a step that another
    thread takes.
    """

    frame: int
    dt: float  # [s]
    newton: NewtonReport  # result, iterations, line-search steps, CCD step
    stages: dict[str, float]  # [s] wall time by stage, in the order of `stopwatch.STAGES`; retrieving adds to it
    end: StepEnd = field(repr=False, compare=False)

    @property
    def result(self) -> NewtonResult:
        """Result of Newton's method."""
        return self.newton.result

    @property
    def awake(self) -> int:
        """Number of bodies that the step has computed; the others are fixed or at rest."""
        return self.newton.awake

    @property
    def seconds(self) -> float:
        """Wall time of the step, including the animator [s]."""
        return sum(self.stages.values())

    @property
    def collisions(self) -> int:
        """Number of pairs of primitives within d̂, and of vertices within d̂ of a half-plane.

        Raises:
            EngineError: The next step has begun.
        """
        return self.end.collisions()

    @property
    def minimum_distance(self) -> float:
        """Smallest distance of surfaces that may touch [m]; inf if no distance is below 10 d̂.

        Raises:
            EngineError: The next step has begun.
        """
        return self.end.minimum_distance()

    @property
    def contacts(self) -> ContactForces:
        """Points [m] and forces [N] of all contacts; their bodies are rows of `Engine.cpu.contact_names`.

        Raises:
            EngineError: The next step has begun.
        """
        return self.end.contacts(self.dt)

    @property
    def joint_forces(self) -> JointForces:
        """The forces that hold the scene's joints together, conjugate to the coordinates of their bodies [N, N·m].

        Raises:
            EngineError: The next step has begun.
        """
        return self.end.joint_forces(self.dt)

    @property
    def energies(self) -> dict[str, float]:
        """The step's incremental potential by term at its end [J·s²].

        Raises:
            EngineError: The next step has begun.
        """
        return self.end.energies()

    def as_dict(self) -> dict[str, Any]:
        """All figures in plain types, including the measured ones, which remain valid after the next step."""
        return {
            "frame": self.frame,
            "dt": self.dt,
            "result": self.result.value,
            "newton_iterations": self.newton.iterations,
            "friction_iterations": self.newton.friction_iterations,
            "line_search_steps": self.newton.line_search_steps,
            "ccd_step": self.newton.ccd_step,
            "collisions": self.collisions,
            "awake": self.awake,
            "minimum_distance": self.minimum_distance,
            "energies": self.energies,
            "seconds": self.seconds,
            "stages": dict(self.stages),
        }

    def log(self) -> None:
        """One line at INFO; times, energies and distance at DEBUG."""
        if not log.isEnabledFor(logging.INFO):
            return
        log.info(
            "step %d: %s, %d awake, %d Newton iterations, %d line-search steps, CCD step %.3g, %d collisions, %.3g ms",
            *(self.frame, self.result.value, self.awake, self.newton.iterations, self.newton.line_search_steps),
            *(self.newton.ccd_step, self.collisions, 1e3 * self.seconds),
        )
        if log.isEnabledFor(logging.DEBUG):
            stages = ", ".join(f"{stage} {1e3 * seconds:.3g}" for stage, seconds in self.stages.items())
            energies = ", ".join(f"{term} {energy:.6g}" for term, energy in self.energies.items())
            log.debug("step %d: [ms] %s", self.frame, stages)
            log.debug("step %d: [J·s²] %s; minimum distance %.3g m", self.frame, energies, self.minimum_distance)
