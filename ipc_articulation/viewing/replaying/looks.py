"""Parts that all panels have: the title, and controls for what is shown and in which colours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ipc_articulation.recording import Recording
from ipc_articulation.viewing.meshes import SHOWS, Show
from ipc_articulation.viewing.palette import PictureBy
from ipc_articulation.viewing.replaying.viser_scene import ViserScene
from ipc_articulation.viewing.soft_strain import StrainScale
from ipc_articulation.viewing.strain_colours import strain_colours


def title_of(recording: Recording) -> str:
    """Title of the recorded scene, or the run's name."""
    return str(recording.extra.get("title") or recording.name)


def title_panel(gui: Any, title: str) -> None:
    """Put the panel at the page's right side, without viser's own buttons, and name it."""
    gui.configure_theme(show_logo=False, show_share_button=False, control_width="large")
    gui.main_panel.dock_right()
    gui.set_panel_label(title)


def add_colours(
    gui: Any, by: PictureBy, colour_by: Callable[[PictureBy], None], scale: StrainScale | None = None
) -> None:
    """Add the choice of what colours mean.

    Args:
        gui: A `viser.GuiApi`.
        by: What they mean at first.
        colour_by: Called with another meaning.
        scale: Of strain, where colours can show it.
    """
    meanings = ("role", "link") if scale is None else ("role", "link", "strain")
    colours = gui.add_dropdown("colours by", meanings, initial_value=by)
    legend = [] if scale is None else _legend(gui, scale)

    def update(_: Any) -> None:
        for part in legend:
            part.visible = colours.value == "strain"
        colour_by(colours.value)

    for part in legend:
        part.visible = by == "strain"
    colours.on_update(update)


def _legend(gui: Any, scale: StrainScale) -> list[Any]:
    """A bar of the colours of strain, and what its ends mean."""
    bar = strain_colours(np.tile(np.linspace(0.0, scale.largest, 256), (12, 1)), scale).astype(np.uint8)
    return [gui.add_image(bar, format="png"), gui.add_markdown(f"{scale.legend}; the bar begins at 0")]


def add_looks(gui: Any, stage: ViserScene, show: Show, hint: str, note: str | None) -> None:
    """Add the controls to a panel.

    Args:
        gui: A `viser.GuiApi`.
        stage: The scene that they act on.
        show: The surfaces that are drawn at first.
        hint: The scale of the force arrows, in words.
        note: Why there are no contact forces; None where there are.
    """
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
