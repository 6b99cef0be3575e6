"""Make the pictures of the documentation: `docs/images/`.

    python tools/make_gallery.py [--out FOLDER] [NAME ...]

Scenes run into FOLDER (out/gallery) where they have not yet; with NAMEs only those pictures are made. Those of pages
need Chromium: CHROMIUM is its path, or it is found.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image

import ipc_articulation
from ipc_articulation.recording import Recording, read_recording
from ipc_articulation.viewing.drawing import draw, shots_of
from ipc_articulation.viewing.forces import ForceArrows
from ipc_articulation.viewing.moments import last_row, row_at
from ipc_articulation.viewing.palette import By
from ipc_articulation.viewing.replaying import replay, write_page
from ipc_articulation.viewing.reporting import write_report

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
TUTORIAL = ROOT / "docs" / "tutorial.md"
SIZE = (960, 600)  # pixels
PAGE_SIZE = (1200, 750)


@dataclass(frozen=True)
class Picture:
    """A moment of a scene."""

    scene: str
    time: float | None = None  # s; the end
    by: By = "role"
    forces: bool = False


PICTURES = {
    "panda_push": Picture("panda_push"),
    "panda_push_forces": Picture("panda_push", 2.0, "link", forces=True),
    "panda_grasp": Picture("panda_grasp"),
    "four_bar_press": Picture("four_bar_press", forces=True),
    "force_control": Picture("force_control", forces=True),
    "materials": Picture("materials"),
    "random_drop": Picture("random_drop", forces=True),
    "recorded_motion": Picture("recorded_motion", 1.5, "link"),
}
_PATIENCE = 15_000  # ms: without a GPU a page takes its time
_CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_WEBGL = ("--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")


def main() -> None:
    """Make what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join([*PICTURES, *PAGES]))
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "gallery")
    options = parser.parse_args()
    for name in options.names or [*PICTURES, *PAGES]:
        file = IMAGES / f"{name}.png"
        if name in PICTURES:
            draw_picture(PICTURES[name], options.out, file)
        else:
            PAGES[name](recorded("panda_push", options.out), file)
        print(f"{file.relative_to(ROOT)}  {file.stat().st_size / 1000:.0f} kB")


def recorded(scene: str, out: Path) -> Recording:
    """The recording of a scene, which runs where it has not yet."""
    if not (out / scene).is_dir():
        ipc_articulation.run(ROOT / "scenes" / f"{scene}.yaml", engine="cpu", out=out, quiet=True)
    return read_recording(out / scene)


def draw_picture(picture: Picture, out: Path, file: Path) -> None:
    """Draw one."""
    recording = recorded(picture.scene, out)
    row = last_row(recording) if picture.time is None else row_at(recording, picture.time)
    draw(shots_of(recording, [row], picture.by, ForceArrows(recording) if picture.forces else None, SIZE), file)
    reduce_colours(file)


def reduce_colours(file: Path) -> None:
    """Write a picture again with 256 colours, which makes it half as large; pages have more."""
    with Image.open(file) as image:
        reduced = image.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    reduced.save(file, optimize=True)


def photograph_replay(recording: Recording, file: Path) -> None:
    """The replay's page, past its middle."""
    addresses: Queue[str] = Queue()
    stop = threading.Event()
    options = {"by": "link", "ready": addresses.put, "stop": stop}
    thread = threading.Thread(target=replay, args=(recording,), kwargs=options)
    thread.start()
    try:
        with browser() as page:
            page.goto(addresses.get())
            settle(page)  # until the veil of loading is gone
            page.locator(".mantine-NumberInput-input").last.fill("2")
            settle(page)
            page.screenshot(path=file, timeout=0)
    finally:
        stop.set()
        thread.join()


def photograph_html(recording: Recording, file: Path) -> None:
    """The file that needs no server, with its plots open."""
    page_file = file.with_suffix(".html")
    write_page(recording, page_file, "link")
    with browser() as page:
        page.goto(page_file.as_uri())
        settle(page)
        moment = page.locator("input[inputmode=decimal]")
        moment.locator("xpath=preceding::button[1]").dispatch_event("click")
        moment.fill("2")
        page.locator("summary").dispatch_event("click")
        settle(page)
        page.screenshot(path=file)
    page_file.unlink()


def photograph_view(recording: Recording, file: Path) -> None:
    """The live view of the tutorial's script, held where the arm pushes the crate."""
    blocks = re.findall(r"^```(xml|python)\n(.*?)^```$", TUTORIAL.read_text(), re.DOTALL | re.MULTILINE)
    (arm,) = [text for language, text in blocks if language == "xml"]
    (script,) = [text for _, text in blocks if "View(" in text]
    with TemporaryDirectory() as folder, browser() as page:
        (Path(folder) / "arm.xml").write_text(arm)
        (Path(folder) / "push.py").write_text(script.replace("range(200)", "range(140)"))
        command = [sys.executable, "-u", "push.py"]
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            page.goto(next(line.split()[-1] for line in process.stdout if line.startswith("live view: ")))
            page.get_by_text("waits at its end").wait_for()
            settle(page)
            page.screenshot(path=file, timeout=0)
            page.get_by_role("button", name="Continue").click()


def photograph_report(recording: Recording, file: Path) -> None:
    """The report's first charts."""
    page_file = file.with_suffix(".html")
    write_report(recording, page_file)
    with browser() as page:
        page.set_viewport_size({"width": 1000, "height": 1500})
        page.goto(page_file.as_uri())
        page.screenshot(path=file, clip={"x": 0, "y": 0, "width": 1000, "height": 1500})
    page_file.unlink()


def settle(page: Any) -> None:
    """Close viser's warning of software rendering, and wait until everything is drawn."""
    for button in page.locator(".mantine-Notification-closeButton").all():
        button.dispatch_event("click")
    page.wait_for_timeout(_PATIENCE)


@contextmanager
def browser() -> Iterator[Any]:
    """A page of a headless Chromium."""
    from playwright.sync_api import sync_playwright

    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, _CHROMIUM)), None)
    if found is None:
        raise SystemExit(f"no Chromium: set CHROMIUM to its path, or install one of {', '.join(_CHROMIUM)}")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=list(_WEBGL))
        yield started.new_page(viewport={"width": PAGE_SIZE[0], "height": PAGE_SIZE[1]})
        started.close()


PAGES = {
    "replay": photograph_replay,
    "replay_html": photograph_html,
    "report": photograph_report,
    "view": photograph_view,
}


if __name__ == "__main__":
    main()
