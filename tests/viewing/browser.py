"""A headless Chromium for tests; they skip themselves where there is none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-gl=angle",
    "--use-angle=swiftshader",  # WebGL without a GPU
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
)
SIZE = {"width": 720, "height": 440}


def executable() -> str:
    """The environment's CHROMIUM, or one that is found."""
    pytest.importorskip("playwright")
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.skip(f"no Chromium: set CHROMIUM to its path, or install one of {', '.join(_NAMES)}")
    return found


@contextmanager
def open_page() -> Iterator[tuple[Any, list[str]]]:
    """A page, and the list of all errors that it tells: of its console, and of requests beyond this machine."""
    from playwright.sync_api import sync_playwright

    errors: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=list(_ARGUMENTS))
        page = browser.new_page(viewport=SIZE)
        page.on("console", lambda message: message.type == "error" and errors.append(message.text))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda request: _is_far(request.url) and errors.append(f"asked for {request.url}"))
        yield page, errors
        browser.close()


def picture(page: Any) -> np.ndarray:
    """The middle of the page, where the scene is, (height, width, 3), 0 to 1."""
    import io

    image = pytest.importorskip("matplotlib.image")
    clip = {"x": 0, "y": 150, "width": 320, "height": 240}
    return image.imread(io.BytesIO(page.screenshot(clip=clip)))[..., :3]


def share_that_differs(a: np.ndarray, b: np.ndarray) -> float:
    """Share of pixels that are another colour."""
    return float((np.abs(a - b).max(axis=-1) > 0.1).mean())


def _is_far(url: str) -> bool:
    return not url.startswith(("file:", "data:", "blob:", "http://127.0.0.1", "ws://127.0.0.1"))
