"""Lines of a scene file that repeat or replace options of the robot's file: gravity, integrator, base."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ipc_articulation.dynamics.reading.facts import FileFacts

GRAVITY = (0.0, 0.0, -9.81)  # of scenes [m/s²]
USUAL = "implicitfast"  # integrator of scenes
REPLACED = {  # integrators of MuJoCo that a coupled step cannot use
    "RK4": "its four stages a step have no single mass matrix",
    "IMPLICIT": "its matrix is not symmetric",
    "DISCRETE": "its matrix has the stiffness of springs and servos, which a coupled step does not read",
}


def gravity_lines(facts: FileFacts) -> Iterator[str]:
    """The file's gravity, where it differs from that of scenes."""
    if facts.gravity is not None and not np.allclose(facts.gravity, GRAVITY, atol=1e-12):
        yield f"gravity: [{', '.join(f'{component:.12g}' for component in facts.gravity)}]  # the robot file's [m/s²]"


def integrator_lines(facts: FileFacts, adapter: str, is_driven: bool) -> Iterator[str]:
    """The file's integrator, where MuJoCo moves the robot and it is not that of scenes.

    Args:
        facts: The file's.
        adapter: That moves the robot.
        is_driven: Whether there are actuators with a velocity gain, which Euler would treat explicitly.
    """
    if adapter != "mujoco":
        return
    if facts.integrator == "EULER" and is_driven:
        yield f"integrator: {USUAL}  # the robot file's is Euler, with which the damping of actuators is less stable"
    elif facts.integrator == "EULER":
        yield "integrator: Euler  # the robot file's"
    elif reason := REPLACED.get(facts.integrator):
        yield f"integrator: {USUAL}  # instead of the robot file's {facts.integrator}: {reason}"


def base_lines(facts: FileFacts) -> Iterator[str]:
    """The base that floats though the file cannot say so."""
    if facts.floating and not facts.says_base:
        names = ", ".join(f"'{name}'" for name in facts.floating)
        yield f"  base: free  # nothing in the file carries {names}; `fixed` would fix it to the world where it is"
