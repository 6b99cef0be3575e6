"""The report tells what the recording holds, and names what it does not."""

import json
from pathlib import Path

import numpy as np
import pytest
from lxml import html

from ipc_articulation.viewing.reporting import charts, figures, page, write_report
from ipc_articulation.viewing.reporting.pair_forces import pair_forces
from tests.viewing.made import recording

HEADINGS = [
    "Joint positions",
    "Joint velocities",
    "Change of the joints' motion by contact",
    "Contact force on the joints",
    "Contact forces between bodies",
    "Minimum distance",
    "Energies",
    "Newton iterations",
    "Time of a step",
    "Time of a step by stage",
]


@pytest.fixture(autouse=True)
def no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "draw_scene", lambda recording, file: "end.png: no OpenGL")


@pytest.mark.slow
def test_the_page_holds_every_chart(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    notes = write_report(recording(), tmp_path / "there" / "report.html")
    assert notes == ("end.png: no OpenGL",)
    read = html.parse(str(tmp_path / "there" / "report.html"))
    assert read.findtext(".//h1") == "A <title>"
    assert [heading.text for heading in read.iter("h2")] == HEADINGS
    assert len(list(read.iter("svg"))) == len(HEADINGS)
    cells = dict([cell.text for cell in row] for row in read.iter("tr"))
    assert cells["minimum distance"] == "2 mm at 0.5 s"
    assert cells["a crate moved"] == "0.800 m"
    assert cells["Newton iterations"] == "3.0 a step on average, 3 at most"
    assert not read.xpath("//script | //*[starts-with(@src, 'http')]")


def test_stages_that_took_no_time_are_not_in_the_legend() -> None:
    axes = pytest.importorskip("matplotlib.figure").Figure().subplots()
    made = recording()
    made.buffers["stage_times"][:, 0] = 0.0
    charts._stages(axes, made, made.stage_times)
    _, labels = axes.get_legend_handles_labels()
    assert labels == ["solve"]


@pytest.mark.slow
def test_what_is_not_recorded_is_named(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    made = recording(forces=False)
    made.buffers["energies"][:] = np.nan
    made.buffers["contact_force"][:] = np.nan
    notes = write_report(made, tmp_path / "report.html")
    assert notes[:3] == (
        "Contact force on the joints: not in this recording",
        "Contact forces between bodies: not in this recording",
        "Energies: not in this recording",
    )
    assert "Left out: Energies: not in this recording" in (tmp_path / "report.html").read_text()


def test_figures_are_json() -> None:
    told = json.loads(json.dumps(figures(recording()), allow_nan=False))
    assert told["minimum_distance"] == 2e-3
    assert told["minimum_distance_at"] == pytest.approx(0.5)
    assert told["moved"] == {"a crate": pytest.approx(0.8)}
    assert told["energy_at_end"] == {"kinetic": 0.001, "contact": 0.001}
    assert told["mean_newton_iterations"] == 3.0


def test_figures_of_a_start_alone() -> None:
    told = figures(recording(rows=1, forces=False))
    assert (told["steps"], told["median_step_time"], told["minimum_distance"]) == (0, None, 0.002)


def test_forces_of_a_pair_add_up_whichever_way_round_they_are_told() -> None:
    names, time, forces = pair_forces(recording())
    assert names == ("a crate on ground",)
    np.testing.assert_allclose(time, recording().time)
    np.testing.assert_allclose(forces[:, 0], [0.0] + [4.0] * 10)
