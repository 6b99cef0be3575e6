"""The corpora of contact themselves: Erleben's and ContactBench's cases, and small ones of SimBenchmark."""

import pytest

from benchmarks.contact_tests import contactbench, erleben, simbenchmark
from benchmarks.contact_tests.running import run

LONG = tuple(f"contactbench/{name}" for name in ("cube falls", "cube is dragged", "cube slides", "ball is lifted"))
FAILING = {  # known faults, each said in docs/contact_tests.md
    "contactbench/two cubes, 1 ms": "the tonne bounces on: short steps dissipate little",
}
SMALL = (
    simbenchmark.pile(3, dt=0.01, seconds=1.0),
    simbenchmark.bouncing(3, dt=0.01, seconds=2.0),
)


def marks(name):
    failing = [pytest.mark.xfail(strict=True, reason=FAILING[name])] if name in FAILING else []
    return [*failing, *([pytest.mark.slow] if name in LONG else [])]


CASES = [*erleben.cases(), *contactbench.cases(), *SMALL]


@pytest.mark.slow
@pytest.mark.parametrize("case", [pytest.param(case, id=case.name, marks=marks(case.name)) for case in CASES])
def test_a_case_meets_its_criteria(case):
    history = run(case)
    assert history.intersecting == []
    assert history.unconverged == 0
    failing = [f"{each.what}: {each.value:.3g} > {each.bound:.3g}" for each in case.findings(history) if not each.holds]
    assert failing == []


@pytest.mark.slow
def test_balls_on_a_plate_roll_as_they_must():
    """One ball, pushed harder than in the benchmark; the plate follows its own equation all the time."""
    case = simbenchmark.rolling("xy", 1, dt=0.01, seconds=0.5, subdivisions=3)
    findings = case.findings(run(case))
    assert all(each.holds for each in findings)
    found = {each.what: each.value for each in findings}
    assert found["speed of the box at the end / analytic"] == pytest.approx(1.0, abs=0.01)
    assert found["mean speed of the balls at the end / analytic"] == pytest.approx(1.0, abs=0.2)  # 1280 triangles
