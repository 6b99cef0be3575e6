"""Steps that lead to and fro are halved, and Newton's method ends where it would go round in circles without that."""

import numpy as np
import pytest

from ipc_articulation.engine.newton import to_and_fro
from ipc_articulation.engine.newton.iterate import CutStep


def step(sizes, dq, fraction=1.0):
    """A step of bodies by dq (n,) along their first coordinate."""
    steps = np.zeros((len(dq), 12))
    steps[:, 0] = dq
    return CutStep(np.zeros_like(steps), steps, np.full(len(dq), fraction), np.array(sizes, dtype=float))


def fractions(now, last, taken=(1.0, 1.0, 1.0), labels=(0, 0, 2)):
    return to_and_fro.halved(now, last, np.array(taken), np.array(labels)).fraction.tolist()


def test_the_steps_of_an_island_that_leads_back_are_halved():
    last = step([1, 1, 1], [1.0, 2.0, 1.0])
    assert fractions(step([1, 1, 1], [-1.0, -2.0, 1.0]), last) == [0.5, 0.5, 1.0]
    assert fractions(step([1, 1, 1], [-1.0, -2.0, -1.0], 0.3), last) == [0.15, 0.15, 0.15]


def test_other_steps_stay():
    last = step([1, 1, 1], [1.0, 2.0, 1.0])
    onward, aside, shorter = (
        step([1, 1, 1], [1.0, 2.0, 1.0]),
        step([1, 1, 1], [-1.0, 2.0, 1.0]),
        step([0.4, 0.4, 0.4], [-0.4, -0.8, -0.4]),
    )
    for each in (onward, aside, shorter):
        assert fractions(each, last) == [1.0] * 3
    back = step([1, 1, 1], [-1.0, -2.0, -1.0])
    assert fractions(back, last, taken=(1.0, 0.5, 1.0)) == [1.0, 1.0, 0.5], "of an island one body took only a part"
    assert fractions(back, step([0, 0, 0], [0.0, 0.0, 0.0])) == [1.0] * 3, "there was no step before"


@pytest.mark.parametrize("soft", [0.1, 0.3, 0.49])
def test_a_force_that_is_stiff_in_the_middle_only_is_no_trap(soft):
    """The force of a spring that slips: slope 1 between -1 and 1, `soft` beyond; Newton leads from side to side."""

    def force(x):
        return np.clip(x, -1.0, 1.0) + soft * (x - np.clip(x, -1.0, 1.0))

    def newton(x, steps, is_halved):
        labels, last, taken = np.array([0]), step([0.0], [0.0]), np.array([1.0])
        for _ in range(steps):
            dq = -force(x) / (1.0 if abs(x) <= 1.0 else soft)
            now = step([abs(dq)], [dq])
            if is_halved:
                now = to_and_fro.halved(now, last, taken, labels)
            x, last, taken = x + now.fraction[0] * dq, now, now.fraction
        return x

    start = 1.0 + (1.0 - soft) / soft  # from there Newton's step leads beyond the other side
    assert abs(newton(start, 40, is_halved=False)) > 1.0
    assert newton(start, 40, is_halved=True) == pytest.approx(0.0, abs=1e-12)
