"""`scenes/hinge_script.py`: a scene wired by hand, run as a user runs it."""

import runpy
from pathlib import Path

import numpy as np
import pytest
import uipc

uipc.Logger.set_level(uipc.Logger.Level.Error)

main = runpy.run_path(str(Path(__file__).parents[2] / "scenes" / "hinge_script.py"))["main"]


def test_each_hinge_turns_by_its_velocity_times_the_time(capsys):
    np.testing.assert_allclose(main("cpu", steps=100), [-np.pi / 6, np.pi / 6], atol=1e-6)
    assert "step  100: hinges at -0.523598" in capsys.readouterr().out


def test_the_engine_none_says_that_it_moves_nothing(capsys):
    np.testing.assert_array_equal(main("none", steps=2), [0.0, 0.0])
    assert "This engine moves nothing" in capsys.readouterr().out


@pytest.mark.gpu
def test_the_cuda_engine_turns_the_hinges_alike():
    from ipc_articulation.engine.engine import has_gpu

    if not has_gpu():
        pytest.skip("no NVIDIA GPU")
    np.testing.assert_allclose(main("cuda", steps=100), [-np.pi / 6, np.pi / 6], atol=1e-3)
