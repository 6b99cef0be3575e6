"""Scenes that one thread steps while another reads, and the bits that they end with."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

import numpy as np

from ipc_articulation.errors import EngineError
from tests.engine.scenes import BoxScene, translation, twist_rate

STEPS = 12


def falling_boxes(folder) -> BoxScene:
    """Six boxes that fall onto the ground and onto each other, and turn."""
    scene = BoxScene(folder)
    scene.add_ground()
    for k in range(6):
        start = translation(0.02 * k, 0, 0.105 + 0.21 * k)
        velocity = twist_rate(start, linear=(0.3 * k, 0.1, -0.3), angular=(0.5, 1.0 * k, 0))
        scene.add_box(start, velocity=velocity)
    return scene.start()


@contextmanager
def read_beside(read: Callable[[], Any]) -> Iterator[Counter[str]]:
    """Call a function again and again in another thread, with a short switch interval; counts what became of it."""
    seen, ended, interval = Counter[str](), Event(), sys.getswitchinterval()

    def run() -> None:
        while not ended.is_set():
            try:
                read()
            except EngineError:
                seen["the next step has begun"] += 1
            except BaseException as error:
                seen[repr(error)] += 1
            else:
                seen["read"] += 1

    thread = Thread(target=run)
    sys.setswitchinterval(0.0002)
    thread.start()
    try:
        yield seen
    finally:
        ended.set()
        thread.join()
        sys.setswitchinterval(interval)


def ends(scene: BoxScene) -> np.ndarray:
    """The coordinates after some steps, and their velocities."""
    scene.run(STEPS)
    return np.stack([scene.q, scene.qdot])
