"""Pinocchio models that the adapter's tests share."""

from __future__ import annotations

import coal
import numpy as np
import pinocchio as pin
from ipc_articulation.adapters.pinocchio import PinocchioAdapter

from ipc_articulation import couple
from tests.coupling.worlds import make_scene, make_world

DT = 0.005
OBLIQUE = np.array([0.48, 0.6, 0.64])


def composite() -> pin.JointModelComposite:
    joint = pin.JointModelComposite()
    joint.addJoint(pin.JointModelRX())
    joint.addJoint(pin.JointModelPY(), placement(7))
    joint.addJoint(pin.JointModelTranslation(), placement(8))
    return joint


JOINTS = {
    "RX": pin.JointModelRX,
    "RubZ": pin.JointModelRUBZ,
    "PX": pin.JointModelPX,
    "HY": lambda: pin.JointModelHY(0.05),
    "HelicalUnaligned": lambda: pin.JointModelHelicalUnaligned(OBLIQUE, -0.08),
    "Universal": lambda: pin.JointModelUniversal(np.array([0.0, 1.0, 0.0]), np.array([0.6, 0.0, 0.8])),
    "Spherical": pin.JointModelSpherical,
    "SphericalZYX": pin.JointModelSphericalZYX,
    "Translation": pin.JointModelTranslation,
    "Planar": pin.JointModelPlanar,
    "FreeFlyer": pin.JointModelFreeFlyer,
    "Composite": composite,
}


def placement(seed: int) -> pin.SE3:
    """A random one, some decimetres away."""
    pin.seed(seed)
    return pin.SE3(pin.SE3.Random().rotation, 0.3 * np.random.default_rng(seed).normal(size=3))


def add_body(model: pin.Model, parent: int, joint, seed: int, name: str) -> int:
    number = model.addJoint(parent, joint, placement(seed), name)
    rng = np.random.default_rng(seed)
    body = pin.Inertia(1.0 + rng.random(), 0.1 * rng.normal(size=3), np.diag([0.02, 0.03, 0.04]))
    model.appendBodyToJoint(number, body, pin.SE3.Identity())
    return number


def chain(name: str) -> pin.Model:
    """A hinge, the joint of a kind, and a slide, whose frames are oblique."""
    model = pin.Model()
    model.gravity = pin.Motion(np.array([0.5, -0.3, -9.81]), np.zeros(3))
    first = add_body(model, 0, pin.JointModelRevoluteUnaligned(OBLIQUE), 1, "first")
    second = add_body(model, first, JOINTS[name](), 2, "middle")
    add_body(model, second, pin.JointModelPY(), 3, "last")
    model.damping = 0.1 * np.arange(1.0, model.nv + 1)
    model.armature = 0.01 * np.arange(1.0, model.nv + 1)
    return model


def moving(model: pin.Model, shapes: pin.GeometryModel | None = None, **around) -> PinocchioAdapter:
    """An adapter at a random state."""
    rng = np.random.default_rng(5)
    q = pin.integrate(model, pin.neutral(model), 0.5 * rng.normal(size=model.nv))
    return PinocchioAdapter(model, DT, collision_model=shapes, q=q, v=rng.normal(size=model.nv), **around)


def own_step(adapter: PinocchioAdapter) -> None:
    """M (v⁺ - v) = dt (τ - h + M c - (D + K) v⁺), by Pinocchio's inverse dynamics, which has the rotors' inertia."""
    model, data, q, v = adapter.model, adapter.model.createData(), adapter.q, adapter.v
    resting = pin.rnea(model, data, q, 0 * v, 0 * v)
    M = np.column_stack([pin.rnea(model, data, q, 0 * v, unit) - resting for unit in np.eye(model.nv)])
    force = adapter.tau - pin.rnea(model, data, q, v, 0 * v)
    D = np.diag(model.damping + adapter.kd)
    new = np.linalg.solve(M + DT * D, M @ (v + DT * turning(model, v)) + DT * force)
    adapter.q, adapter.v = moved(model, q, new, DT)


def turning(model: pin.Model, v: np.ndarray) -> np.ndarray:
    """c = ω × u of free and planar joints, (nv,): the origin's acceleration is u̇ + c in the axes of the body."""
    c = np.zeros_like(v)
    for joint in model.joints:
        u = v[joint.idx_v : joint.idx_v + joint.nv]
        if joint.shortname() == "JointModelFreeFlyer":
            c[joint.idx_v : joint.idx_v + 3] = np.cross(u[3:], u[:3])
        elif joint.shortname() == "JointModelPlanar":
            c[joint.idx_v : joint.idx_v + 2] = u[2] * np.array([-u[1], u[0]])
    return c


def moved(model: pin.Model, q: np.ndarray, v: np.ndarray, dt: float) -> tuple[np.ndarray, np.ndarray]:
    """q ⊕ dt v and v, but free and planar joints move their origins straight; v is then in the body's new axes."""
    after, new = pin.integrate(model, q, dt * v), v.copy()
    for joint in model.joints:
        if joint.shortname() in ("JointModelFreeFlyer", "JointModelPlanar"):
            free = joint.shortname() == "JointModelFreeFlyer"
            own = slice(joint.idx_q, joint.idx_q + (3 if free else 2))
            line = slice(joint.idx_v, joint.idx_v + (3 if free else 2))
            R, S = (_axes(at[own.stop : own.start + joint.nq]) for at in (q, after))
            after[own] = q[own] + dt * R @ v[line]
            new[line] = S.T @ R @ v[line]
    return after, new


def _axes(turn: np.ndarray) -> np.ndarray:
    """The rotation of a quaternion (x, y, z, w), or of a cosine and a sine."""
    if len(turn) == 4:
        return pin.Quaternion(turn).matrix()
    return np.array([[turn[0], -turn[1]], [turn[1], turn[0]]])


def run(adapter: PinocchioAdapter, folder, steps: int):
    """The coupling after some steps."""
    scene = make_scene(adapter.dt, adapter.gravity)
    coupling = couple(scene, adapter)
    world = make_world(scene, folder)
    for _ in range(steps):
        coupling.step(world)
    return coupling


def box(name: str, joint: int, size: float = 0.1, frame: int = 0, at: pin.SE3 | None = None) -> pin.GeometryObject:
    return pin.GeometryObject(name, joint, frame, at or pin.SE3.Identity(), coal.Box(size, size, size))
