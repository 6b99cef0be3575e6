"""Equality constraints of a MuJoCo model, and mimic joints from those between two joints.

MuJoCo's joint equality is q₁ - r₁ = a₀ + a₁ (q₂ - r₂) + … + a₄ (q₂ - r₂)⁴, with the references r of qpos0. For
a₂ = a₃ = a₄ = 0 it is

    q₁ = a₁ q₂ + (r₁ + a₀ - a₁ r₂)

An equality of fixed tendons, with lengths L = Σ c_j q_j that are L₀ at qpos0, L - L₀ = a₀ + a₁ (L' - L'₀), is linear in
the joints. In MuJoCo the constraints are soft; a mimic joint satisfies them exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from ipc_articulation.dynamics.model.parts import Mimic
from ipc_articulation.dynamics.reading.mujoco.attachments import equality_bodies, is_fixed_tendon
from ipc_articulation.dynamics.reading.mujoco.names import enabled, name_of
from ipc_articulation.errors import UnsupportedError
from ipc_articulation.repairs import repair


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
    """Indices of the equality constraints that are active from the start, and not within one rigid group."""
    if not enabled(model, "EQUALITY", "CONSTRAINT"):
        return []
    return [e for e in range(model.neq) if model.eq_active0[e] and not _within_one_group(model, e)]


def closes_loops(model: mujoco.MjModel) -> bool:
    """Whether a model has active equalities that only loops satisfy: connects, and joint equalities beyond linear."""
    return any(
        kind_of(model, equality) == "connect"
        or (kind_of(model, equality) == "joint" and np.any(model.eq_data[equality, 2:5]))
        for equality in active(model)
    )


def _within_one_group(model: mujoco.MjModel, equality: int) -> bool:
    """True for a connect or weld between bodies that cannot move against each other."""
    groups = {int(model.body_weldid[body]) for body in equality_bodies(model, equality)}
    return kind_of(model, equality) in ("connect", "weld") and len(groups) == 1


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


def tendon_relation(model: mujoco.MjModel, equality: int) -> tuple[dict[str, float], float] | None:
    """Σ c_j q_j = o of a tendon equality: c_j by joint, and o; None if it is not linear in at least two joints."""
    tendons = [int(index) for index in (model.eq_obj1id[equality], model.eq_obj2id[equality]) if index >= 0]
    a0, a1, *higher = model.eq_data[equality, :5].tolist()
    if not all(is_fixed_tendon(model, tendon) for tendon in tendons) or (len(tendons) == 2 and any(higher)):
        return None
    coefficients: dict[str, float] = {}
    offset = a0
    for tendon, factor in zip(tendons, (1.0, -a1), strict=False):
        offset += factor * float(model.tendon_length0[tendon])
        first = int(model.tendon_adr[tendon])
        for wrap in range(first, first + int(model.tendon_num[tendon])):
            joint = name_of(model, "joint", model.wrap_objid[wrap])
            coefficients[joint] = coefficients.get(joint, 0.0) + factor * float(model.wrap_prm[wrap])
    coefficients = {joint: c for joint, c in coefficients.items() if c}
    return (coefficients, offset) if len(coefficients) > 1 else None


def leave_out(model: mujoco.MjModel, equality: int, remains: str) -> None:
    """Report that an equality is left out.

    Args:
        model: The model.
        equality: Its index.
        remains: The kinds that are read.

    Raises:
        UnsupportedError: Repairs are refused.
    """
    fault = f"it is a {kind_of(model, equality)}; {remains} are read"
    repair(place(model, equality), fault, "left out", UnsupportedError)


def mimics(model: mujoco.MjModel) -> dict[str, Mimic]:
    """Mimic joints by name; equalities that are inactive at the start are left out.

    Raises:
        UnsupportedError: An equality is a connect, has one joint, is not linear, or the second one for its first joint.
    """
    found: dict[str, Mimic] = {}
    for equality in active(model):
        where, kind = place(model, equality), kind_of(model, equality)
        if kind == "connect":
            raise UnsupportedError(f"{where} is a connect, which closes a loop; a mechanism is a tree: leave it out")
        entry = _mimic_of_tendons(model, equality) if kind == "tendon" else None
        if kind == "joint":
            entry = _mimic_of_joints(model, equality)
        if entry is None:
            leave_out(model, equality, "linear equalities of two joints")
            continue
        follower, mimic = entry
        if follower in found:
            raise UnsupportedError(f"{where} is the second one for joint '{follower}'; a joint can follow one other")
        found[follower] = mimic
    return found


def _mimic_of_joints(model: mujoco.MjModel, equality: int) -> tuple[str, Mimic]:
    pair = joint_equality(model, equality)
    if not pair.is_linear:
        raise UnsupportedError(f"{pair.where} is not linear: polycoef {pair.polynomial}")
    return pair.follower, Mimic(pair.leader, pair.multiplier, pair.offset)


def _mimic_of_tendons(model: mujoco.MjModel, equality: int) -> tuple[str, Mimic] | None:
    relation = tendon_relation(model, equality)
    if relation is None or len(relation[0]) > 2:
        return None
    ((leader, b), (follower, a)), offset = relation[0].items(), relation[1]
    return follower, Mimic(leader, -b / a, offset / a)
