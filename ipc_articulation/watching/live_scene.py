"""Moments of a script in a viser scene, sent by a thread of its own, so that the script does not wait."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.recording.contacts import Contacts
from ipc_articulation.viewing.bodies import outline_of, rigid_parts
from ipc_articulation.viewing.forces import arrows_of, forces_on, ordinary_length
from ipc_articulation.viewing.meshes import Show
from ipc_articulation.viewing.replaying.viser_scene import ViserScene
from ipc_articulation.watching.gate import Gate
from ipc_articulation.watching.live_panel import LivePanel
from ipc_articulation.watching.subject import Subject

_PATIENCE = 3.0  # seconds without a page until it counts as closed: a page that is loaded again is away for one
_READ = 0.2  # seconds between two changes of the numbers in the panel
_FADE = 0.98  # of the greatest force, from one moment to the next


@dataclass(frozen=True)
class Moment:
    """The state after a step."""

    subject: Subject
    poses: Array  # (n, 4, 4) of `subject.all_names`: scripts may move fixed bodies too
    soft: Array  # (V, 3) vertices of `subject.soft_names`, one body after the other [m]
    contacts: Contacts
    figures: Mapping[str, str]  # what the panel says, by labels


class LiveScene:
    """A viser scene that shows the newest moment in all open pages.

    Args:
        server: A `viser.ViserServer`.
        title: Title of the panel.
        first: The moment at the start.
        interval: Least time between two moments that are shown [s].
        is_held: Hold the script from its first step on.
        has_forces: Whether contact forces are known.
        show: The surfaces that are drawn at first.

    Attributes:
        gate: The gate that holds the script.
        error: Why nothing is shown any more; None as long as all is well.
    """

    def __init__(
        self, server: Any, title: str, first: Moment, interval: float, is_held: bool, has_forces: bool, show: Show
    ) -> None:
        self.error: Exception | None = None
        self._server, self._interval, self._left = server, interval, np.inf
        self._newest = self._shown = first
        scenery, names = first.subject.scenery, first.subject.all_names
        points = outline_of(scenery, names, first.poses[None], first.soft[None])
        self._arrow = ordinary_length(points.min(axis=0), points.max(axis=0))
        self._greatest, self._read = 0.0, 0.0
        self._stage = ViserScene(server, scenery, names, points, self._arrow, "role", show)
        self.gate = Gate(is_held, self._is_left)
        self._panel = LivePanel(server.gui, title, self._stage, self.gate, has_forces, show)
        self._wake, self._ended = threading.Event(), threading.Event()
        self._show()
        server.on_client_connect(lambda _: self._wake.set())
        server.on_client_disconnect(lambda _: self._note_leaving())
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def is_watched(self) -> bool:
        """Whether a page is open."""
        return bool(self._server.get_clients())

    def show(self, moment: Moment) -> None:
        """Show a moment soon, or when a page is opened."""
        self._newest = moment
        if self.is_watched:
            self._wake.set()

    def wait(self, timeout: float | None) -> None:
        """Hold the script at its end."""
        self._panel.end(is_at_end=True)
        self.gate.set(is_closed=True)
        try:
            self.gate.hold(timeout)
        finally:
            self._panel.end(is_at_end=False)
            self.gate.set(is_closed=False)

    def close(self) -> None:
        """End the thread."""
        self.gate.set(is_closed=False)
        self._ended.set()
        self._wake.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            while self._wake.wait() and not self._ended.is_set():
                self._wake.clear()
                self._show()
                self._ended.wait(self._interval)
        except Exception as error:  # it is raised where the script is
            self.error = error

    def _show(self) -> None:
        moment, last = self._newest, self._shown
        if moment.subject is not last.subject:
            self._stage.replace(moment.subject.scenery, moment.subject.all_names)
        moving = (*moment.subject.body_names, *moment.subject.soft_names)
        points, forces, _ = forces_on(moment.contacts, moving, self._arrow)
        now = float(np.linalg.norm(forces, axis=1).max(initial=0.0))
        self._greatest = max(now, _FADE * self._greatest)
        arrows = arrows_of(points, forces, self._arrow / (self._greatest or 1.0), self._arrow)
        self._stage.place(*rigid_parts(moment.poses), arrows, moment.soft)
        self._shown = moment
        if not self._wake.is_set() or perf_counter() - self._read > _READ:
            self._panel.show(moment.figures)
            self._read = perf_counter()

    def _note_leaving(self) -> None:
        self._left = perf_counter()

    def _is_left(self) -> bool:
        return perf_counter() - self._left > _PATIENCE and not self.is_watched
