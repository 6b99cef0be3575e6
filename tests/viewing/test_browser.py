"""In a headless Chromium: the slider moves the robot, nothing is asked of other machines, nothing goes wrong."""

import queue
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ipc_articulation.viewing.replaying import replay, write_page
from ipc_articulation.viewing.reporting import page as report
from ipc_articulation.viewing.reporting import write_report
from tests.viewing.browser import executable, open_page, picture, share_that_differs
from tests.viewing.made import recording

pytestmark = pytest.mark.slow

SEEN = 0.02  # share of pixels that are other ones when a body has moved
STILL = 0.005  # and when none has
PATIENCE = 15.0  # seconds


@pytest.fixture(autouse=True)
def chromium() -> None:
    executable()


@pytest.fixture
def address() -> Iterator[str]:
    """Of a replay."""
    pytest.importorskip("viser")
    addresses: queue.Queue[str] = queue.Queue()
    stop = threading.Event()
    options = {"ready": addresses.put, "stop": stop, "by": "link", "port": 8300}
    thread = threading.Thread(target=replay, args=(recording(),), kwargs=options, daemon=True)
    thread.start()
    yield addresses.get(timeout=PATIENCE)
    stop.set()
    thread.join(timeout=PATIENCE)
    assert not thread.is_alive()


def test_replay_slider_and_play(address: str) -> None:
    with open_page() as (page, errors):
        page.goto(address)
        slider = page.locator("[role=slider]").first
        slider.wait_for()
        start = settled(page)
        assert page.get_by_text("A <title>").count()
        page.wait_for_function("document.title === 'A <title>'")
        slider.focus()
        slider.press("End")
        end = settled(page)
        assert share_that_differs(start, end) > SEEN
        assert slider.get_attribute("aria-valuenow") == "1"
        slider.press("Home")
        assert share_that_differs(start, settled(page)) < STILL
        page.get_by_role("button", name="Play").dispatch_event("click")
        page.get_by_role("button", name="Pause").wait_for()
        page.wait_for_function("document.querySelector('[role=slider]').getAttribute('aria-valuenow') > 0.2")
        assert not errors


def test_html_file_with_a_slider_of_its_own(tmp_path: Path) -> None:
    pytest.importorskip("viser")
    shown: list[int] = []
    file = tmp_path / "there" / "run.html"
    write_page(recording(), file, by="link", every=1, fps=1.0, show=shown.append)
    assert shown == list(range(1, 12))
    assert file.stat().st_size < 1.5e6
    with open_page() as (page, errors):
        page.goto(file.as_uri())
        assert page.title() == "A <title>"
        moment = page.locator("input[inputmode=decimal]")
        moment.wait_for()
        moment.locator("xpath=preceding::button[1]").dispatch_event("click")  # pause
        pictures = []
        for time in ("0", "10"):
            moment.fill(time)
            pictures.append(settled(page))
        assert share_that_differs(*pictures) > SEEN
        assert page.get_by_text("A <title>: plots").count() == 1
        assert page.locator("details svg").count() == 1
        assert not errors


def test_report_with_all_its_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = pytest.importorskip("matplotlib.image")
    monkeypatch.setattr(report, "draw_scene", lambda made, file: image.imsave(file, np.zeros((10, 16, 3))))
    assert write_report(recording(), tmp_path / "report.html") == ()
    with open_page() as (page, errors):
        page.goto((tmp_path / "report.html").as_uri())
        widths = page.eval_on_selector_all("img", "images => images.map(image => image.naturalWidth)")
        assert widths == [16]
        drawn = page.eval_on_selector_all("svg", "all => all.map(one => one.getBoundingClientRect().height)")
        assert len(drawn) == 10
        assert min(drawn) > 200
        assert not errors


def settled(page: Any) -> np.ndarray:
    """The picture when it no longer changes."""
    last = picture(page)
    for _ in range(20):
        page.wait_for_timeout(400)
        now = picture(page)
        if share_that_differs(last, now) < STILL / 5:
            return now
        last = now
    raise AssertionError("the picture never comes to rest")
