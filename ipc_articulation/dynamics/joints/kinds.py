"""All kinds of joints, each a chain of elements; the pages in docs/joints have their formulas.

s, c are the sine and cosine of the angle in the index. Names such as RzRyJoint are arboris': successive turns about
coordinate axes, with the upper (angular) half of X

    RzRy   [-s_y 0; 0 1; c_y 0]
    RzRx   [0 1; s_x 0; c_x 0]
    RyRx   [0 1; c_x 0; -s_x 0]
    RzRyRx [-s_y 0 1; s_x c_y c_x 0; c_x c_y -s_x 0], singular at q_y = ±π/2

and the lower half zero (arboris-python, `joints.py`).
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from ipc_articulation import spatial
from ipc_articulation.arguments import FINITE, checked
from ipc_articulation.dynamics.joints.elements import Element, Rotation, Screw, Translation, unit
from ipc_articulation.dynamics.joints.joint import Joint
from ipc_articulation.errors import ModelError

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


class FixedJoint(Joint):
    """H = 1, X is 6×0."""


class FloatingJoint(Joint):
    """H = [R(quat) p; 0 1], X = [0 Rᵀ; Rᵀ 0].

    q = (p, quaternion), seven numbers; ν = (ṗ, ω), six numbers, both in the parent's axes: RaiSim's convention. So a
    free body whose centre of mass is its origin falls with ν̇ = (g, ·) at any angular velocity.
    """

    elements = (Translation(), Rotation())


class SphericalJoint(Joint):
    """H = R(quat), X = [Rᵀ; 0].

    q is a unit quaternion (w, x, y, z), child to parent; ν = ω, the angular velocity in the parent's axes: RaiSim's
    convention.
    """

    elements = (Rotation(),)


class _AxisJoint(Joint):
    """A joint along one axis, the same in both frames."""

    def __init__(self, axis: ArrayLike, gpos: ArrayLike | None = None, gvel: ArrayLike | None = None) -> None:
        self.elements = self._about(unit(axis))
        super().__init__(gpos, gvel)

    def _about(self, a: tuple[float, float, float]) -> tuple[Element, ...]:
        """The elements for a unit axis."""
        raise NotImplementedError


class RevoluteJoint(_AxisJoint):
    """H = Rot(a, q), X = [a; 0].

    Args:
        axis: a, (3,), of any length but zero; the same in both frames.
        gpos: Angle [rad].
        gvel: Rate [rad/s].

    Raises:
        ModelError: The axis has no length.
    """

    def _about(self, a: tuple[float, float, float]) -> tuple[Element, ...]:
        return (Screw(a),)


class PrismaticJoint(_AxisJoint):
    """H = translation by q a, X = [0; a].

    Args:
        axis: a, (3,), of any length but zero; the same in both frames.
        gpos: Distance [m].
        gvel: Speed [m/s].

    Raises:
        ModelError: The axis has no length.
    """

    def _about(self, a: tuple[float, float, float]) -> tuple[Element, ...]:
        return (Screw(a, turn=0.0, slide=1.0),)


class CylindricalJoint(_AxisJoint):
    """H = Rot(a, q₁) then translation by q₂ a, X = [a 0; 0 a].

    Args:
        axis: a, (3,), of any length but zero; the same in both frames.
        gpos: Angle [rad] and distance [m].
        gvel: Their rates.

    Raises:
        ModelError: The axis has no length.
    """

    def _about(self, a: tuple[float, float, float]) -> tuple[Element, ...]:
        return Screw(a), Screw(a, turn=0.0, slide=1.0)


class PlanarJoint(_AxisJoint):
    """H = translation by q₁ e₁ + q₂ e₂, then Rot(n, q₃). If n is the z axis,

    X = [0 0 0; 0 0 0; 0 0 1; c s 0; -s c 0; 0 0 0],  c, s of q₃.

    Args:
        normal: n, (3,), of any length but zero; (e₁, e₂, n) is right-handed, and (x, y, z) for the z axis.
        gpos: Two distances [m] and an angle [rad].
        gvel: Their rates.

    Raises:
        ModelError: The normal has no length.
    """

    def __init__(self, normal: ArrayLike = Z, gpos: ArrayLike | None = None, gvel: ArrayLike | None = None) -> None:
        super().__init__(normal, gpos, gvel)

    def _about(self, a: tuple[float, float, float]) -> tuple[Element, ...]:
        R = spatial.rotation_to(a)
        return *(Screw(unit(R[:, k]), turn=0.0, slide=1.0) for k in range(2)), Screw(a)


class HelicalJoint(Joint):
    """H = [Rot(a, q), h q a; 0 1], X = [a; h a].

    Args:
        axis: a, (3,), of any length but zero; the same in both frames.
        pitch: h, advance along the axis [m/rad].
        gpos: Angle [rad].
        gvel: Rate [rad/s].

    Raises:
        ModelError: The axis has no length, or the pitch is not finite.
    """

    @checked(ModelError, pitch=FINITE)
    def __init__(
        self, axis: ArrayLike, pitch: float, gpos: ArrayLike | None = None, gvel: ArrayLike | None = None
    ) -> None:
        self.elements = (Screw(unit(axis), turn=1.0, slide=float(pitch)),)
        super().__init__(gpos, gvel)


class UniversalJoint(Joint):
    """H = Rot(a, q₁) Rot(b, q₂), X = [Rot(b, -q₂) a, b; 0 0].

    Args:
        first: a, (3,), fixed in the parent.
        second: b, (3,), fixed in the child.
        gpos: Two angles [rad].
        gvel: Their rates [rad/s].

    Raises:
        ModelError: An axis has no length.
    """

    def __init__(
        self, first: ArrayLike, second: ArrayLike, gpos: ArrayLike | None = None, gvel: ArrayLike | None = None
    ) -> None:
        self.elements = (Screw(unit(first)), Screw(unit(second)))
        super().__init__(gpos, gvel)


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
