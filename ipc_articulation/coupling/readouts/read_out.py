"""The read-outs of one coupled step, each computed when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, final

import numpy as np

from ipc_articulation import affine
from ipc_articulation.arguments import one_of, refuse_unwanted
from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import CoupledBody
from ipc_articulation.coupling.readouts.attachments import attachment_wrenches
from ipc_articulation.coupling.readouts.contacts import Contacts, contacts_of
from ipc_articulation.coupling.readouts.engine_results import StepResults
from ipc_articulation.coupling.readouts.jacobian import RobotTree, rigid_motions
from ipc_articulation.coupling.readouts.joint_wrenches import joint_wrenches, moved_to, require_tree
from ipc_articulation.coupling.readouts.momentum import Motion, motion_of
from ipc_articulation.errors import EngineError
from ipc_articulation.frontend.turns import Turn, cached_in_turn, in_turn

About = Literal["origin", "centre", "world"]


class StepState(NamedTuple):
    """Robot and free bodies before and after a step, for n links and m freedoms of joints."""

    dt: float  # [s]
    gravity: Array  # (3,) [m/s²]
    q_start: Array  # (n, 12) coordinates of the links by the multibody engine, at the beginning
    q: Array  # (n, 12) those in the scene, at the end
    theta_dot_start: Array  # (m,) [rad/s or m/s]
    theta_dot: Array  # (m,)
    tied_rates: Array | None  # (t, m) G of the tied joints; None without them
    free: tuple[CoupledBody, ...]  # the free bodies that have inertia
    free_q: Array  # (f, 12) at the end
    free_qdot: Array  # (f, 12)
    link_ids: list[int]  # (n,) of the links' geometries
    joined: Sequence[tuple[int, int]]  # ids of the bodies of each of the robot's joints in the scene


@final
class StepReadOut:
    """Contacts, wrenches, momentum and work of the last step; made by `Coupling.read_out`.

    It keeps the step's values: what is read before the next step begins remains valid afterwards. Twists, momenta and
    wrenches are [angular; linear] and [moment; force], in the world's axes. Any thread may read it, and waits
    for a step that another one takes.
    """

    def __init__(self, tree: RobotTree, state: StepState, results: Callable[[], StepResults], turn: Turn) -> None:
        """Called by `Coupling.read_out`, with the robot, its state, the engine's results and the scene's turn."""
        self._tree, self._state, self._results, self.turn = tree, state, results, turn

    @cached_in_turn
    def contacts(self) -> Contacts:
        """All contacts of the scene.

        Raises:
            EngineError: The world's engine is not the CPU engine, or the next step has begun.
        """
        return contacts_of(self._step, self._state.link_ids)

    @cached_in_turn
    def _step(self) -> StepResults:
        return self._results()

    def link_wrenches(self, about: About = "origin") -> Array:
        """Sum of contact and friction on each link.

        Args:
            about: The point of the moments: the «origin» of the link's frame, its «centre» of mass, or the origin of
                the «world».

        Returns:
            (n, 6) [N·m; N], in the order of `link_names`.

        Raises:
            EngineError: As for `contacts`, or there is no such point.
        """
        return self._moved("link_wrenches", self.contacts.wrenches(len(self._state.q)), about)

    @in_turn
    def attachment_wrenches(self, about: About = "origin") -> Array:
        """Sum on each link of the forces of parts that are attached to it, and of joints that are not the robot's own.

        Arguments, result and errors are those of `link_wrenches`.
        """
        W = attachment_wrenches(self._step, self._state.link_ids, self._state.joined)
        return self._moved("attachment_wrenches", W, about)

    def _moved(self, asker: str, W: Array, about: About) -> Array:
        """Wrenches about the world's origin, (n, 6), about another point of the links."""
        refuse_unwanted(f"{asker}: about", about, one_of("origin", "centre", "world"), EngineError)
        if about == "world":
            return W
        return moved_to(W, self._state.q[:, :3] if about == "origin" else self._centres)

    @cached_in_turn
    def touching(self) -> dict[str, tuple[str, ...]]:
        """What each link touches: names of bodies and half-planes by name of the link, for links in contact.

        Raises:
            EngineError: As for `contacts`.
        """
        found = {link.name: self.contacts.touching(k) for k, link in enumerate(self._tree.robot.links)}
        return {name: others for name, others in found.items() if others}

    @cached_in_turn
    def jacobian(self) -> Array:
        """Twists of the links about the world's origin by δθ of the step, (n, 6, m); see `readouts.jacobian`."""
        return self._tree.jacobian(self._state.q, self._state.q_start, self._state.tied_rates)

    @cached_in_turn
    def contact_force(self) -> Array:
        """The generalised force Σ Jᵀ w of contact, friction and attached parts on the freedoms, (m,) [N·m or N].

        It equals `Coupling.contact_force` (see `readouts.jacobian`): that is what the multibody engine feels, this is
        what the bodies do to the links.

        Raises:
            EngineError: As for `contacts`.
        """
        return np.einsum("nkm,nk->m", self.jacobian, self._wrenches)

    @cached_in_turn
    def _wrenches(self) -> Array:
        """Of contact, friction and attached parts on the links about the world's origin, (n, 6)."""
        return self.link_wrenches("world") + self.attachment_wrenches("world")

    @cached_in_turn
    def joint_wrenches(self) -> Array:
        """What the joints transmit to the links that they carry, about their anchors; see `readouts.joint_wrenches`.

        Returns:
            (j, 6) [N·m; N], in the order of `coupling.robot.articulated_joints`.

        Raises:
            EngineError: As for `contacts`.
            UnsupportedError: The robot has loops.
        """
        require_tree(self._tree.robot)
        state, links = self._state, self._tree.robot.links
        before = motion_of(links, state.q_start, self._link_velocities(state.q_start, state.theta_dot_start))
        rate = (self.links.momentum - before.momentum) / state.dt
        weight = np.array([link.mass for link in links])[:, None] * state.gravity
        weights = np.concatenate([np.cross(self._centres, weight), weight], axis=1)
        return joint_wrenches(self._tree, rate, weights, self._wrenches, self.joint_anchors)

    @cached_in_turn
    def joint_anchors(self) -> Array:
        """Anchors of the joints as their child links carry them, (j, 3) [m] world."""
        joints, links = self._tree.robot.articulated_joints, self._tree.robot.links
        poses = [links[joint.child].pose for joint in joints]
        local = [pose[:3, :3].T @ (joint.anchor - pose[:3, 3]) for pose, joint in zip(poses, joints, strict=True)]
        return self._at([joint.child for joint in joints], local)

    @cached_in_turn
    def links(self) -> Motion:
        """Momentum and kinetic energy of the links at the joints' present velocities, with the masses at `couple`."""
        q, theta_dot = self._state.q, self._state.theta_dot
        return motion_of(self._tree.robot.links, q, self._link_velocities(q, theta_dot))

    @cached_in_turn
    def free_bodies(self) -> Motion:
        """Momentum and kinetic energy of the free bodies, except driven ones, which have no inertia."""
        return motion_of(self._state.free, self._state.free_q, self._state.free_qdot)

    def _link_velocities(self, q: Array, theta_dot: Array) -> Array:
        """q̇ of the links at coordinates q for velocities of the joints, (n, 12)."""
        V = self._tree.jacobian(q, q, self._state.tied_rates) @ theta_dot
        return np.einsum("nki,nk->ni", rigid_motions(q), V)

    @property
    def _centres(self) -> Array:
        """Centres of mass of the links, (n, 3) [m]."""
        return self._at(list(range(len(self._state.q))), [link.center for link in self._tree.robot.links])

    def _at(self, links: list[int], local: list[Array]) -> Array:
        """World positions of one local point in each of some links, (k, 3)."""
        points = np.reshape(local, (-1, 1, 3))
        return affine.world_points(self._state.q[links], points)[:, 0]
