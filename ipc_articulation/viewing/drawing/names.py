"""Texts on a picture: the legend of forces, and names with lines to what they name.

Bodies are at the left, joints and overlaps at the right.

In a column, names stand in the order of their points from top to bottom, as near to the height of these as they can
without covering each other: the heights y that minimise Σ (y_k - d_k)² with y_{k+1} - y_k ≥ h. With z_k = y_k - k h
this is an isotonic regression of d_k - k h.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from ipc_articulation.arrays import Array
from ipc_articulation.extras import need
from ipc_articulation.viewing.drawing.camera import in_picture
from ipc_articulation.viewing.drawing.shots import Shots
from ipc_articulation.viewing.marks import COLOURS, FRAME, Marks, Name

_LETTERS, _LEAST = 0.022, 0.012  # height of letters, and of the smallest, in heights of the picture
_ROW, _EDGE, _HEAD = 1.35, 0.015, 0.05  # of a letter's height; of the picture's height
_HEADINGS = {"body": "bodies", "joint": "joints and their axes", "overlap": "overlaps"}


def with_texts(pixels: NDArray[np.uint8], plotter: Any, shots: Shots) -> NDArray[np.uint8]:
    """A picture (height, width, 3) with the legend of forces and the names, if it has any, drawn on it."""
    if not shots.legend and shots.marks is None:
        return pixels
    picture = need("PIL.Image").fromarray(pixels)
    pen, (width, height) = need("PIL.ImageDraw").Draw(picture), picture.size
    if shots.legend:
        place = _EDGE * height, (1.0 - _EDGE) * height
        pen.text(place, shots.legend, COLOURS["body"], font=_font(_LETTERS * height), anchor="lb")
    if shots.marks is not None:
        _draw_marks(pen, plotter, shots.marks, width, height)
    return np.asarray(picture)


def _draw_marks(pen: Any, plotter: Any, marks: Marks, width: int, height: int) -> None:
    left = [name for name in marks.names if name.kind == "body"]
    right = [name for name in marks.names if name.kind != "body"]
    for names, is_left in ((left, True), (right, False)):
        if names:
            _draw_column(pen, names, in_picture(plotter, np.array([name.point for name in names])), is_left)
    if len(marks.frames):
        large, at = _font(1.1 * _LETTERS * height), 0.4 * width
        for text, colour in zip(("frames of links: x", " y", " z"), FRAME, strict=True):
            pen.text((at, 0.5 * _HEAD * height), text, colour, font=large, anchor="lm")
            at += large.getlength(text)


def heights(wanted: Array, row: float, top: float, bottom: float) -> Array:
    """Middle heights of names in a column, (k,), at least a row apart; those wanted rise."""
    k = np.arange(len(wanted))
    return row * k + np.clip(isotonic_regression(wanted - row * k).x, top, max(top, bottom - row * (len(k) - 1)))


def _draw_column(pen: Any, names: list[Name], points: Array, is_left: bool) -> None:
    width, height = pen.im.size
    order = np.argsort(points[:, 1], kind="stable")
    top, bottom, edge = _HEAD * height, (1.0 - _EDGE) * height, _EDGE * height
    letters = min(_LETTERS * height, (bottom - top) / (_ROW * (len(names) + 1)))
    letters = max(letters, _LEAST * height)
    font, row = _font(letters), _ROW * letters
    most = int((bottom - top) / row)
    kept = order[:most]
    sign, at = (1.0, edge) if is_left else (-1.0, width - edge)
    anchor = "lm" if is_left else "rm"
    place, large = at, _font(1.1 * _LETTERS * height)
    for kind in sorted({name.kind for name in names}):
        pen.text((place, 0.5 * top), _HEADINGS[kind], COLOURS[kind], font=large, anchor=anchor)
        place += sign * (large.getlength(_HEADINGS[kind]) + _LETTERS * height)
    for k, y in zip(kept, heights(points[kept, 1], row, top + 0.5 * row, bottom - 0.5 * row), strict=True):
        name, colour = names[k], COLOURS[names[k].kind]
        begin = at + sign * (font.getlength(name.text) + 0.3 * letters)
        x, y_point = points[k]
        pen.line([(begin, y), (x, y_point)], fill=colour, width=max(1, round(letters / 14)))
        dot = 0.15 * letters
        pen.ellipse([x - dot, y_point - dot, x + dot, y_point + dot], fill=colour)
        pen.text((at, y), name.text, colour, font=font, anchor=anchor)
    if len(names) > most:
        pen.text((at, height - 0.5 * edge), f"and {len(names) - most} more", "#556677", font=font, anchor=anchor)


def _font(size: float) -> Any:
    manager = need("matplotlib.font_manager")
    return need("PIL.ImageFont").truetype(manager.findfont("DejaVu Sans"), size)
