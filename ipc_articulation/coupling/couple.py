"""`couple`: puts a multibody engine's model into an ordinary libuipc scene."""

from __future__ import annotations

import numpy as np
import uipc

from ipc_articulation.coupling.adapter import Adapter, Mechanism
from ipc_articulation.coupling.agreement import require_agreement
from ipc_articulation.coupling.bodies import STAND_IN_MASS, body_mass, place_bodies
from ipc_articulation.coupling.constraint import ExternalArticulationConstraint
from ipc_articulation.coupling.contact_elements import make_contact_elements
from ipc_articulation.coupling.coupling import Coupling
from ipc_articulation.coupling.joints import place_articulation, place_joints
from ipc_articulation.coupling.stiffness import (
    AXIS_LENGTH,
    STIFFNESS_RATIO,
    inertia_scale,
    joint_strength,
    shape_kappa,
)
from ipc_articulation.frontend.callbacks import guard

FREE_KAPPA = 1e8  # [Pa]


def couple(
    scene: uipc.Scene,
    adapter: Adapter,
    *,
    stiffness_ratio: float = STIFFNESS_RATIO,
    free_kappa: float = FREE_KAPPA,
) -> Coupling:
    """Put a model's links, joints, free and static bodies into a scene, and the callback that predicts each step.

    Call it before `world.init`. Whatever else the scene holds stays as it is and touches the model's bodies by the
    scene's default contact model.

    Args:
        scene: An ordinary libuipc scene, whose dt and gravity are those of the model.
        adapter: The multibody engine's side, e.g. `MujocoAdapter(model, data)`.
        stiffness_ratio: How many times larger a contact moves the joints than it strains links and joints (see
            `stiffness`).
        free_kappa: Stiffness of free bodies [Pa].

    Returns:
        What steps the world and holds the results.

    Raises:
        AdapterError: dt or gravity differ, or the model cannot be coupled.
        MeshError: A mesh is not closed.
        UnsupportedError: The model holds something that cannot be coupled.
    """
    require_agreement(scene, adapter)
    mechanism, mass = adapter.describe(), adapter.predict().mass
    scale = inertia_scale(mass, mechanism.joints, _size(mechanism))
    elements = make_contact_elements(scene, mechanism)
    bodies = place_bodies(
        scene, mechanism, elements, lambda volume: shape_kappa(scale, volume, adapter.dt, stiffness_ratio), free_kappa
    )
    strengths = [joint_strength(scale, masses, stiffness_ratio) for masses in _joined_masses(mechanism)]
    places = place_joints(scene, mechanism.joints, bodies, strengths)
    carrier, articulation = place_articulation(scene, places)
    coupling = Coupling(scene, adapter, mechanism, bodies, articulation)
    if articulation is None:
        callback = guard(coupling.predict)
    else:
        constraint = ExternalArticulationConstraint.from_geometry(articulation.geometry(), scene)
        callback = constraint.animate(coupling.predict)
    scene.animator().insert(carrier, callback)
    return coupling


def _size(mechanism: Mechanism) -> float:
    """Largest extent of the links together [m]."""
    points = [link.pose[:3, 3:].T for link in mechanism.links]
    points += [link.mesh.vertices @ link.pose[:3, :3].T + link.pose[:3, 3] for link in mechanism.links if link.mesh]
    return max(AXIS_LENGTH, float(np.ptp(np.concatenate(points), axis=0).max())) if points else AXIS_LENGTH


def _joined_masses(mechanism: Mechanism) -> list[float]:
    """The masses of both bodies of each joint together [kg], as the scene has them."""
    links = [body_mass(link) for link in mechanism.links]
    return [
        links[joint.child] + (STAND_IN_MASS if joint.parent < 0 else links[joint.parent]) for joint in mechanism.joints
    ]
