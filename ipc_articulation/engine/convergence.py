"""Newton's convergence test, which is libuipc's, and what to say of a step that does not meet it.

A step meets it when it moves no vertex by velocity_tol·dt, changes no entry of any A by transrate_tol·dt, and collision
detection lets at least ccd_tol of it pass.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.engine import rows
from ipc_articulation.engine.newton_report import Unmet
from ipc_articulation.engine.potential import Potential
from ipc_articulation.frontend.config import Config

Array = NDArray[np.float64]

_SMALLER_STEP = "try a smaller dt, a larger newton/max_iter or a looser newton/velocity_tol"
_STIFFER = "it turns or deforms fast: try a smaller dt, a larger kappa or a looser newton/transrate_tol"
_FARTHER = "surfaces are almost in touch: try a smaller dt, a larger contact resistance or a larger contact/d_hat"


def step_sizes(potential: Potential, dq: Array, dt: float, config: Config) -> Array:
    """Size of each body's step, dq (n, 12) in units of the tolerances, (n,); below 1 that part of the test is met."""
    change = rows.largest_of_matrix(dq) / (config.transrate_tol * dt)
    return np.maximum(potential.motions(dq) / (config.velocity_tol * dt), change)


def unmet_criteria(
    potential: Potential, cut: Array, dq: Array, share: Array, dt: float, config: Config
) -> tuple[Unmet, ...]:
    """Which criteria the step dq (n, 12) misses; collision detection let its shares (n,) pass, up to `cut`."""

    def worst(values: Array) -> tuple[str, ...]:
        return (potential.body_names[int(values.argmax())],)

    motion, rate = potential.motions(dq) / dt, rows.largest_of_matrix(dq) / dt
    unmet = []
    if motion.max(initial=0.0) >= config.velocity_tol:
        unmet.append(Unmet("newton/velocity_tol", worst(motion), motion.max(), config.velocity_tol, _SMALLER_STEP))
    if rate.max(initial=0.0) >= config.transrate_tol:
        unmet.append(Unmet("newton/transrate_tol", worst(rate), rate.max(), config.transrate_tol, _STIFFER))
    if share.min(initial=1.0) < config.ccd_tol:
        near = tuple(potential.body_names[body] for body in potential.closest_bodies(cut))
        unmet.append(Unmet("newton/ccd_tol", near, share.min(), config.ccd_tol, _FARTHER))
    return tuple(unmet)
