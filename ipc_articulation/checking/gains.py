"""Stability of a robot's actuators at its time step.

With mass matrix M, gains K = diag(kp), C = diag(kv) and the effective mass M̂ of the engine's step, joints near their
targets follow θ⁺ = θ + w⁺ with w⁺ = w - M̂⁻¹(dt² K θ + dt C w), w = dt·θ̇: only what is in M̂ is implicit. The step is
unstable if an eigenvalue of this map lies outside the unit circle. A full `implicit` step has no such eigenvalue.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.checking.start import Start
from ipc_articulation.coupling.kinds import freedom_names, single_freedoms
from ipc_articulation.errors import AdapterError
from ipc_articulation.naming import matching
from ipc_articulation.scenefile.document import SceneProblem
from ipc_articulation.scenefile.schema import RobotScene

STABLE = 1.0 + 1e-6  # growth a step, with rounding: what nothing holds has a double eigenvalue of 1


def gain_problems(start: Start, scene: RobotScene) -> Iterator[SceneProblem]:
    """A warning for the actuators of the least stable joint."""
    M = start.effective_mass
    if M is None or scene.integrator == "implicit":
        return
    names = list(freedom_names(start.robot.joints))
    kp, kv, owner = actuator_gains(scene, single_freedoms(start.robot.joints))
    growth, amounts = growth_of(M, kp, kv, scene.engine_dt)
    driven = [joint for joint, index in enumerate(owner) if index is not None]
    if growth <= STABLE or not driven:
        return
    worst = max(driven, key=lambda joint: amounts[joint])
    bound = kp[worst] * _stable_fraction(M, kp, kv, scene.engine_dt)
    message = (
        f"joint '{names[worst]}' is unstable: each step of {scene.engine_dt:g} s makes its error {growth:.3g} times as "
        f"large; with these kv, gains up to about kp {bound:.2g} are stable, or a smaller dt"
    )
    yield SceneProblem(("robot", "actuators", owner[worst] or 0, "kp"), message)


def growth_of(M: Array, kp: Array, kv: Array, dt: float) -> tuple[float, Array]:
    """Spectral radius of the step, and how much each joint moves in its eigenvector, (m,).

    Args:
        M: M̂, (m, m).
        kp: (m,).
        kv: (m,).
        dt: [s].
    """
    values, vectors = np.linalg.eig(_step(M, kp, kv, dt))
    largest = int(np.abs(values).argmax())
    return float(np.abs(values[largest])), np.abs(vectors[len(M) :, largest])


def is_stable(M: Array, kp: Array, kv: Array, dt: float) -> bool:
    """Whether the spectral radius of the step is not above 1; arguments as those of `growth_of`."""
    return bool(np.abs(np.linalg.eigvals(_step(M, kp, kv, dt))).max() <= STABLE)


def _step(M: Array, kp: Array, kv: Array, dt: float) -> Array:
    """The map from (θ, w) to (θ⁺, w⁺), (2m, 2m)."""
    eye = np.eye(len(M))
    stiff, damp = np.linalg.solve(M, dt**2 * np.diag(kp)), np.linalg.solve(M, dt * np.diag(kv))
    return np.block([[eye - stiff, eye - damp], [-stiff, eye - damp]])


def actuator_gains(scene: RobotScene, names: list[str]) -> tuple[Array, Array, list[int | None]]:
    """Gains kp and kv of the scene by joint, and which entry of `actuators` they come from; None: none."""
    kp, kv, owner = np.zeros(len(names)), np.zeros(len(names)), list[int | None]([None] * len(names))
    for index, actuators in enumerate(scene.robot.actuators):
        try:
            chosen = matching(actuators.joints, names, "joint", AdapterError)
        except AdapterError:
            continue  # a joint that others determine, such as one of a loop
        for joint in chosen:
            kp[joint], kv[joint], owner[joint] = actuators.kp, actuators.kv, index
    return kp, kv, owner


def _stable_fraction(M: Array, kp: Array, kv: Array, dt: float) -> float:
    """The largest factor up to 1 on all kp with which the step is stable, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(20):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if is_stable(M, middle * kp, kv, dt) else (low, middle)
    return low
