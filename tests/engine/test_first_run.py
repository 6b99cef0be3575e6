"""The first run of an installation says that it compiles; the others say nothing."""

import os
import subprocess
import sys

import numpy as np
import pytest

from tests.engine.soft.soft_scenes import SoftScene, block

SCRIPT = """
import logging
logging.basicConfig()
from ipc_articulation.engine.output.first_run import tell_first_run, tell_first_soft_run
tell_first_run()
tell_first_run()
"""
SOFT = "tell_first_soft_run()\n"


def said(script=SCRIPT, **environment):
    done = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return done.stderr


@pytest.mark.parametrize("is_soft", [False, True])
def test_only_scenes_with_soft_bodies_wait_for_what_those_need(is_soft, tmp_path, monkeypatch):
    told = []
    monkeypatch.setattr("ipc_articulation.engine.cpu.tell_first_soft_run", lambda: told.append("soft"))
    scene = SoftScene(tmp_path)
    scene.add_soft(block(1)) if is_soft else scene.add_box(np.eye(4))
    scene.start()
    assert told == ["soft"] * is_soft


@pytest.mark.slow
def test_only_the_first_run_says_that_it_compiles(tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path)}
    assert said(**cache).count("first run: compiling the engine") == 1
    assert said(**cache) == ""
    assert said(SCRIPT + 2 * SOFT, **cache) == (
        "WARNING:ipc_articulation:first run with soft bodies: compiling for them takes about a minute; "
        "later runs find it on disk\n"
    )
    assert said(SCRIPT + SOFT, **cache) == ""
    assert said(NUMBA_DISABLE_JIT="1") == ""
