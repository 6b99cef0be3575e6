import re

import numpy as np
import pytest
from ipc_articulation.adapters.native import NativeAdapter

from ipc_articulation.dynamics import mass_matrix
from ipc_articulation.dynamics.integrators import PD, Drive, Scheme
from ipc_articulation.errors import AdapterError, StateError
from tests.adapters.native.mechanisms import arm, at, block, own_motion

NONE = np.zeros((0, 4, 4))
DT = 0.01


def driven(scheme: Scheme = Scheme.FULL, effort: float = np.inf, **options) -> NativeAdapter:
    mechanism = arm()
    mechanism.joints[1].effort = effort
    model = mechanism.build()
    adapter = NativeAdapter(model, DT, q=[0.2, -0.1], v=[0.5, 1.0], scheme=scheme, **options)
    adapter.drive = Drive(tau=[1.0, -2.0], pd=PD.to(model, [0.6, 0.1], [200.0, 300.0], [20.0, 30.0]))
    return adapter


@pytest.mark.parametrize("scheme", Scheme)
def test_committing_the_prediction_is_the_engines_own_run(scheme):
    adapter = driven(scheme)
    q, v = own_motion(adapter, 20)
    for _ in range(20):
        adapter.commit(adapter.predict().delta_theta_tilde, NONE, NONE)
    np.testing.assert_allclose(adapter.theta(), q, atol=1e-14)
    np.testing.assert_allclose(adapter.theta_dot(), v, atol=1e-12)


def test_effective_mass_holds_damping_and_gains():
    adapter = driven()
    added = adapter.predict().mass - mass_matrix(adapter.model, adapter.q)
    D, kp, kd = np.array([0.5, 2.0]), np.array([200.0, 300.0]), np.array([20.0, 30.0])
    np.testing.assert_allclose(added, np.diag(DT * (D + kd) + DT**2 * kp), atol=1e-14)


def test_gains_beyond_the_effort_limit_are_a_constant_force():
    """200·0.4 - 20·0.5 = 70 N·m are asked for, 30 N·m are there: M̂ has no gains, the push is 30 N·m."""
    adapter = driven(effort=30.0)
    prediction = adapter.predict()
    added = prediction.mass - mass_matrix(adapter.model, adapter.q)
    np.testing.assert_allclose(np.diag(added), [DT * 0.5, DT * 32.0 + DT**2 * 300.0], atol=1e-14)
    pushed = driven(effort=30.0)
    pushed.drive = Drive(tau=[30.0, -2.0], pd=PD.to(adapter.model, adapter.drive.pd.q, [0.0, 300.0], [0.0, 30.0]))
    np.testing.assert_allclose(prediction.delta_theta_tilde, pushed.predict().delta_theta_tilde, atol=1e-15)


def test_prediction_changes_nothing():
    adapter = driven()
    q, v, drive = adapter.q.copy(), adapter.v.copy(), adapter.drive
    first, second = adapter.predict(), adapter.predict()
    np.testing.assert_array_equal(first.delta_theta_tilde, second.delta_theta_tilde)
    np.testing.assert_array_equal(first.link_poses, adapter.link_poses())
    np.testing.assert_array_equal([adapter.q, adapter.v], [q, v])
    assert adapter.drive is drive


def test_correction_moves_positions_and_velocities():
    adapter = driven()
    start = adapter.q.copy()
    wanted = adapter.predict().delta_theta_tilde + np.array([1e-3, -2e-3])
    adapter.commit(wanted, NONE, NONE)
    np.testing.assert_allclose(adapter.q, start + wanted, atol=1e-15)
    np.testing.assert_allclose(adapter.v, wanted / DT, atol=1e-12)


def test_free_bodies_go_where_they_are_told():
    adapter = driven(free=[block("crate", 3.0)])
    rate = np.zeros((1, 4, 4))
    rate[0, :3, 3] = [1.0, 2.0, 3.0]
    adapter.commit(adapter.predict().delta_theta_tilde, at(7, 8, 9)[None], rate)
    (crate,) = adapter.describe().free
    np.testing.assert_array_equal(crate.pose, at(7, 8, 9))
    np.testing.assert_array_equal(crate.velocity, rate[0])
    assert adapter.free == (crate,)


def test_free_bodies_cannot_be_edited():
    adapter = driven(free=[block("crate", 3.0)])
    adapter.commit(adapter.predict().delta_theta_tilde, at(7, 8, 9)[None], np.zeros((1, 4, 4)))
    with pytest.raises(AttributeError, match="property 'free' of 'NativeAdapter' object has no setter"):
        adapter.free = ()
    with pytest.raises(ValueError, match="read-only"):
        adapter.free[0].pose[0, 3] = 0.0


def test_state_may_be_set_between_steps():
    adapter = driven()
    adapter.q, adapter.v = [0.0, 0.05], [0.0, 0.0]
    np.testing.assert_array_equal(adapter.theta(), [0.0, 0.05])
    adapter.drive = Drive()
    adapter.commit(adapter.predict().delta_theta_tilde, NONE, NONE)
    assert adapter.theta()[0] > 0.0  # it falls, about +y


def test_gravity_and_time_step():
    adapter = driven()
    assert adapter.dt == DT
    np.testing.assert_array_equal(adapter.gravity, [0.0, 0.0, -9.81])


def test_a_velocity_beyond_arithmetic_is_named():
    adapter = driven(Scheme.DAMPING)
    adapter.v = [1e200, 0.0]
    message = r"v\[0\] \('shoulder'\) is 1e\+200; that is too large to compute with"
    with np.errstate(all="ignore"), pytest.raises(StateError, match=message):
        adapter.predict()


def test_bad_arguments_are_told():
    model = arm().build()
    with pytest.raises(AdapterError, match=r"^NativeAdapter: dt is 0\.0, must be a positive, finite number"):
        NativeAdapter(model, 0.0)
    message = "two bodies are called 'upper'; give every link, body and plane a name of its own"
    with pytest.raises(AdapterError, match=message):
        NativeAdapter(model, DT, static=[block("upper", 3.0)])
    with pytest.raises(StateError):
        NativeAdapter(model, DT, q=[1.0])


@pytest.mark.parametrize("name", ["model", "pins", "static", "planes"])
def test_what_the_scene_was_built_from_cannot_be_exchanged(name):
    adapter = NativeAdapter(arm().build(), DT)
    with pytest.raises(
        AdapterError, match=f"'{name}' of a NativeAdapter cannot be changed: the scene is built from it"
    ):
        setattr(adapter, name, getattr(adapter, name))


def test_control_of_a_wrong_length_is_named():
    adapter = NativeAdapter(arm().build(), DT)
    adapter.drive = Drive(pd=PD(np.ones(3), np.ones(2), np.zeros(2), np.zeros(2)))
    with pytest.raises(StateError, match=re.escape("kp has shape (3,)")):
        adapter.predict()
    adapter.drive = Drive(tau=[1.0, 2.0, 3.0])
    with pytest.raises(StateError, match=re.escape("tau has shape (3,)")):
        adapter.predict()
