"""In a headless Chromium: a live view follows the script, and its buttons hold it."""

import queue
import threading
from typing import Any

import pytest

from ipc_articulation import View
from tests.viewing.browser import executable, open_page, picture, share_that_differs

pytestmark = pytest.mark.slow
PATIENCE = 30.0  # seconds
SEEN = 0.002  # share of pixels that are other ones when the arm has moved


def test_the_page_follows_and_holds_the_script(arm: tuple) -> None:
    executable()
    pytest.importorskip("viser")
    coupling, world, engine = arm
    urls: queue.Queue[str] = queue.Queue()
    ended = threading.Event()

    def script() -> None:
        with View(coupling, engine, name="a falling arm", paused=True) as view:
            urls.put(view.url)
            for _ in range(40):
                coupling.step(world)
            view.wait()
        ended.set()

    thread = threading.Thread(target=script, daemon=True)
    thread.start()
    with open_page() as (page, errors):
        page.goto(urls.get(timeout=PATIENCE))
        page.get_by_text("is held").wait_for()
        page.wait_for_function("document.title === 'a falling arm'")
        page.wait_for_timeout(2000)
        start = picture(page)
        for step in (2, 3):
            page.get_by_role("button", name="Step").click()
            value(page, "step", str(step)).wait_for()
        page.get_by_role("button", name="Continue").click()
        page.get_by_text("waits at its end").wait_for()
        value(page, "step", "40").wait_for()
        assert page.get_by_role("button", name="Step").count() == 0
        page.wait_for_timeout(2000)
        assert share_that_differs(start, picture(page)) > SEEN
        assert not ended.is_set()
        page.get_by_role("button", name="Continue").click()
        assert ended.wait(PATIENCE)
        assert not errors
    thread.join(PATIENCE)


def value(page: Any, label: str, text: str) -> Any:
    """The row of the panel's table with this label and value."""
    cell = page.get_by_role("cell", name=text, exact=True)
    return page.get_by_role("row").filter(has=page.get_by_role("cell", name=label, exact=True)).filter(has=cell)
