"""What moves bodies besides gravity and contact: prescribed motion, forces and torques, and what holds some axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import uipc
from scipy.spatial.transform import Rotation
from uipc.constitution import AffineBodyConstitution, AffineBodyExternalBodyForce, SoftTransformConstraint

from benchmarks.rigid_ipc.fixture import Body
from ipc_articulation import joint_geometry
from ipc_articulation.arrays import Array
from ipc_articulation.errors import UnsupportedError
from ipc_articulation.spatial import skew

AIM_STRENGTH = np.array([1e4, 1e6])  # pull to a prescribed pose: of the centre, of the rotation, over mass and inertia
JOINT_STRENGTH = 1e4  # of joints that hold axes, over the mass


def moves_by_itself(body: Body) -> bool:
    """Whether a body has prescribed motion, a force or torque, or no rotation."""
    return body.type == "kinematic" or (body.type == "dynamic" and (_is_pushed(body) or _only_translates(body)))


def _is_pushed(body: Body) -> bool:
    return bool(np.any(body.force) or np.any(body.torque))


def _only_translates(body: Body) -> bool:
    return all(body.fixed[3:]) and not any(body.fixed[:3])


def add_motion(scene: uipc.Scene, geometry: Any, body: Body, dt: float) -> Any:
    """Put a geometry into the scene, with the motion or force of its body; returns its slot."""
    owner = scene.objects().create(body.name)
    if body.type == "kinematic":
        _aim(geometry, AIM_STRENGTH)
        uipc.view(geometry.instances().find("external_kinetic"))[:] = 1
        scene.animator().insert(owner, _follower(body, dt))
    elif body.type == "dynamic" and _only_translates(body):
        _aim(geometry, AIM_STRENGTH * [0, 1])
    if body.type == "dynamic" and _is_pushed(body):
        AffineBodyExternalBodyForce().apply_to(geometry, _generalized_force(body, body.rotation))
        if np.any(body.torque):
            scene.animator().insert(owner, _torquer(body))
    return owner.geometries().create(geometry)[0]


def _aim(geometry: Any, strength: Array) -> None:
    """Pull a body to where it is now."""
    SoftTransformConstraint().apply_to(geometry, strength)
    uipc.view(geometry.instances().find("is_constrained"))[:] = 1
    uipc.view(geometry.instances().find("aim_transform"))[:] = geometry.transforms().view()


def pose_at(body: Body, step: int, dt: float) -> Array:
    """Where a kinematic body is to be after a number of steps, (4, 4): at its poses, then at constant velocity."""
    given = len(body.poses)
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = body.rotation, body.position if not given else body.poses[min(step, given) - 1]
    seconds = max(0.0, min((step - given) * dt, body.motion_ends - given * dt))
    T[:3, :3] = Rotation.from_rotvec(seconds * body.spin).as_matrix() @ T[:3, :3]
    T[:3, 3] += seconds * body.velocity
    return T


def _follower(body: Body, dt: float) -> Any:
    def follow(info: Any) -> None:
        aim = info.geo_slots()[0].geometry().instances().find("aim_transform")
        uipc.view(aim)[0] = pose_at(body, info.frame(), dt)

    return follow


def _torquer(body: Body) -> Any:
    def turn(info: Any) -> None:
        geometry = info.geo_slots()[0].geometry()
        force = _generalized_force(body, geometry.transforms().view()[0][:3, :3])
        uipc.view(geometry.instances().find("external_force"))[0] = force[:, None]

    return turn


def _generalized_force(body: Body, A: Array) -> Array:
    """The force, and ½ [τ]ₓ A⁻ᵀ for the torque about the centre, by rows: (12,)."""
    return np.concatenate([body.force, (0.5 * skew(body.torque) @ np.linalg.inv(A).T).ravel()])


def hold(scene: uipc.Scene, bodies: Sequence[Body], places: Sequence[tuple[Any, int]]) -> None:
    """Hold the fixed axes of dynamic bodies by joints at their centres of mass with a body that stands still.

    Raises:
        UnsupportedError: No joint leaves just these axes.
    """
    held = [n for n, body in enumerate(bodies) if _is_held(body)]
    if not held:
        return
    least = min(bodies[n].density * bodies[n].shape.moments.volume for n in held)
    frame = AffineBodyConstitution().create_proxy(1e8, least, np.zeros(3), least * np.eye(3), 1e-3)
    uipc.view(frame.instances().find("is_fixed"))[:] = 1
    slot = scene.objects().create("frame").geometries().create(frame)[0]
    for n in held:
        kind, axes = _joint(bodies[n])
        joint = joint_geometry(kind, [bodies[n].position], [(slot, 0)], [places[n]], [JOINT_STRENGTH], **axes)
        scene.objects().create(f"{kind} joint").geometries().create(joint)


def _is_held(body: Body) -> bool:
    return body.type == "dynamic" and any(body.fixed) and not _only_translates(body)


def _joint(body: Body) -> tuple[str, dict[str, Any]]:
    """Kind and axes of the joint that leaves the free axes."""
    slides, turns = (np.flatnonzero(~np.array(body.fixed[part])) for part in (slice(0, 3), slice(3, 6)))
    unit = np.eye(3)
    if len(slides) == 0 and len(turns) == 3:
        return "spherical", {}
    if len(slides) == 0 and len(turns) == 1:
        return "revolute", {"axes": unit[turns]}
    if len(slides) == 1 and len(turns) == 0:
        return "prismatic", {"axes": unit[slides]}
    if len(slides) == 2 and len(turns) == 1 and turns[0] not in slides:
        return "planar", {"axes": unit[turns], "second_axes": unit[slides[:1]]}
    raise UnsupportedError(f"'{body.name}' is fixed as {list(body.fixed)}, for which there is no joint")
