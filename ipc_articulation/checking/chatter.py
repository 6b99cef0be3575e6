"""Actuators whose damping chatters at the limit of their force.

Beyond its limit L the force of an actuator is constant, and its gains are no longer in M̂. With the effective inertia
m = 1/(M̂⁻¹)ⱼⱼ of the joint, M̂ without these gains, the damping kv reaches the limit at the velocity v = L/kv, and a step
changes it to

    v⁺ = v - dt L/m = v (1 - dt kv/m).

For dt kv/m > 2 that is beyond the limit again, in the other direction, and larger: the joint never comes to rest. With
s the gains of the joint in M̂, and a = (M̂⁻¹)ⱼⱼ, 1/m = a/(1 - s a) (Sherman and Morrison).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ipc_articulation.checking.gains import actuator_gains
from ipc_articulation.checking.start import Start
from ipc_articulation.coupling.kinds import freedom_names, single_freedoms
from ipc_articulation.scenefile.document import SceneProblem
from ipc_articulation.scenefile.schema import RobotScene

CALM = 2.0  # largest dt kv/m
FASTEST = 1e3  # [rad/s or m/s] velocity that no joint reaches


def chatter_problems(start: Start, scene: RobotScene) -> Iterator[SceneProblem]:
    """A warning for each entry of actuators with damping that chatters, which names the joint with the worst."""
    if start.effective_mass is None:
        return
    names, inverse = freedom_names(start.robot.joints), np.linalg.inv(start.effective_mass)
    kp, kv, owner = actuator_gains(scene, single_freedoms(start.robot.joints))
    efforts = dict(zip(start.joints, start.efforts, strict=True))
    worst: dict[int, tuple[float, str]] = {}
    for joint, index in enumerate(owner):
        name, damping = names[joint], float(kv[joint])
        effort = efforts.get(name, np.inf)
        if index is None or not effort < FASTEST * damping:
            continue
        is_clipped = abs(scene.robot.initial_velocity.get(name, 0.0)) * damping > effort
        held = 0.0 if is_clipped else _implicit(scene, float(kp[joint]), damping)
        ratio = scene.engine_dt * damping / (1.0 / inverse[joint, joint] - held)
        if ratio > max(CALM, worst.get(index, (0.0, ""))[0]):
            worst[index] = ratio, _message(name, effort, ratio, damping, scene.engine_dt)
    for index, (_, message) in worst.items():
        yield SceneProblem(("robot", "actuators", index), message)


def _implicit(scene: RobotScene, kp: float, kv: float) -> float:
    """What an actuator adds to its joint's entry of M̂."""
    dt = scene.engine_dt
    match scene.integrator:
        case "Euler":
            return 0.0
        case "implicitfast":
            return dt * kv
        case _:
            return dt * kv + dt**2 * kp


def _message(joint: str, effort: float, ratio: float, kv: float, dt: float) -> str:
    calm = CALM / ratio
    return (
        f"joint '{joint}' chatters where its force is at its limit {effort:g}: a step of {dt:g} s then changes the "
        f"velocity by {ratio:.3g} times as much as the damping should take away, and more than {CALM:g} never comes to "
        f"rest; give it a kv up to {calm * kv:.2g}, or a dt up to {calm * dt:.2g}"
    )
