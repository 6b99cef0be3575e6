"""The first run of an installation says that it compiles; the others say nothing."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import logging
logging.basicConfig()
from ipc_articulation.engine.output.first_run import tell_first_run
tell_first_run()
tell_first_run()
"""


def said(**environment):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return done.stderr


@pytest.mark.slow
def test_only_the_first_run_says_that_it_compiles(tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path)}
    assert said(**cache).count("first run: compiling the engine") == 1
    assert said(**cache) == ""
    assert said(NUMBA_DISABLE_JIT="1") == ""
