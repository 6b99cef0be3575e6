"""Successive turns about coordinate axes: arboris' joints with two and three angles.

With s, c the sine and cosine of the angle in the index, the upper (angular) half of X is

    RzRy   [-s_y 0; 0 1; c_y 0]
    RzRx   [0 1; s_x 0; c_x 0]
    RyRx   [0 1; c_x 0; -s_x 0]
    RzRyRx [-s_y 0 1; s_x c_y c_x 0; c_x c_y -s_x 0], singular at q_y = ±π/2

and the lower half is zero (arboris-python, `joints.py`).
"""

from __future__ import annotations

from ipc_articulation.dynamics.joints.axis_joints import X, Y, Z
from ipc_articulation.dynamics.joints.elements import Screw
from ipc_articulation.dynamics.joints.joint import Joint


class RzRyJoint(Joint):
    """H = Rot(z, q₁) Rot(y, q₂)."""

    elements = (Screw(Z), Screw(Y))


class RzRxJoint(Joint):
    """H = Rot(z, q₁) Rot(x, q₂)."""

    elements = (Screw(Z), Screw(X))


class RyRxJoint(Joint):
    """H = Rot(y, q₁) Rot(x, q₂)."""

    elements = (Screw(Y), Screw(X))


class RzRyRxJoint(Joint):
    """H = Rot(z, q₁) Rot(y, q₂) Rot(x, q₃)."""

    elements = (Screw(Z), Screw(Y), Screw(X))
