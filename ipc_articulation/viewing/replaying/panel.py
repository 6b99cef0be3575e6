"""The panel of a replay: time, play, speed, what is drawn, the chart of joints."""

from __future__ import annotations

import threading
from typing import Any

from ipc_articulation.recording import Recording
from ipc_articulation.viewing.forces import ForceArrows
from ipc_articulation.viewing.moments import row_at
from ipc_articulation.viewing.palette import By
from ipc_articulation.viewing.replaying.chart import JointChart
from ipc_articulation.viewing.replaying.player import Player
from ipc_articulation.viewing.replaying.viser_scene import ViserScene

_SPEEDS = {"1/20": 0.05, "1/5": 0.2, "1": 1.0, "3": 3.0, "10": 10.0}


class ReplayPanel:
    """The panel; all its controls act on a stage.

    Args:
        gui: A `viser.GuiApi`.
        recording: What is shown.
        stage: The stage that shows it.
        by: Meaning of the colours at first.
        forces: The contact forces.
    """

    def __init__(self, gui: Any, recording: Recording, stage: ViserScene, by: By, forces: ForceArrows) -> None:
        self._gui, self._recording, self._stage, self._lock = gui, recording, stage, threading.RLock()
        gui.configure_theme(show_logo=False, show_share_button=False, control_width="large")
        gui.main_panel.dock_right()
        gui.set_panel_label(recording.extra.get("title") or recording.name)
        self._add_time()
        self._add_looks(by, forces)
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

    def _add_looks(self, by: By, forces: ForceArrows) -> None:
        colours = self._gui.add_dropdown("colours by", ("role", "link"), initial_value=by)
        colours.on_update(lambda _: self._stage.colour_by(colours.value))
        names = self._gui.add_checkbox("names", False)
        names.on_update(lambda _: self._stage.show_names(names.value))
        if forces.note:
            self._gui.add_markdown(f"*{forces.note}*")
            return
        arrows = self._gui.add_checkbox("contact forces", True, hint=f"arrows, {1e3 * forces.scale:.3g} mm a newton")
        arrows.on_update(lambda _: self._stage.show_forces(arrows.value))
        see_through = self._gui.add_checkbox("see through bodies", False)
        see_through.on_update(lambda _: self._stage.see_through(see_through.value))

    def _set_time(self, time: float) -> None:
        self._time.value = time

    def _show(self) -> None:
        """Show the slider's time; callbacks come from many threads, and the last of them must find its last value."""
        with self._lock:
            self._stage.show(row_at(self._recording, self._time.value))
            self._mark(at_once=not self._player.is_playing)

    def _mark(self, at_once: bool) -> None:
        if self._chart is not None:
            self._chart.mark(self._time.value, at_once)
