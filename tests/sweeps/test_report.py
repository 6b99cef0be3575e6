"""The report of a sweep: what is drawn for which settings, failed runs with their reasons, links to recordings."""

import re
from pathlib import Path

import pytest

from ipc_articulation import cli
from ipc_articulation.sweeps.charts import sweep_charts
from ipc_articulation.sweeps.finished import finished
from ipc_articulation.sweeps.record import Record
from tests.sweeps.test_finished import run, write

MASSES = (0.1, 1.0, 10.0)


def charts(folder: Path, records: list[Record]) -> dict[str, str]:
    return dict(chart for chart in sweep_charts(finished(write(folder, records))) if not isinstance(chart, str))


def count(svg: str, kind: str) -> int:
    """Groups of matplotlib of one kind, as in `<g id="axes_2">`."""
    return len(re.findall(rf'<g id="{kind}_\d+">', svg))


def test_one_setting_is_a_line(tmp_path: Path) -> None:
    (svg,) = charts(tmp_path, [run(k, mass, 0.1, mass**2) for k, mass in enumerate(MASSES)]).values()
    assert count(svg, "axes") == 1
    assert "bodies.box.mass" in svg
    assert "$\\mathdefault{10^{" in svg  # logarithmic
    assert count(svg, "legend") == 0


def test_two_settings_are_a_line_for_each_second_value(tmp_path: Path) -> None:
    runs = [run(10 * k + j, mass, 0.1 * j, mass * j) for k, mass in enumerate(MASSES) for j in range(2)]
    (svg,) = charts(tmp_path, runs).values()
    assert count(svg, "axes") == 1
    assert count(svg, "legend") == 1
    assert "ground.friction 0.1" in svg


def test_draws_are_points_a_panel_each_without_the_seed(tmp_path: Path) -> None:
    runs = [
        Record(
            f"{k:x}", {"seed": k}, "done", numbers={"moved.a <box>": k**0.5}, draws={"mass": 0.1 * k, "g": [0.0, -k]}
        )
        for k in range(5)
    ]
    drawn = charts(tmp_path, runs)
    assert list(drawn) == ["How far a <box> moved"]
    assert count(drawn["How far a <box> moved"], "axes") == 3
    assert "seed" not in drawn["How far a <box> moved"]


def test_what_is_the_same_in_all_runs_is_told_instead(tmp_path: Path) -> None:
    folder = write(tmp_path, [run(k, mass, 0.1, 2.5) for k, mass in enumerate(MASSES)])
    assert list(sweep_charts(finished(folder))) == [
        "Steps taken: 5 in all runs",
        "Largest contact force on a joint: 2.5 in all runs",
        "Wall time: 1.5 in all runs",
    ]


def test_the_command_writes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    records = [run(1, 1.0, 0.1, 4.0), run(2, 2.0, 0.1, 5.0), run(3, 3.0, 0.1, None)]
    folder = write(tmp_path / "s<w>", records)
    (folder / "runs" / records[0].name).mkdir()
    assert cli.main(["report", str(folder)]) == 0
    assert capsys.readouterr().out.splitlines()[0] == str(folder / "report.html")
    page = (folder / "report.html").read_text()
    assert "<h1>s&lt;w&gt;</h1><p>3 runs: 2 done, 1 failed</p>" in page
    assert page.count("mass &lt;0&gt;") == 1
    assert page.count("<svg") == 1
    links = re.findall(r'href="(runs[^"]*)"', page)
    assert links == ["runs/mass%3D1.0_friction%3D0.1_0000000000000001/"]
    assert cli.main(["report", str(folder), "--environment", "1"]) == 2
    assert "is a sweep: give one of its runs to look at an environment" in capsys.readouterr().err
