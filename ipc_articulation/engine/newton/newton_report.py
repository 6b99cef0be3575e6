"""Newton's report of one step: its result, and without convergence which body missed which criterion."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

_STILL = {  # what the last Newton step missed, by criterion
    "newton/velocity_tol": "the last iteration still changed the velocity of {} by {:.3g} m/s",
    "newton/transrate_tol": "the last iteration still turned or deformed {} by {:.3g} /s",
    "newton/ccd_tol": "collisions of {} left only the fraction {:.3g} of the last iteration",
}


class NewtonResult(Enum):
    """Result of a solve."""

    CONVERGED = "converged"  # the convergence test was met
    SEMI_IMPLICIT = "semi-implicit"  # newton/semi_implicit took what it had
    MAX_ITERATIONS = "max iterations"  # newton/max_iter iterations, and the test was not met
    LINE_SEARCH_EXHAUSTED = "line search exhausted"  # the same, and the last line search found no decrease

    @property
    def is_success(self) -> bool:
        """True if the criteria of the scene were met."""
        return self in (NewtonResult.CONVERGED, NewtonResult.SEMI_IMPLICIT)


@dataclass(frozen=True)
class Unmet:
    """A criterion of the convergence test that the last step did not meet."""

    criterion: str  # its key in the scene's configuration
    bodies: tuple[str, ...]  # where it was missed by most
    value: float
    bound: float
    advice: str

    def __str__(self) -> str:
        where = " and ".join(f"'{body}'" for body in self.bodies)
        return (
            f"{_STILL[self.criterion].format(where, self.value)}, {self.criterion} is {self.bound:.3g}: {self.advice}"
        )

    @property
    def excess(self) -> float:
        """How many times the criterion is missed; above 1."""
        ratio = self.value / self.bound
        return 1.0 / max(ratio, 1e-300) if self.criterion == "newton/ccd_tol" else ratio


def kind_of(warning: str) -> str:
    """What a warning of a step says before it names bodies and amounts."""
    return warning.partition(":")[0]


@dataclass
class NewtonReport:
    """Report of one solve."""

    result: NewtonResult = NewtonResult.MAX_ITERATIONS
    iterations: int = 0
    awake: int = 0  # bodies that were moved; the others rest (see `rest`)
    line_search_steps: int = 0
    exhausted_searches: int = 0  # line searches that found no decrease
    ccd_step: float = 1.0  # smallest fraction of a Newton step that collision detection allowed
    unmet: tuple[Unmet, ...] = ()  # empty where the result is a success
    warnings: list[str] = field(default_factory=list)  # an error each in strict mode
    friction_iterations: int = 1  # minimisations, each with friction renewed where the one before had ended

    def add(self, later: NewtonReport) -> None:
        """Take up the report of a minimisation that went on from where this one has ended."""
        self.result = later.result if self.result.is_success else self.result
        self.iterations += later.iterations
        self.friction_iterations += later.friction_iterations
        self.line_search_steps += later.line_search_steps
        self.exhausted_searches += later.exhausted_searches
        self.awake, self.ccd_step = max(self.awake, later.awake), min(self.ccd_step, later.ccd_step)
        self.unmet = self.unmet or later.unmet
        self.warnings += [warning for warning in later.warnings if warning not in self.warnings]

    @property
    def converged(self) -> bool:
        """True if the criteria of the scene were met."""
        return self.result.is_success
