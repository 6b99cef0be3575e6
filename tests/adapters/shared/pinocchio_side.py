"""The shared robots in Pinocchio; its step is written here once more, in its own algorithms."""

from __future__ import annotations

import coal
import numpy as np
import pinocchio as pin
from ipc_articulation.adapters.pinocchio import PinocchioAdapter

from tests.adapters.pinocchio.models import moved, turning
from tests.adapters.shared.engines import Side
from tests.adapters.shared.robots import DT, GRAVITY, UNITS, Robot


def make(robot: Robot) -> PinocchioAdapter:
    model, shapes = pin.Model(), pin.GeometryModel()
    model.gravity = pin.Motion(GRAVITY, np.zeros(3))
    for part in robot.parts:
        number = model.addJoint(part.parent + 1, _joint(part.kind, part.axis), pin.SE3(part.origin), part.joint)
        body = pin.Inertia(part.mass, np.array(part.centre), np.diag(part.inertia))
        model.appendBodyToJoint(number, body, pin.SE3.Identity())
        frame = model.addBodyFrame(part.name, number, pin.SE3.Identity(), 0)
        place = pin.SE3(np.eye(3), np.array(part.centre))
        shapes.addGeometryObject(pin.GeometryObject(f"{part.name} box", number, frame, place, coal.Box(*part.size)))
        rows = slice(model.joints[number].idx_v, model.joints[number].idx_v + model.joints[number].nv)
        model.damping[rows] = part.damping
    q = pin.neutral(model)
    q[[model.joints[k].idx_q for k, part in enumerate(robot.parts, 1) if UNITS[part.kind] == 1]] = robot.theta
    return PinocchioAdapter(model, DT, collision_model=shapes, q=q, v=robot.rates)


def _joint(kind: str, axis):
    single = {"revolute": pin.JointModelRevoluteUnaligned, "prismatic": pin.JointModelPrismaticUnaligned}
    several = {"spherical": pin.JointModelSpherical, "free": pin.JointModelFreeFlyer}
    return single[kind](np.array(axis)) if kind in single else several[kind]()


def own_step(adapter: PinocchioAdapter) -> None:
    """v⁺ from the forward dynamics under τ - D v⁺, by a fixed point."""
    model, data, new = adapter.model, adapter.model.createData(), adapter.v
    for _ in range(60):
        change = pin.aba(model, data, adapter.q, adapter.v, adapter.tau - model.damping * new)
        new = adapter.v + DT * (change + turning(model, adapter.v))
    adapter.q, adapter.v = moved(model, adapter.q, new, DT)


def push(adapter: PinocchioAdapter, forces: np.ndarray) -> None:
    adapter.tau = forces


def step_with_edit(adapter: PinocchioAdapter) -> None:
    adapter.collision_model.geometryObjects[0].geometry.halfSide *= 2.0
    adapter.predict()


SIDE = Side(make, own_step, push, step_with_edit, "geometry '.* box' was edited; the scene was built from it")
