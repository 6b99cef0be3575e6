"""Joint equalities as joints that mimic others.

MuJoCo's joint equality holds q₁ - r₁ = a₀ + a₁ (q₂ - r₂) + … + a₄ (q₂ - r₂)⁴, with the references r of qpos0. For
a₂ = a₃ = a₄ = 0 it is

    q₁ = a₁ q₂ + (r₁ + a₀ - a₁ r₂)

MuJoCo holds it softly, a mimic holds it exactly.
"""

from __future__ import annotations

import mujoco
from ipc_articulation.adapters.mujoco.flags import enabled
from ipc_articulation.adapters.mujoco.names import name_of

from ipc_articulation.dynamics.model.parts import Mimic
from ipc_articulation.errors import UnsupportedError


def mimics(model: mujoco.MjModel) -> dict[str, Mimic]:
    """Mimics by the name of the joint that follows; equalities that start inactive are left out.

    Raises:
        UnsupportedError: An equality is not between two joints, not linear, or the second for its first joint.
    """
    found: dict[str, Mimic] = {}
    if not enabled(model, "EQUALITY", "CONSTRAINT"):
        return found
    for equality in range(model.neq):
        if model.eq_active0[equality]:
            _refuse(model, equality, found)
            found[name_of(model, "joint", model.eq_obj1id[equality])] = _mimic(model, equality)
    return found


def _mimic(model: mujoco.MjModel, equality: int) -> Mimic:
    follower, leader = model.eq_obj1id[equality], model.eq_obj2id[equality]
    offset, multiplier = model.eq_data[equality, :2]
    reference = model.qpos0[model.jnt_qposadr]
    shift = reference[follower] + offset - multiplier * reference[leader]
    return Mimic(name_of(model, "joint", leader), float(multiplier), float(shift))


def _refuse(model: mujoco.MjModel, equality: int, found: dict[str, Mimic]) -> None:
    where = f"equality constraint '{name_of(model, 'equality', equality)}'"
    kind = mujoco.mjtEq(model.eq_type[equality])
    if kind != mujoco.mjtEq.mjEQ_JOINT:
        what = kind.name.removeprefix("mjEQ_").lower()
        raise UnsupportedError(f"{where} is a {what}, which closes a loop; a mechanism is a tree: leave it out")
    follower = name_of(model, "joint", model.eq_obj1id[equality])
    if model.eq_obj2id[equality] < 0:
        raise UnsupportedError(f"{where} holds joint '{follower}' alone; take the joint out instead")
    if model.eq_data[equality, 2:5].any():
        raise UnsupportedError(f"{where} is not linear: polycoef {model.eq_data[equality, :5].tolist()}")
    if follower in found:
        raise UnsupportedError(f"{where} is the second one for joint '{follower}'; a joint can follow one other")
