"""The impulses of bounded springs on freedoms that yield."""

import numpy as np

from ipc_articulation.articulation.bounded_springs import FRICTION, LOWER, SPRINGS, UPPER, curvatures, slopes
from ipc_articulation.articulation.spring_impulses import impulses


def problems(count, rng):
    """Compliances, springs as stiff as those of limits and dry friction, predictions, and where the step would lead."""
    for _ in range(count):
        size = rng.integers(1, 12)
        J = rng.normal(size=(size, size)) * 10.0 ** rng.uniform(-1.5, 1.5, size=(size, 1))
        springs = np.zeros((size, SPRINGS, 4))
        springs[:, LOWER] = np.c_[-rng.random(size), np.full(size, 1e6), np.full(size, -np.inf), np.zeros(size)]
        springs[:, UPPER] = np.c_[rng.random(size), np.full(size, 1e6), np.zeros(size), np.full(size, np.inf)]
        f = rng.random(size)
        springs[:, FRICTION] = np.c_[0.01 * rng.normal(size=size), 1e8 * f, -f, f]
        yield J @ J.T, springs, rng.uniform(-1, 1, size=size), rng.normal(size=size)


def test_theimpulses_are_those_of_the_springs_where_they_lead():
    pieces = set()
    for A, springs, tilde, ahead in problems(500, np.random.default_rng(0)):
        mu = impulses(A, springs, tilde, ahead, slopes(springs, tilde, np.zeros(len(A))))
        x = ahead - A @ mu
        # the impulse within the rounding of x, which a stiff spring multiplies
        rounding = 1e-12 + curvatures(springs, x) * 1e-12 * (np.abs(A) @ np.abs(mu) + np.abs(ahead))
        below, above = slopes(springs, tilde, x - 1e-9), slopes(springs, tilde, x + 1e-9)
        assert (below - rounding - 1e-9 <= mu).all()
        assert (mu <= above + rounding + 1e-9).all()
        pieces |= set(np.round(np.log10(1.0 + curvatures(springs, x))).tolist())
    assert len(pieces) > 2  # slipping, sticking, at a limit
