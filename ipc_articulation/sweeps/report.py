"""The report of a sweep: one HTML file with charts of the outcomes, the runs that failed, and the table."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from ipc_articulation.extras import need
from ipc_articulation.sweeps.finished import Finished
from ipc_articulation.viewing.reporting.page import document
from ipc_articulation.viewing.writing import writing


def write_sweep_report(runs: Finished, file: Path) -> tuple[str, ...]:
    """Write the page.

    Args:
        runs: Its runs.
        file: The file to write, from which links lead to recordings.

    Returns:
        Notes on charts and records that were left out.

    Raises:
        MissingPackageError: matplotlib is not installed.
        OutputError: The file cannot be written.
    """
    need("matplotlib")
    from ipc_articulation.sweeps.charts import heading, sweep_charts

    drawn = list(sweep_charts(runs))
    notes = (*(chart for chart in drawn if isinstance(chart, str)), *runs.notes)
    charts = [f"<h2>{escape(chart[0])}</h2>{chart[1]}" for chart in drawn if not isinstance(chart, str)]
    failed = runs.table[runs.table["status"] != "done"]
    counts = ", ".join(f"{number} {status}" for status, number in runs.table["status"].value_counts().items())
    heads = [(column, column) for column in runs.varied]
    results = [(column, " ".join(heading(column))) for column in runs.outcomes]
    name, links = runs.folder.resolve().name, _links(runs, file)
    body = [f"<h1>{escape(name)}</h1><p>{len(runs.table)} runs: {escape(counts)}</p>", *charts]
    if len(failed):
        body += ["<h2>Runs that failed</h2>", _table(failed, links, [*heads, ("status", "status"), ("error", "error")])]
    body += ["<h2>All runs</h2>", _table(runs.table, links, [*heads, *results, ("status", "status")])]
    body += [f"<p>{escape(note)}</p>" for note in notes]
    with writing(file):
        file.write_text(document(escape(name), body), encoding="utf-8")
    return notes


def _links(runs: Finished, file: Path) -> dict[str, str]:
    """For each run, by its id, a link to its recording; the id where there is none."""
    links = {run: escape(run) for run in runs.table["id"]}
    for run, folder in zip(runs.table["id"], runs.table["folder"], strict=True):
        if (place := runs.folder / folder).is_dir():
            links[run] = f'<a href="{quote(Path(os.path.relpath(place, file.parent)).as_posix())}/">{escape(run)}</a>'
    return links


def _table(table: Any, links: Mapping[str, str], columns: Sequence[tuple[str, str]]) -> str:
    """Columns of a table by name and heading, and the runs' links."""
    rows = [_row("th", [*(escape(heading) for _, heading in columns), "run"])]
    for run in table.to_dict("records"):
        rows.append(_row("td", [*(escape(_text(run[name])) for name, _ in columns), links[run["id"]]]))
    return f'<div class="runs"><table>{"".join(rows)}</table></div>'


def _row(tag: str, cells: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{cell}</{tag}>' for cell in cells)}</tr>"


def _text(value: Any) -> str:
    if isinstance(value, float):
        return "" if np.isnan(value) else f"{value:.4g}"
    return "" if value is None else str(value)
