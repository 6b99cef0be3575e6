"""Turns about and slides along the axes x, y and z: arboris' joints with one degree of freedom, and TxTyTz."""

from __future__ import annotations

from ipc_articulation.dynamics.joints.elements import Screw, Translation
from ipc_articulation.dynamics.joints.joint import Joint

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


class RxJoint(Joint):
    """H = Rot(x, q), X = [1 0 0 0 0 0]ᵀ."""

    elements = (Screw(X),)


class RyJoint(Joint):
    """H = Rot(y, q), X = [0 1 0 0 0 0]ᵀ."""

    elements = (Screw(Y),)


class RzJoint(Joint):
    """H = Rot(z, q), X = [0 0 1 0 0 0]ᵀ."""

    elements = (Screw(Z),)


class TxJoint(Joint):
    """H = translation by (q, 0, 0), X = [0 0 0 1 0 0]ᵀ."""

    elements = (Screw(X, turn=0.0, slide=1.0),)


class TyJoint(Joint):
    """H = translation by (0, q, 0), X = [0 0 0 0 1 0]ᵀ."""

    elements = (Screw(Y, turn=0.0, slide=1.0),)


class TzJoint(Joint):
    """H = translation by (0, 0, q), X = [0 0 0 0 0 1]ᵀ."""

    elements = (Screw(Z, turn=0.0, slide=1.0),)


class TxTyTzJoint(Joint):
    """H = translation by q, X = [0; 1₃]."""

    elements = (Translation(),)
