"""Where nothing touches, a coupled model moves as the engine itself moves it; and every run is the same as the last."""

import numpy as np
import pytest
from ipc_articulation.adapters.native import NativeAdapter

from ipc_articulation.dynamics.integrators import PD, Drive, Scheme
from tests.adapters.native.mechanisms import Run, arm, block, joint_zoo, own_motion, ram


@pytest.mark.parametrize("scheme", Scheme)
@pytest.mark.parametrize("mechanism", [arm, joint_zoo])
def test_motion_without_contact_is_the_engines_own(mechanism, scheme, tmp_path):
    """The zoo's universal, cylindrical and planar joints are chains of turns and slides in the scene."""
    model = mechanism().build()
    adapter = NativeAdapter(model, 0.005, q=np.full(model.nq, 0.1), scheme=scheme)
    goal = 0.3 * np.cos(np.arange(model.nq))
    adapter.drive = Drive(pd=PD.to(model, goal, 60.0, 6.0))
    q, v = own_motion(adapter, 100)
    run = Run(adapter, tmp_path)
    run.step(100)
    assert np.abs(q - 0.1).max() > 0.1
    np.testing.assert_allclose(adapter.q, q, rtol=0, atol=1e-8)
    np.testing.assert_allclose(adapter.v, v, rtol=0, atol=1e-6)
    assert np.abs(run.coupling.contact_force).max() < 1e-3
    assert run.coupling.drift.max() < 1e-6


def pusher(folder) -> Run:
    """A ram that runs into a crate."""
    model = ram().build()
    adapter = NativeAdapter(model, 0.01, free=[block("crate", 0.22)])
    adapter.drive = Drive(pd=PD.to(model, 0.3, 2000.0, 200.0))
    return Run(adapter, folder)


def state(run: Run) -> np.ndarray:
    (crate,) = run.adapter.free
    return np.concatenate([run.adapter.q, run.adapter.v, run.coupling.contact_force, crate.pose.ravel()])


def test_the_same_run_gives_the_same_bits(tmp_path):
    runs = [pusher(tmp_path / name) for name in ("a", "b")]
    for run in runs:
        run.step(40)
    np.testing.assert_array_equal(state(runs[0]), state(runs[1]))
    assert runs[0].adapter.free[0].pose[0, 3] > 0.25  # the crate was pushed


def test_a_recovered_run_gives_the_same_bits(tmp_path):
    run = pusher(tmp_path)
    run.step(20)
    assert run.world.dump()
    kept = run.adapter.state()
    run.step(20)
    again = pusher(tmp_path)
    assert again.world.recover(20)
    again.adapter.restore(kept)
    again.world.retrieve()
    again.step(20)
    np.testing.assert_array_equal(state(again), state(run))
