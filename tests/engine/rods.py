"""Scenes of rods: line meshes along x, with a radius."""

from __future__ import annotations

import numpy as np
from uipc import view
from uipc.constitution import AffineBodyRod
from uipc.geometry import label_surface, linemesh

from tests.engine.scenes import BoxScene

G, D_HAT, RADIUS, DENSITY = 9.8, 0.001, 0.02, 1000.0
TIGHT = {"newton__velocity_tol": 1e-4, "newton__transrate_tol": 1e-4, "newton__semi_implicit__enable": 0}


def rod_scene(workspace, **config):
    return BoxScene(workspace, **{"contact__d_hat": D_HAT, **TIGHT, **config})


def add_rod(scene, ends, fixed=False, radius=RADIUS, segments=1):
    """A straight rod of `segments` edges between two ends, (2, 3) [m]."""
    first, last = np.array(ends, dtype=float)
    middle = (first + last) / 2
    points = np.linspace(first - middle, last - middle, segments + 1)
    mesh = linemesh(points, np.stack([np.arange(segments), np.arange(1, segments + 1)], axis=1).astype(np.int32))
    label_surface(mesh)
    AffineBodyRod().apply_to(mesh, 1e8, DENSITY, radius)
    view(mesh.transforms())[0][:3, 3] = middle
    view(mesh.instances().find("is_fixed"))[:] = fixed
    slot = scene.scene.objects().create(f"rod {len(scene.slots)}").geometries().create(mesh)[0]
    scene.slots.append(slot)
    return slot


def along_x(y, z, length=1.0):
    return [[-length / 2, y, z], [length / 2, y, z]]


def weight(slot):
    return G * float(slot.geometry().meta().find("abd_mass").view()[0])


def force_on(scene, body):
    """Sum of the contact forces on a body of the last step, (3,) [N]."""
    found = scene.engine.statistics.contacts
    on = found.bodies == body
    return found.forces[on[:, 0]].sum(axis=0) - found.forces[on[:, 1]].sum(axis=0)
