"""The closure of a spanning tree: its loops, for Python and for compiled code.

The spanning tree has positions q and velocities q̇. The independent velocities are ẏ, with q̇ = G ẏ and q̈ = G ÿ + g;
coordinates in no loop are independent. The position x of the robot consists, in the tree's order, of the positions of
the loops and of q for joints in no loop.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from ipc_articulation.dynamics.loops.clusters import Clusters, Loop, find_clusters
from ipc_articulation.dynamics.loops.layout import Loops, SpanningJoints, laid_out

if TYPE_CHECKING:
    from ipc_articulation.dynamics.loops.program import Program, Records


class Closure:
    """The loops of a spanning tree; without loops, x is q and ẏ is q̇.

    Args:
        name: Name of the robot, for messages.
        tree: Records of the spanning tree.
        joints: Joints of the spanning tree.
        loops: For each loop the indices of its joints, and the constraint on them.

    Raises:
        ModelError: A joint has a quaternion or is in two loops, or the number of coordinates does not fit the
            constraint.
    """

    def __init__(self, name: str, tree: NDArray, joints: SpanningJoints, loops: Loops = ()) -> None:
        layout = laid_out(joints, loops)
        self.name, self.tree, self.joints, self.free = name, tree, joints, layout.free
        self.loops: tuple[Loop, ...] = tuple(layout.loops)
        self.nx, self.nv = layout.nx, layout.nv
        self.spanning_nq, self.spanning_nv = int(joints.q[-1]), int(joints.v[-1])
        self.direct: Callable[..., int] | None = None  # forward dynamics of one state, from its first use on
        self.free_q = [i for joint in layout.free for i in joint.q]
        self.free_x = [i for joint in layout.free for i in joint.x]
        self.free_dofs = [i for joint in layout.free for i in joint.dofs]
        self.free_y = [i for joint in layout.free for i in joint.y]

    def __getstate__(self) -> dict[str, Any]:
        """For pickle: without what the first use makes, of which compiled functions cannot be pickled."""
        made = ("program", "clusters", "records")
        return {name: value for name, value in vars(self).items() if name not in made} | {"direct": None}

    @property
    def free_places(self) -> tuple[tuple[list[int], list[int]], tuple[list[int], list[int]]]:
        """Coordinates of joints in no loop: positions in the tree and in the robot, then velocities in both."""
        return (self.free_q, self.free_x), (self.free_dofs, self.free_y)

    @cached_property
    def program(self) -> Program:
        """The loops in the form for compiled code."""
        from ipc_articulation.dynamics.loops.program import program_of

        return program_of(self.loops, self.free, self.spanning_nv)

    @cached_property
    def clusters(self) -> Clusters:
        """The clusters of the tree's nodes, found from the loops."""
        return find_clusters(self.tree, self.loops, self.free_dofs, self.free_y)

    @cached_property
    def records(self) -> Records:
        """The whole robot in the form for compiled code."""
        from ipc_articulation.dynamics.loops.program import records_of

        return records_of(self.tree, self.program, self.clusters)
