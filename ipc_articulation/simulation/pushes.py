"""Forces on free bodies over time, as libuipc's external forces on affine bodies.

A force f at the frame's origin and a torque τ on a body with coordinates (p, A) have the power f·ṗ + τ·ω. With Ȧ = ω~ A
that of the generalised force (f, ½ τ~ A) is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from uipc.constitution import AffineBodyExternalBodyForce

from ipc_articulation import spatial
from ipc_articulation.arrays import Array
from ipc_articulation.frontend.attributes import writable
from ipc_articulation.frontend.callbacks import guard
from ipc_articulation.scenefile import schema
from ipc_articulation.simulation.placed import placed_body


def add_pushes(uipc_scene: Any, scene: schema.Scene) -> None:
    """Put the pushes of the file on the bodies, which are in the scene already, each an object of its name."""
    for body in scene.bodies:
        if body.push is not None:
            owner, slot = placed_body(uipc_scene, body.name)
            AffineBodyExternalBodyForce().apply_to(slot.geometry(), np.zeros(12))
            uipc_scene.animator().insert(owner, guard(_callback(body.push, scene.dt), uipc_scene))


def generalised(push: schema.PushEntry, transform: Array) -> Array:
    """(f, ½ τ~ A by rows) on a body with a transform (4, 4), (12,)."""
    return np.concatenate([push.force, (0.5 * spatial.skew(push.torque) @ transform[:3, :3]).ravel()])


def _callback(push: schema.PushEntry, dt: float) -> Callable[[Any], None]:
    def write(info: Any) -> None:
        geometry = info.geo_slots()[0].geometry()
        time = (info.frame() - 1) * dt  # at the beginning of the step
        acts = push.start <= time + 0.5 * dt and (push.end is None or time + 0.5 * dt < push.end)
        force = generalised(push, geometry.transforms().view()[0]) if acts else np.zeros(12)
        writable(geometry.instances().find("external_force"))[0] = force.reshape(12, 1)

    return write
