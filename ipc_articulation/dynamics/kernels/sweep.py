"""The recursions over the tree from which all algorithms are composed.

Every spatial vector is in the world's axes, so that vectors of a body and its parent are added without transformation
(Featherstone 2008, ch. 2; the ground-frame forms of the recursions in ch. 5 to 7). All vectors of a tree are about one
origin: the world's or, if the tree begins with a free translation, the translated point, so that a robot far from the
world's origin loses no digits. The tree's origin is at rest.

    position_kinematics      R, p of each node; columns S of the joints            q
    velocity_kinematics      v = v_p + Σ S q̇,   c = v_p × Σ S q̇                    v
    acceleration_kinematics  a = a_p + c + Σ S q̈,   a_world = -g                   a
    body_inertias            m, h = m c, J about the origin
    body_forces              f = I a + v ×* I v - w
    accumulate_…             the children's quantities are added to the parents'

c is Ṡ q̇, because columns are fixed in the frame before the motion (`joints/elements.py`).
"""

from __future__ import annotations

import math

import numpy as np

from ipc_articulation.dynamics.arguments import LARGEST, UNIT
from ipc_articulation.dynamics.kernels.kernel import inlined, kernel
from ipc_articulation.dynamics.kernels.tree import ROTATION, SCREW, TRANSLATION
from ipc_articulation.dynamics.kernels.trigonometry import FAR, sin_cos
from ipc_articulation.dynamics.kernels.vectors import add, cross, cross_force, inertia_times, plus, put, put_row, row

NODE_STATE = np.dtype(
    [
        ("R", "f8", (3, 3)),  # node axes in the world
        ("p", "f8", (3,)),  # node origin from the tree's origin
        ("o", "f8", (3,)),  # the tree's origin in the world
        ("v", "f8", (6,)),  # velocity
        ("c", "f8", (6,)),  # acceleration at q̈ = 0 relative to the parent
        ("a", "f8", (6,)),  # acceleration, gravity included as -g
        ("f", "f8", (6,)),  # wrench
        ("m", "f8"),  # mass
        ("h", "f8", (3,)),  # first moment of mass
        ("J", "f8", (6,)),  # moments of inertia about the origin: xx, xy, xz, yy, yz, zz
    ],
    align=True,
)


@inlined
def at_position(tree, q):
    """Kinematics of a position.

    Returns:
        State of the nodes and columns S of the joints as `position_kinematics` leaves them, and whether every
        quaternion is of length one.
    """
    kin, S = np.empty(len(tree), NODE_STATE), np.empty((sizes(tree)[1], 6))
    return kin, S, position_kinematics(tree, q, kin, S)


@inlined
def at_velocity(tree, q, v):
    """Kinematics of a position and a velocity; the results are those of `at_position`."""
    kin, S, good = at_position(tree, q)
    velocity_kinematics(tree, S, v, kin)
    return kin, S, good


@inlined
def at_acceleration(tree, q, v, a, world):
    """Kinematics of a state and its acceleration; the results are those of `at_position`."""
    kin, S, good = at_velocity(tree, q, v)
    acceleration_kinematics(tree, S, a, world, kin)
    return kin, S, good


@kernel
def position_kinematics(tree, q, kin, S):
    """Poses of all nodes and columns of all joints.

    Returns:
        Whether every quaternion is of length one.
    """
    unit = True
    for i in range(len(tree)):
        b, k = tree[i], kin[i]
        _attach(b, k, kin)
        if b.kind == SCREW:
            _turn_and_slide(b, k, q[b.q])
            _set_screw(b, k, S)
        elif b.kind == TRANSLATION:
            _set_columns(k, S, b.v, False)
            _translate(b, k, q)
        elif b.kind == ROTATION:
            _set_columns(k, S, b.v, True)
            unit &= _rotate(k, q[b.q], q[b.q + 1], q[b.q + 2], q[b.q + 3])
    return unit


@inlined
def _attach(b, k, kin):
    """The node frame at q = 0: R = R_p R_b, p = p_p + R_p p_b."""
    A, d, R, p, o = b.R, b.p, k.R, k.p, k.o
    if b.parent < 0:
        for r in range(3):
            for c in range(3):
                R[r, c] = A[r, c]
            p[r] = d[r]
            o[r] = 0.0
        return
    P, e, w = kin[b.parent].R, kin[b.parent].p, kin[b.parent].o
    for r in range(3):
        x, y, z = P[r, 0], P[r, 1], P[r, 2]
        for c in range(3):
            R[r, c] = x * A[0, c] + y * A[1, c] + z * A[2, c]
        p[r] = e[r] + x * d[0] + y * d[1] + z * d[2]
        o[r] = w[r]


