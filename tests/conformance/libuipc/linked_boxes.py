"""Pairs of cubes on joints, beside their axis by the length of an arm."""

from __future__ import annotations

import numpy as np
from uipc.geometry import linemesh

from tests.engine.joints import put, read
from tests.engine.scenes import translation

SIDE, ARM = 0.2, 0.5  # [m] cubes, and from a hinge's axis to a cube's centre
MASS = 1000.0 * SIDE**3
INERTIA = MASS * (ARM**2 + SIDE**2 / 6)  # about the axis [kg·m²]
Y_AXIS, Z_AXIS = np.array([[0, -0.3, 0], [0, 0.3, 0]]), np.array([[0, 0, -0.3], [0, 0, 0.3]])
ASIDE = np.array([0, 1, 0])  # from one pair of bodies to another


def two_boxes(scene, parent=(-ARM, 0, 0), child=(ARM, 0, 0), fixed=(1, 0)):
    return [
        scene.add_box(translation(*at), kappa=1e9, is_fixed=is_fixed)
        for at, is_fixed in zip((parent, child), fixed, strict=True)
    ]


def joined(scene, constitution, edges, left, right, extras=(), strength=1e3):
    """A joint for each edge (k, 2, 3) between the k bodies of left and right; the joint's slot."""
    edges = np.ascontiguousarray(edges, dtype=float)
    mesh = linemesh(edges.reshape(-1, 3), np.arange(2 * len(edges)).reshape(-1, 2))
    count = len(edges)
    constitution.apply_to(mesh, left, [0] * count, right, [0] * count, [strength] * count)
    for extra, *arguments in extras:
        extra.apply_to(mesh, *arguments)
    return put(scene, mesh)


def follow(scene, slot, name, steps=30):
    """Run some steps; an edge attribute of all joints after each, (steps, joints)."""
    values = []
    for _ in range(steps):
        scene.run()
        values.append(read(slot, name))
    return np.array(values)
