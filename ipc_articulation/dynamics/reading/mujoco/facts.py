"""What an MJCF file says of the start: keyframe or reference positions, gravity, integrator, actuators."""

from __future__ import annotations

import mujoco
import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.reading.facts import FileFacts, ScalarJoint
from ipc_articulation.dynamics.reading.mujoco.actuators import JointActuator, block, joint_actuators
from ipc_articulation.dynamics.reading.mujoco.names import SCALAR, body_names, enabled, name_of

UNNAMED = "MuJoCo Model"  # what MuJoCo calls a model without a name
STARTS = ("home", "stand", "standing", "start", "initial", "init", "default", "rest", "neutral")  # the best first

USUAL_DT = 0.002  # [s], MuJoCo's own where a file has none


def read_facts(model: mujoco.MjModel) -> FileFacts:
    """The facts of a compiled model; nothing is refused."""
    keyframe = _keyframe(model)
    qpos = model.qpos0 if keyframe is None else model.key_qpos[keyframe]
    actuators, _ = joint_actuators(model)
    floating = _floating(model)
    driven = {name_of(model, "joint", actuator.joint) for actuator in actuators if actuator.takes_target}
    motors = {name_of(model, "joint", actuator.joint) for actuator in actuators if actuator.is_motor}
    followers, trees = _followers(model), _trees(model)
    return FileFacts(
        joints=tuple(
            _joint(model, int(j), qpos, followers, trees) for j in np.flatnonzero(np.isin(model.jnt_type, SCALAR))
        ),
        name=_model_name(model),
        keyframe="" if keyframe is None else model.key(keyframe).name or f"number {keyframe}",
        gravity=model.opt.gravity * enabled(model, "GRAVITY"),
        integrator=mujoco.mjtIntegrator(model.opt.integrator).name.removeprefix("mjINT_"),
        dt=None if model.opt.timestep == USUAL_DT else float(model.opt.timestep),
        base=_pose_of(model, floating[0], qpos) if len(floating) == 1 else None,
        targets={} if keyframe is None else _targets(model, actuators, model.key_ctrl[keyframe]),
        floating=tuple(name_of(model, "body", body) for body in floating),
        driven=frozenset(driven),
        motors=frozenset(motors - driven),
        has_actuators=len(model.actuator_trntype) > 0,
        trees=trees,
    )


def _model_name(model: mujoco.MjModel) -> str:
    """The attribute `model` of `<mujoco>`; empty where it has none."""
    name = model.names.split(b"\0", 1)[0].decode(errors="replace")
    return "" if name == UNNAMED else name


def _keyframe(model: mujoco.MjModel) -> int | None:
    """The keyframe that is called like a start, else the first."""
    names = [model.key(k).name.lower() for k in range(model.nkey)]
    named = [names.index(name) for name in STARTS if name in names]
    return named[0] if named else 0 if names else None


def _joint(model: mujoco.MjModel, joint: int, qpos: Array, followers: set[int], trees: dict[str, str]) -> ScalarJoint:
    lower, upper = model.jnt_range[joint] if model.jnt_limited[joint] else (-np.inf, np.inf)
    slides = model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_SLIDE
    return ScalarJoint(
        name=name_of(model, "joint", joint),
        lower=float(lower),
        upper=float(upper),
        position=float(qpos[model.jnt_qposadr[joint]]),
        unit="m" if slides else "rad",
        follows=joint in followers,
        tree=trees[name_of(model, "body", model.jnt_bodyid[joint])],
    )


def _targets(model: mujoco.MjModel, actuators: list[JointActuator], ctrl: Array) -> dict[str, float]:
    """What controls command position actuators to, by joint; nothing if all controls are zero, as without any."""
    return {
        name_of(model, "joint", actuator.joint): float(np.clip(control / actuator.gear, *actuator.targets))
        for actuator in actuators
        if actuator.takes_target and ctrl.any()
        for control in [ctrl[block(model, "ctrl", actuator.number).start]]
    }


def _pose_of(model: mujoco.MjModel, body: int, qpos: Array) -> Array:
    """Position and quaternion of a body with a free joint, (7,)."""
    first = int(model.jnt_qposadr[model.body_jntadr[body]])
    pose = np.array(qpos[first : first + 7])
    pose[3:] /= np.linalg.norm(pose[3:])
    return pose


def _followers(model: mujoco.MjModel) -> set[int]:
    """Joints that an equality ties to another one."""
    return {
        int(model.eq_obj1id[e])
        for e in range(model.neq)
        if model.eq_type[e] == mujoco.mjtEq.mjEQ_JOINT and model.eq_active0[e] and model.eq_obj2id[e] >= 0
    }


def _trees(model: mujoco.MjModel) -> dict[str, str]:
    """The first body of each moving body's tree; of a static one, an empty name."""
    names, first = body_names(model), dict[int, str]()
    for body, name in enumerate(names):
        first.setdefault(int(model.body_treeid[body]), name)
    return {
        name: first[tree] if tree >= 0 else "" for name, tree in zip(names, model.body_treeid.tolist(), strict=True)
    }


def _floating(model: mujoco.MjModel) -> list[int]:
    """Bodies with a free joint that carry further joints."""
    free = model.jnt_bodyid[model.jnt_type == mujoco.mjtJoint.mjJNT_FREE]
    roots = model.body_rootid[model.jnt_bodyid]
    return [int(body) for body in free if np.count_nonzero(roots == body) > 1]