@inlined
def _turn_and_slide(b, k, q):
    R, p = k.R, k.p
    if b.turn != 0.0:
        angle = b.turn * q
        if abs(angle) < FAR:
            s, c = sin_cos(angle)
        else:
            s, c = math.sin(angle), math.cos(angle)
        for r in range(3):
            x, y = R[r, 0], R[r, 1]
            R[r, 0] = c * x + s * y
            R[r, 1] = c * y - s * x
    if b.slide != 0.0:
        for r in range(3):
            p[r] += b.slide * q * R[r, 2]


@inlined
def _set_screw(b, k, S):
    """S = [turn z; slide z + turn p × z]."""
    z, p = (k.R[0, 2], k.R[1, 2], k.R[2, 2]), k.p
    turn, slide = b.turn, b.slide
    S[b.v, 0] = turn * z[0]
    S[b.v, 1] = turn * z[1]
    S[b.v, 2] = turn * z[2]
    S[b.v, 3] = slide * z[0] + turn * (p[1] * z[2] - p[2] * z[1])
    S[b.v, 4] = slide * z[1] + turn * (p[2] * z[0] - p[0] * z[2])
    S[b.v, 5] = slide * z[2] + turn * (p[0] * z[1] - p[1] * z[0])


@kernel
def _set_columns(k, S, v, turning):
    """S_j = [e; p × e] or [0; e] for the three axes e of the frame before the motion."""
    R, p = k.R, k.p
    for j in range(3):
        x, y, z = R[0, j], R[1, j], R[2, j]
        if turning:
            put_row(S, v + j, (x, y, z, p[1] * z - p[2] * y, p[2] * x - p[0] * z, p[0] * y - p[1] * x))
        else:
            put_row(S, v + j, (0.0, 0.0, 0.0, x, y, z))


@kernel
def _translate(b, k, q):
    """Translate the frame; at the root of a tree, translate the tree's origin with it."""
    R, p, o = k.R, k.p, k.o
    x, y, z = q[b.q], q[b.q + 1], q[b.q + 2]
    for r in range(3):
        p[r] += R[r, 0] * x + R[r, 1] * y + R[r, 2] * z
    if b.parent < 0:
        for r in range(3):
            o[r] = p[r]
            p[r] = 0.0


@kernel
def _rotate(k, w, x, y, z):
    """R ← R R(quaternion), for a quaternion of any length. Returns: whether its length is one."""
    square = w * w + x * x + y * y + z * z
    s = 2.0 / square
    R = k.R
    for r in range(3):
        a, b, c = R[r, 0], R[r, 1], R[r, 2]
        R[r, 0] = a * (1.0 - s * (y * y + z * z)) + b * s * (x * y + w * z) + c * s * (x * z - w * y)
        R[r, 1] = a * s * (x * y - w * z) + b * (1.0 - s * (x * x + z * z)) + c * s * (y * z + w * x)
        R[r, 2] = a * s * (x * z + w * y) + b * s * (y * z - w * x) + c * (1.0 - s * (x * x + y * y))
    return abs(square - 1.0) <= UNIT


