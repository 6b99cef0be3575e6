"""How many steps of MuJoCo one step of the scene has."""

from __future__ import annotations

from math import floor, isfinite

from ipc_articulation.errors import AdapterError

_ROUNDING = 1e-9  # relative
_MOST = 1000  # as in scene files


def step_count(dt: float, h: float) -> int:
    """The number k of MuJoCo's steps of h [s] in a step of the scene of dt [s].

    Raises:
        AdapterError: dt/h is no whole number, or one of them is no time step; names both, and what would fit.
    """
    if not (isfinite(dt) and isfinite(h) and dt > 0.0 and h > 0.0):
        raise AdapterError(f"the scene has dt = {dt!r} s, the model {h!r} s; time steps must be finite and above 0")
    ratio = dt / h
    if ratio > _MOST + 0.5:
        raise AdapterError(
            f"the scene has dt = {dt!r} s, the model {h!r} s; a step of the scene has at most {_MOST} steps of MuJoCo: "
            f"set opt.timestep to {dt / _MOST:g} or more"
        )
    k = round(ratio)
    if k >= 1 and abs(ratio - k) <= _ROUNDING * k:
        return k
    raise AdapterError(
        f"time steps differ: the scene has dt = {dt!r} s, the model {h!r} s, and dt must be a whole multiple of the "
        f"model's; {_advice(dt, h)}"
    )


def _advice(dt: float, h: float) -> str:
    below = floor(dt / h)
    if below >= 1:
        return (
            f"set dt to {below * h:.9g} or {(below + 1) * h:.9g}, or opt.timestep to {dt:g}/{below} or "
            f"{dt:g}/{below + 1}"
        )
    held = h / dt
    steps = f"{held:.0f}" if abs(held - round(held)) <= _ROUNDING * held else "several"
    return f"set dt to {h:g}, or opt.timestep to {dt:g} and keep the controls for {steps} steps"
