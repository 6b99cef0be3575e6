"""The panel of a replay: time, play, speed, what is drawn, the chart of joints."""

from __future__ import annotations

import threading
from typing import Any

from ipc_articulation.recording import Recording
from ipc_articulation.viewing.forces import ForceArrows
from ipc_articulation.viewing.meshes import Show
from ipc_articulation.viewing.moments import row_at
from ipc_articulation.viewing.palette import PictureBy
from ipc_articulation.viewing.replaying.chart import JointChart
from ipc_articulation.viewing.replaying.looks import add_colours, add_looks, title_of, title_panel
from ipc_articulation.viewing.replaying.played import Played
from ipc_articulation.viewing.replaying.player import Player

_SPEEDS = {"1/20": 0.05, "1/5": 0.2, "1": 1.0, "3": 3.0, "10": 10.0}


class ReplayPanel:
    """The panel; all its controls act on a scene.

    Args:
        gui: A `viser.GuiApi`.
        recording: What is shown.
        played: The scene that shows it.
        by: Meaning of the colours at first.
        forces: The contact forces.
        show: The surfaces that are drawn at first.
    """

    def __init__(
        self, gui: Any, recording: Recording, played: Played, by: PictureBy, forces: ForceArrows, show: Show
    ) -> None:
        self._gui, self._recording, self._played, self._lock = gui, recording, played, threading.RLock()
        title_panel(gui, title_of(recording))
        self._add_time()
        add_colours(gui, by, played.colour_by, played.scale)
        add_looks(gui, played.stage, show, forces.legend, forces.note)
        self._chart = JointChart(gui, recording) if recording.joint_names else None

    def close(self) -> None:
        """End the thread that plays."""
        self._player.close()

    def _add_time(self) -> None:
        dt, end = self._recording.dt, float(self._recording.time[-1])
        self._time = self._gui.add_slider("time [s]", 0.0, max(end, dt), dt, 0.0)
        self._time.on_update(lambda _: self._show())
        self._player = Player(end, lambda: self._time.value, self._set_time)
        button = self._gui.add_button("Play")
        speed = self._gui.add_dropdown("speed", tuple(_SPEEDS), initial_value="1")

        @button.on_click
        def toggle(_: Any) -> None:
            self._player.toggle()
            button.label = "Pause" if self._player.is_playing else "Play"
            self._mark(at_once=True)

        @speed.on_update
        def change(_: Any) -> None:
            self._player.speed = _SPEEDS[speed.value]

    def _set_time(self, time: float) -> None:
        self._time.value = time

    def _show(self) -> None:
        """Show the slider's time; callbacks come from many threads, and the last of them must find its last value."""
        with self._lock:
            self._played.show(row_at(self._recording, self._time.value))
            self._mark(at_once=not self._player.is_playing)

    def _mark(self, at_once: bool) -> None:
        if self._chart is not None:
            self._chart.mark(self._time.value, at_once)