@kernel
def velocity_kinematics(tree, S, v, kin):
    """Velocities, and accelerations at q̈ = 0 relative to the parents."""
    for i in range(len(tree)):
        b, k = tree[i], kin[i]
        own = joint_sum(b, S, v)
        if b.parent < 0:
            put(k.v, own)
            put(k.c, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        else:
            before = kin[b.parent].v
            put(k.c, cross(before, own))
            put(k.v, plus(before, own))


@kernel
def joint_sum(b, S, x):
    """Σ S_j x_j over the columns of a node."""
    j = b.v
    s = x[j]
    total = (s * S[j, 0], s * S[j, 1], s * S[j, 2], s * S[j, 3], s * S[j, 4], s * S[j, 5])
    for j in range(b.v + 1, b.v + b.nv):
        s = x[j]
        total = plus(total, (s * S[j, 0], s * S[j, 1], s * S[j, 2], s * S[j, 3], s * S[j, 4], s * S[j, 5]))
    return total


@kernel
def acceleration_of_world(tree):
    """-g: in a world with this acceleration, bodies need the same forces as under gravity."""
    g = tree[0].gravity
    return 0.0, 0.0, 0.0, -g[0], -g[1], -g[2]


@kernel
def acceleration_kinematics(tree, S, a, world, kin):
    """Accelerations of all nodes; `world` is the acceleration of the world."""
    for i in range(len(tree)):
        b, k = tree[i], kin[i]
        own = plus(joint_sum(b, S, a), k.c)
        if b.parent < 0:
            put(k.a, plus(world, own))
        else:
            put(k.a, plus(kin[b.parent].a, own))


@kernel
def body_inertias(tree, kin):
    """Mass, first moment and moments of inertia of each node, J = R I Rᵀ + m (|c|² 1 - c cᵀ)."""
    for i in range(len(tree)):
        b, k = tree[i], kin[i]
        m, h, J = b.mass, k.h, k.J
        k.m = m
        if m == 0.0:
            put(J, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
            h[0] = h[1] = h[2] = 0.0
            continue
        R, p, d, I = k.R, k.p, b.centre, b.inertia  # noqa: E741
        x = R[0, 0] * d[0] + R[0, 1] * d[1] + R[0, 2] * d[2] + p[0]
        y = R[1, 0] * d[0] + R[1, 1] * d[1] + R[1, 2] * d[2] + p[1]
        z = R[2, 0] * d[0] + R[2, 1] * d[1] + R[2, 2] * d[2] + p[2]
        a, b0 = _row_times(R, 0, I), _row_times(R, 1, I)
        c = _row_times(R, 2, I)
        J[0] = _with_row(a, R, 0) + m * (y * y + z * z)
        J[1] = _with_row(a, R, 1) - m * x * y
        J[2] = _with_row(a, R, 2) - m * x * z
        J[3] = _with_row(b0, R, 1) + m * (x * x + z * z)
        J[4] = _with_row(b0, R, 2) - m * y * z
        J[5] = _with_row(c, R, 2) + m * (x * x + y * y)
        h[0], h[1], h[2] = m * x, m * y, m * z


@kernel
def _row_times(R, r, I):  # noqa: E741
    """Row r of R I."""
    x, y, z = R[r, 0], R[r, 1], R[r, 2]
    return (
        x * I[0, 0] + y * I[1, 0] + z * I[2, 0],
        x * I[0, 1] + y * I[1, 1] + z * I[2, 1],
        x * I[0, 2] + y * I[1, 2] + z * I[2, 2],
    )


@kernel
def _with_row(x, R, r):
    return x[0] * R[r, 0] + x[1] * R[r, 1] + x[2] * R[r, 2]


@kernel
def body_forces(tree, wrenches, kin):
    """The wrench that each node needs for its own motion, f = I a + v ×* I v - w.

    w is (bodies, 6) about the world's origin, or (0, 6) for no external wrenches.
    """
    for i in range(len(tree)):
        k = kin[i]
        put(k.f, plus(inertia_times(k, k.a), cross_force(k.v, inertia_times(k, k.v))))
        subtract_wrench(tree[i], wrenches, k)


@inlined
def newton_euler(tree, q, v, a, wrenches):
    """Kinematics, `body_inertias` and `body_forces` of a state under gravity; results are those of `at_position`."""
    kin, S, good = at_acceleration(tree, q, v, a, acceleration_of_world(tree))
    body_inertias(tree, kin)
    body_forces(tree, wrenches, kin)
    return kin, S, good


@kernel
def subtract_wrench(b, wrenches, k):
    """f ← f - w, with w about the tree's origin o instead of the world's: n - o × f."""
    if b.body < 0 or len(wrenches) == 0:
        return
    n, o, f = row(wrenches, b.body), k.o, k.f
    f[0] -= n[0] - (o[1] * n[5] - o[2] * n[4])
    f[1] -= n[1] - (o[2] * n[3] - o[0] * n[5])
    f[2] -= n[2] - (o[0] * n[4] - o[1] * n[3])
    for r in range(3, 6):
        f[r] -= n[r]


@kernel
def accumulate_forces(tree, kin):
    """Add up f: that of each node becomes the sum over the node and all nodes that it carries."""
    for i in range(len(tree) - 1, -1, -1):
        if tree[i].parent >= 0:
            add(kin[tree[i].parent].f, kin[i].f)


@kernel
def accumulate_inertias(tree, kin):
    """Make m, h, J of each node the composite inertia of the node and all nodes that it carries."""
    for i in range(len(tree) - 1, -1, -1):
        if tree[i].parent >= 0:
            add_inertia(kin[i], kin[tree[i].parent])


@kernel
def add_inertia(k, up):
    """Add a node's m, h, J to its parent's."""
    up.m += k.m
    for r in range(3):
        up.h[r] += k.h[r]
    add(up.J, k.J)


@inlined
def sizes(tree):
    """Number of position and of velocity coordinates."""
    last = tree[len(tree) - 1]
    return last.q + last.nq, last.v + last.nv


@kernel
def finite(x):
    """Whether all numbers of a vector are finite and small enough for their products to be finite."""
    square = 0.0
    for i in range(len(x)):
        square += x[i] * x[i]
    return square <= LARGEST * LARGEST
