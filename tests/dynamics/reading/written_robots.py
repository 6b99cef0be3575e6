"""Robots that were put together cluster by cluster, as URDF+ texts: gears become couplings, linkages loops."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from ipc_articulation.dynamics.loops import FourBar
from ipc_articulation.dynamics.loops.explicit import Affine
from tests.dynamics.loops.robots import Placed, Robot


def text_of(robot: Robot) -> str:
    """The whole file; what hangs on the world by a hinge hangs on a link «ground»."""
    floating = "base_" in robot.mechanism.joints[0].name
    parts = [f'<robot name="{robot.name}">', "" if floating else '<link name="ground"/>']
    parts += [link_of(link) for link in robot.mechanism.links]
    flags = {name: flag for placed in robot.placed for name, flag in independent(placed)}
    parts += [joint_of(joint, flags[joint.name]) for joint in robot.mechanism.joints[floating:]]
    parts += [relation for placed in robot.placed for relation in relations(placed)]
    return "\n".join([*parts, "</robot>"])


def numbers(values) -> str:
    return " ".join(f"{float(x):.17g}" for x in values)


def origin(H) -> str:
    turn = Rotation.from_matrix(np.asarray(H)[:3, :3]).as_euler("xyz")
    return f'<origin xyz="{numbers(np.asarray(H)[:3, 3])}" rpy="{numbers(turn)}"/>'


def link_of(link) -> str:
    I = np.asarray(link.inertia)  # noqa: E741
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    moments = " ".join(f'{name}="{x:.17g}"' for name, x in zip(names, I[np.triu_indices(3)], strict=True))
    return (
        f'<link name="{link.name}"><inertial><origin xyz="{numbers(link.centre)}"/>'
        f'<mass value="{link.mass:.17g}"/><inertia {moments}/></inertial></link>'
    )


def joint_of(joint, free: bool) -> str:
    parent, axis = "ground" if joint.parent == "world" else joint.parent, joint.joint.elements[0].axis
    return (
        f'<joint name="{joint.name}" type="continuous" independent="{str(free).lower()}"><parent link="{parent}"/>'
        f'<child link="{joint.child}"/>{origin(joint.origin)}<axis xyz="{numbers(axis)}"/></joint>'
    )


def independent(placed: Placed) -> list[tuple[str, bool]]:
    """Which joints of a cluster are: a gear's links, the chosen angle of a linkage."""
    constraint = placed.cluster.constraint
    if isinstance(constraint, Affine):
        flags = [np.count_nonzero(row) == 1 and row.max() == 1.0 for row in constraint.matrix]
    else:
        flags = [k in getattr(constraint, "_free", range(constraint.size)) for k in range(len(placed.links))]
    return [(f"{link}_joint", bool(flag)) for link, flag in zip(placed.links, flags, strict=True)]


def relations(placed: Placed) -> list[str]:
    """Couplings of rotors, loops of linkages."""
    constraint, links = placed.cluster.constraint, placed.links
    if isinstance(constraint, FourBar):
        _, l2, l3 = placed.cluster.lengths
        ends = f'<predecessor link="{links[2]}"><origin xyz="{l2:.17g} 0 0"/></predecessor>'
        ends += f'<successor link="{links[1]}"><origin xyz="{l3:.17g} 0 0"/></successor>'
        return [f'<loop name="{links[0]}_loop" type="revolute">{ends}</loop>']
    if not isinstance(constraint, Affine):
        return []
    free = [link for link, (_, flag) in zip(links, independent(placed), strict=True) if flag]
    found = []
    for link, row in zip(links, constraint.matrix, strict=True):
        if link not in free:
            moving = np.flatnonzero(row)
            assert np.ptp(row[moving]) == 0.0, "a coupling has one ratio"
            ends = f'<predecessor link="{free[moving[-1]]}"/><successor link="{link}"/>'
            found.append(f'<coupling name="{link}_gear">{ends}<ratio value="{row[moving[0]]:.17g}"/></coupling>')
    return found
