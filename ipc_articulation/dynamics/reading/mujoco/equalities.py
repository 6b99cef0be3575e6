"""Equality constraints of a MuJoCo model, and mimic joints from those between two joints.

MuJoCo's joint equality is q₁ - r₁ = a₀ + a₁ (q₂ - r₂) + … + a₄ (q₂ - r₂)⁴, with the references r of qpos0. For
a₂ = a₃ = a₄ = 0 it is

    q₁ = a₁ q₂ + (r₁ + a₀ - a₁ r₂)

In MuJoCo the constraint is soft; a mimic joint satisfies it exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco

from ipc_articulation.dynamics.model.parts import Mimic
from ipc_articulation.dynamics.reading.mujoco.names import enabled, name_of
from ipc_articulation.errors import UnsupportedError


@dataclass(frozen=True)
class JointEquality:
    """A joint q₁ that follows another one, q₂."""

    where: str  # beginning of messages
    follower: str
    leader: str
    polynomial: list[float]  # (5,) a
    references: tuple[float, float]  # r₁ and r₂

    @property
    def is_linear(self) -> bool:
        """Whether a₂ = a₃ = a₄ = 0."""
        return not any(self.polynomial[2:])

    @property
    def multiplier(self) -> float:
        """a₁."""
        return self.polynomial[1]

    @property
    def offset(self) -> float:
        """r₁ + a₀ - a₁ r₂, for a linear equality."""
        return self.references[0] + self.polynomial[0] - self.multiplier * self.references[1]


def active(model: mujoco.MjModel) -> list[int]:
    """Indices of the equality constraints that are active from the start."""
    if not enabled(model, "EQUALITY", "CONSTRAINT"):
        return []
    return [equality for equality in range(model.neq) if model.eq_active0[equality]]


def kind_of(model: mujoco.MjModel, equality: int) -> str:
    """«connect», «weld», «joint», ..."""
    return mujoco.mjtEq(model.eq_type[equality]).name.removeprefix("mjEQ_").lower()


def place(model: mujoco.MjModel, equality: int) -> str:
    """The beginning of messages about an equality constraint."""
    return f"equality constraint '{name_of(model, 'equality', equality)}'"


def joint_equality(model: mujoco.MjModel, equality: int) -> JointEquality:
    """An equality constraint of two joints.

    Raises:
        UnsupportedError: The constraint is on one joint only.
    """
    where, joints = place(model, equality), (model.eq_obj1id[equality], model.eq_obj2id[equality])
    follower = name_of(model, "joint", joints[0])
    if joints[1] < 0:
        raise UnsupportedError(f"{where} holds joint '{follower}' alone; take the joint out instead")
    r1, r2 = (float(model.qpos0[model.jnt_qposadr[joint]]) for joint in joints)
    leader, polynomial = name_of(model, "joint", joints[1]), model.eq_data[equality, :5].tolist()
    return JointEquality(where, follower, leader, polynomial, (r1, r2))


def mimics(model: mujoco.MjModel) -> dict[str, Mimic]:
    """Mimic joints by name; equalities that are inactive at the start are left out.

    Raises:
        UnsupportedError: An equality is not between two joints, not linear, or the second one for its first joint.
    """
    found: dict[str, Mimic] = {}
    for equality in active(model):
        where, kind = place(model, equality), kind_of(model, equality)
        if kind != "joint":
            raise UnsupportedError(f"{where} is a {kind}, which closes a loop; a mechanism is a tree: leave it out")
        pair = joint_equality(model, equality)
        if not pair.is_linear:
            raise UnsupportedError(f"{where} is not linear: polycoef {pair.polynomial}")
        if pair.follower in found:
            raise UnsupportedError(
                f"{where} is the second one for joint '{pair.follower}'; a joint can follow one other"
            )
        found[pair.follower] = Mimic(pair.leader, pair.multiplier, pair.offset)
    return found
