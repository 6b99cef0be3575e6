"""Ctrl-C at random moments: scripts that go on end well, and their bodies do not interpenetrate.

Forty signals always, 1,000 of them in 50 scripts with `pytest -m stress`.
"""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SIGNALS = 20  # to each script
ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")


def interrupt(seed, folder):
    """Run the script of a seed and send it signals; its exit status and what it said."""
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.engine.interrupted_run", str(seed), str(folder)]
    rng = random.Random(seed)
    with subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as script:
        said = [script.stdout.readline()]
        while said[-1] not in ("ready\n", ""):
            said.append(script.stdout.readline())
        for _ in range(SIGNALS):
            time.sleep(rng.uniform(0.005, 0.1))
            script.send_signal(signal.SIGINT)
        script.send_signal(signal.SIGUSR1)
        said.append(script.communicate(timeout=300)[0])
    return script.returncode, "".join(said)


def failures(seeds, folder):
    """What the scripts said that did not end well."""
    ended = (interrupt(seed, folder / str(seed)) for seed in seeds)
    return "\n".join(f"exit status {status}\n{said}" for status, said in ended if status != 0)


@pytest.mark.slow
def test_scripts_survive_interrupts(tmp_path):
    assert failures(range(2), tmp_path) == ""


@pytest.mark.slow
@pytest.mark.stress
@pytest.mark.parametrize("first", range(0, 50, 10))
def test_many_scripts_survive_interrupts(tmp_path, first):
    assert failures(range(first, first + 10), tmp_path) == ""
