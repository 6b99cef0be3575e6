"""The report: one HTML file, pictures inside, that opens from disk."""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Iterable
from html import escape
from pathlib import Path

from ipc_articulation.extras import need
from ipc_articulation.recording import Recording
from ipc_articulation.viewing.pictures import draw_scene
from ipc_articulation.viewing.reporting.figures import Figures, figures
from ipc_articulation.viewing.writing import writing

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #20242a; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-weight: 600; margin-bottom: 0 } h2 { font-size: 1.1rem; margin: 2rem 0 0 } p { margin: 0.2rem 0; color: #556 }
table { border-collapse: collapse; margin: 1rem 0 } td { padding: 0.15rem 2rem 0.15rem 0; vertical-align: top }
td:first-child { color: #556 } td:last-child { font-variant-numeric: tabular-nums } img { max-width: 100% }
.runs { overflow-x: auto; font-size: 0.85rem } .runs td { font-variant-numeric: tabular-nums; color: inherit }
.runs th { text-align: left; vertical-align: bottom; font-weight: 600; padding-right: 1.2rem }
.runs tr { border-bottom: 1px solid #dde } .runs td { padding-right: 1.2rem }
"""


def write_report(recording: Recording, file: Path) -> tuple[str, ...]:
    """Write the page.

    Args:
        recording: What is described.
        file: The file to write; a missing folder is made.

    Returns:
        Notes on charts that were left out.

    Raises:
        MissingPackageError: matplotlib is not installed.
        OutputError: The file cannot be written.
        ViewingError: The recording is empty.
    """
    need("matplotlib")
    from ipc_articulation.viewing.reporting.charts import charts

    facts = figures(recording)
    picture, note = _picture(recording)
    drawn = list(charts(recording))
    notes = tuple(chart for chart in drawn if isinstance(chart, str)) + ((note,) if note else ())
    sections = [
        f"<h2>{escape(chart.heading)}</h2><p>{escape(chart.words)}</p>{chart.svg}"
        for chart in drawn
        if not isinstance(chart, str)
    ]
    title = escape(facts["title"] or facts["name"])
    body = [
        f"<h1>{title}</h1>",
        picture,
        _table(facts),
        *sections,
        *(f"<p>Left out: {escape(note)}</p>" for note in notes),
    ]
    with writing(file):
        file.write_text(document(title, body), encoding="utf-8")
    return notes


def document(title: str, body: Iterable[str]) -> str:
    """A page of some elements; texts are escaped already."""
    head = f'<meta charset="utf-8"><title>{title}</title><link rel="icon" href="data:,"><style>{_STYLE}</style>'
    lines = "\n".join(body)
    return f'<!doctype html>\n<html lang="en">\n<head>{head}</head>\n<body>\n{lines}\n</body>\n</html>\n'


def _picture(recording: Recording) -> tuple[str, str | None]:
    """The end of the run as an `<img>` element, or nothing and a note."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "end.png"
        note = draw_scene(recording, file)
        if note:
            return "", note
        data = base64.b64encode(file.read_bytes()).decode("ascii")
    return f'<img alt="the end of the run" src="data:image/png;base64,{data}">', None


def _table(facts: Figures) -> str:
    rows = "".join(f"<tr><td>{escape(label)}</td><td>{escape(text)}</td></tr>" for label, text in table(facts))
    return f"<table>{rows}</table>"


def table(facts: Figures) -> list[tuple[str, str]]:
    """Labels and texts of the figures, without unknown ones."""
    rows = [
        ("run", facts["name"]),
        ("engine", facts["engine"]),
        ("steps", f"{facts['steps']} of {facts['dt']:g} s: {facts['simulated_time']:.3f} s simulated"),
        ("wall time", _number(facts["wall_time"], "s")),
        ("median step", _number(facts["median_step_time"], "ms", 1e3)),
        ("longest step", _number(facts["longest_step_time"], "ms", 1e3)),
        ("minimum distance", _distance(facts)),
        ("Newton iterations", _iterations(facts)),
    ]
    rows += [(f"{name} moved", f"{distance:.3f} m") for name, distance in facts["moved"].items()]
    return [(label, text) for label, text in rows if text]


def _number(value: float | None, unit: str, factor: float = 1.0) -> str | None:
    return None if value is None else f"{factor * value:.3g} {unit}"


def _distance(facts: Figures) -> str | None:
    least = facts["minimum_distance"]
    return None if least is None else f"{1e3 * least:.3g} mm at {facts['minimum_distance_at']:.3g} s"


def _iterations(facts: Figures) -> str | None:
    mean = facts["mean_newton_iterations"]
    return None if mean is None else f"{mean:.1f} a step on average, {facts['most_newton_iterations']:.0f} at most"
