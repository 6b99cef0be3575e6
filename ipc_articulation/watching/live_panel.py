"""The panel of a live view: what the last step was, buttons that hold the script, what is drawn."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from html import escape
from typing import Any

from ipc_articulation.viewing.meshes import Show
from ipc_articulation.viewing.replaying.looks import add_colours, add_looks, title_panel
from ipc_articulation.viewing.replaying.viser_scene import ViserScene
from ipc_articulation.watching.gate import Gate

_NO_FORCES = "contact forces are drawn if the view is given the CPU engine"
_HINT = "arrows; the largest force of the last seconds is an eighth of the scene long"
_CELL = "<tr><td>{}</td><td style='text-align: right; font-variant-numeric: tabular-nums'>{}</td></tr>"
_TABLE = "<table style='width: 100%; padding: 0.3em 1em; font-size: 0.9em'>{}</table>"


class LivePanel:
    """The panel.

    Args:
        gui: A `viser.GuiApi`.
        title: Its title.
        stage: The scene that the controls act on.
        gate: The gate that holds the script.
        has_forces: Whether contact forces are known.
        show: The surfaces that are drawn at first.
    """

    def __init__(self, gui: Any, title: str, stage: ViserScene, gate: Gate, has_forces: bool, show: Show) -> None:
        title_panel(gui, title)
        self._gate, self._lock = gate, threading.Lock()
        self._is_at_end, self._values = False, dict[str, str]()
        self._table = gui.add_html("")
        self._hold = gui.add_button("Pause", hint="pause the script after the current step")
        self._hold.on_click(lambda _: gate.set(not gate.is_closed))
        self._step = gui.add_button("Step", hint="let the script take one step")
        self._step.on_click(lambda _: gate.let_one_pass())
        add_colours(gui, "role", stage.colour_by)
        add_looks(gui, stage, show, _HINT, None if has_forces else _NO_FORCES)
        gate.changed = self._draw
        self._draw()

    def show(self, values: Mapping[str, str]) -> None:
        """Show what the last step was, by labels."""
        self._values = dict(values)
        self._draw()

    def end(self, is_at_end: bool) -> None:
        """Say that the script waits after its last step, or no longer."""
        self._is_at_end = is_at_end
        self._draw()

    def _draw(self) -> None:
        with self._lock:
            is_held = self._gate.is_closed
            self._hold.label = "Continue" if is_held else "Pause"
            self._step.visible = is_held and not self._is_at_end
            state = "waits at its end" if self._is_at_end else "is held" if is_held else "runs"
            cells = {"the script": state, **self._values}
            self._table.content = _TABLE.format("".join(_CELL.format(*map(escape, pair)) for pair in cells.items()))
