"""Dynamics body by body, from Newton and Euler and kinematics alone, to hold against recursions."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ipc_articulation.dynamics import Model, frame_poses, integrate, jacobian, jacobian_rate
from tests.dynamics.random_trees import States

Array = np.ndarray

STEP = 1e-5


class BodyMotion(NamedTuple):
    """A body whose centre of mass is at x, world axes."""

    mass: float
    inertia: Array  # (3, 3) about the centre
    x: Array  # (3,)
    velocity: Array  # (6,) [ω; ẋ]
    acceleration: Array  # (6,) [ω̇; ẍ]
    J: Array  # (6, nv)

    @property
    def momentum(self) -> Array:
        """[angular about the centre; linear], (6,)."""
        return np.concatenate([self.inertia @ self.velocity[:3], self.mass * self.velocity[3:]])

    def needs(self, gravity: Array) -> Array:
        """[I ω̇ + ω × I ω; m (ẍ - g)], the wrench about the centre that gives the acceleration, (6,)."""
        omega = self.velocity[:3]
        moment = self.inertia @ self.acceleration[:3] + np.cross(omega, self.inertia @ omega)
        return np.concatenate([moment, self.mass * (self.acceleration[3:] - gravity)])


def body_motions(model: Model, state: States) -> list[BodyMotion]:
    """All bodies of one state."""
    q, v, a = state.q, state.v, state.a
    return [
        BodyMotion(
            mass=body.mass,
            inertia=H[:3, :3] @ body.inertia @ H[:3, :3].T,
            x=H[:3, :3] @ body.centre + H[:3, 3],
            velocity=J @ v,
            acceleration=J @ a + jacobian_rate(model, q, v, body.name, body.centre) @ v,
            J=J,
        )
        for body in model.bodies
        for H in [frame_poses(model, q, [body.name])[0]]
        for J in [jacobian(model, q, body.name, body.centre)]
    ]


def moved(wrench: Array, x: Array, to: Array) -> Array:
    """A wrench about x as one about another point, (6,)."""
    return np.concatenate([wrench[:3] + np.cross(x - to, wrench[3:]), wrench[3:]])


def rate_along(model: Model, f: Callable[[Array, Array], Array], state: States) -> Array:
    """d/dt f(q, v) along a motion with the state's velocity and acceleration, by central differences."""
    ahead, behind = (
        f(integrate(model, state.q, state.v + 0.5 * h * state.a, h), state.v + h * state.a) for h in (STEP, -STEP)
    )
    return (np.asarray(ahead) - np.asarray(behind)) / (2.0 * STEP)


def assert_near(got: Array, want: Array, tolerance: float = 1e-11) -> None:
    """To a tolerance relative to the largest number wanted."""
    np.testing.assert_allclose(got, want, rtol=0.0, atol=tolerance * max(1.0, np.abs(want).max(initial=0.0)))
