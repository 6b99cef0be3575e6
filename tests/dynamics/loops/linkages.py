"""φ of linkages as functions of Python, for CasADi to differentiate."""

import numpy as np

from ipc_articulation.dynamics.loops import Implicit


def four_bar(q, own):
    """Of lengths and offset."""
    l1, l2, l3, *offset = own
    parts = zip((np.cos, np.sin), offset, strict=True)
    return np.array([l1 * f(q[0]) + l2 * f(q[0] + q[2]) - l3 * f(q[1]) - o for f, o in parts])


def hip(q):
    """Of (y₁, y₂, l₁, l₂), generalized_rbda's formula, one row for each rotor."""
    l1, l2 = q[2], q[3]
    return np.array(
        [
            57 / 2500 * np.sin(y)
            - 49 / 5000 * np.cos(l1)
            - s * 399 / 20000 * np.sin(l1)
            - 8 / 625 * np.cos(y) * np.cos(l2)
            - 57 / 2500 * np.cos(l1) * np.sin(l2)
            - s * 7 / 625 * np.sin(y) * np.sin(l1)
            + s * 7 / 625 * np.sin(l1) * np.sin(l2)
            - 8 / 625 * np.cos(l1) * np.sin(y) * np.sin(l2)
            + 3021 / 160000
            for y, s in ((q[0], 1.0), (q[1], -1.0))
        ]
    )


def knee_ankle(q):
    u, l2 = 0.5 * (q[0] - q[1]), q[3]
    first = (
        21 / 6250 * np.cos(u + 1979 * np.pi / 4500)
        - 13 / 625 * np.cos(u + 493 * np.pi / 1500)
        - 273 / 12500 * np.cos(np.pi / 9)
        - 7 / 2500 * np.sin(u + l2 + 231 * np.pi / 500)
        + 91 / 5000 * np.sin(l2 + 2 * np.pi / 15)
        - 147 / 50000 * np.sin(l2 + np.pi / 45)
        + 163349 / 6250000
    )
    return np.array([first, q[2] - 0.5 * (q[0] + q[1])])


def geared(phi, ratio):
    """The same with rotors before their gears."""
    return Implicit(lambda q: phi([q[0] / ratio, q[1] / ratio, q[2], q[3]]), 4, (0, 1), ratio)
