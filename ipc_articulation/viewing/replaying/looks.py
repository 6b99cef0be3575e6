"""Parts that all panels have: the title, and controls for what is shown and in which colours."""

from __future__ import annotations

from typing import Any

from ipc_articulation.recording import Recording
from ipc_articulation.viewing.meshes import SHOWS, Show
from ipc_articulation.viewing.palette import By
from ipc_articulation.viewing.replaying.viser_scene import ViserScene


def title_of(recording: Recording) -> str:
    """Title of the recorded scene, or the run's name."""
    return str(recording.extra.get("title") or recording.name)


def title_panel(gui: Any, title: str) -> None:
    """Put the panel at the page's right side, without viser's own buttons, and name it."""
    gui.configure_theme(show_logo=False, show_share_button=False, control_width="large")
    gui.main_panel.dock_right()
    gui.set_panel_label(title)


def add_looks(gui: Any, stage: ViserScene, by: By, show: Show, hint: str, note: str | None) -> None:
    """Add the controls to a panel.

    Args:
        gui: A `viser.GuiApi`.
        stage: The scene that they act on.
        by: Meaning of the colours at first.
        show: The surfaces that are drawn at first.
        hint: The scale of the force arrows, in words.
        note: Why there are no contact forces; None where there are.
    """
    colours = gui.add_dropdown("colours by", ("role", "link"), initial_value=by)
    colours.on_update(lambda _: stage.colour_by(colours.value))
    if stage.has_visuals:
        shapes = gui.add_dropdown("shapes", SHOWS, initial_value=show)
        shapes.on_update(lambda _: stage.show(shapes.value))
    names = gui.add_checkbox("names", False)
    names.on_update(lambda _: stage.show_names(names.value))
    if note:
        gui.add_markdown(f"*{note}*")
        return
    arrows = gui.add_checkbox("contact forces", True, hint=hint)
    arrows.on_update(lambda _: stage.show_forces(arrows.value))
    see_through = gui.add_checkbox("see through bodies", False)
    see_through.on_update(lambda _: stage.see_through(see_through.value))
