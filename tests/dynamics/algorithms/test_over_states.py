"""Batches of states, and states in other forms than plain arrays, for every function of the package."""

import re

import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation.errors import StateError
from tests.dynamics.random_trees import States, random_mechanism, random_states

FRAMES = ["tool", 1]
CALLS = {
    "bias_forces": lambda m, s: dyn.bias_forces(m, s.q, s.v),
    "centre_of_mass": lambda m, s: dyn.centre_of_mass(m, s.q),
    "centre_of_mass_jacobian": lambda m, s: dyn.centre_of_mass_jacobian(m, s.q),
    "centroidal_momentum": lambda m, s: dyn.centroidal_momentum(m, s.q, s.v),
    "centroidal_momentum_matrix": lambda m, s: dyn.centroidal_momentum_matrix(m, s.q),
    "coriolis_forces": lambda m, s: dyn.coriolis_forces(m, s.q, s.v),
    "coriolis_matrix": lambda m, s: dyn.coriolis_matrix(m, s.q, s.v),
    "difference": lambda m, s: dyn.difference(m, s.q, dyn.integrate(m, s.q, s.a)),
    "forward_dynamics": lambda m, s: dyn.forward_dynamics(m, s.q, s.v, s.tau),
    "forward_dynamics with wrenches": lambda m, s: dyn.forward_dynamics(m, s.q, s.v, s.tau, s.wrenches),
    "forward_dynamics_derivatives": lambda m, s: np.stack(
        dyn.forward_dynamics_derivatives(m, s.q, s.v, s.tau, s.wrenches), axis=-3
    ),
    "frame_accelerations": lambda m, s: dyn.frame_accelerations(m, s.q, s.v, s.a, FRAMES),
    "frame_poses": lambda m, s: dyn.frame_poses(m, s.q, FRAMES),
    "frame_velocities": lambda m, s: dyn.frame_velocities(m, s.q, s.v, FRAMES),
    "gravity_forces": lambda m, s: dyn.gravity_forces(m, s.q),
    "integrate": lambda m, s: dyn.integrate(m, s.q, s.v, 0.5),
    "inverse_dynamics": lambda m, s: dyn.inverse_dynamics(m, s.q, s.v, s.a),
    "inverse_dynamics with wrenches": lambda m, s: dyn.inverse_dynamics(m, s.q, s.v, s.a, s.wrenches),
    "inverse_dynamics_derivatives": lambda m, s: np.stack(
        dyn.inverse_dynamics_derivatives(m, s.q, s.v, s.a, s.wrenches), axis=-3
    ),
    "inverse_mass_matrix": lambda m, s: dyn.inverse_mass_matrix(m, s.q),
    "jacobian": lambda m, s: dyn.jacobian(m, s.q, "tool", (0.1, 0.2, 0.3)),
    "jacobian_rate": lambda m, s: dyn.jacobian_rate(m, s.q, s.v, "tool", (0.1, 0.2, 0.3)),
    "joint_wrenches": lambda m, s: dyn.joint_wrenches(m, s.q, s.v, s.a, s.wrenches),
    "kinetic_energy": lambda m, s: dyn.kinetic_energy(m, s.q, s.v),
    "mass_matrix": lambda m, s: dyn.mass_matrix(m, s.q),
    "normalised": lambda m, s: dyn.normalised(m, 2.0 * np.asarray(s.q)),
    "potential_energy": lambda m, s: dyn.potential_energy(m, s.q),
    "rate": lambda m, s: dyn.rate(m, s.q, s.v),
}

MODEL = random_mechanism(7, floating=False).build()
MANY = random_states(MODEL, 7, 700)


@pytest.fixture(params=CALLS)
def call(request):
    """A function of a model and states."""
    return CALLS[request.param]


def changed(states, change):
    return States(*map(change, states))


def test_every_algorithm_is_here():
    homes = {name: getattr(dyn, name).__module__ for name in dyn.__all__ if name != "joints"}
    algorithms = {name for name, home in homes.items() if home.startswith("ipc_articulation.dynamics.algorithms.")}
    assert {name.split()[0] for name in CALLS} == algorithms - {"random_position"}


@pytest.mark.parametrize("count", [1, 3, 700])
def test_a_batch_is_as_its_states_one_by_one(call, count):
    states = changed(MANY, lambda x: x[:count])
    each = np.array([call(MODEL, states.at(k)) for k in range(count)])
    rounding = 1e-14 * max(10.0, np.abs(each).max(initial=0.0))  # the two are compiled apart, so sums may differ in it
    np.testing.assert_allclose(call(MODEL, states), each, rtol=1e-12, atol=rounding)


def test_two_leading_axes(call):
    flat = changed(MANY, lambda x: x[:6])
    expected = call(MODEL, flat)
    two = call(MODEL, changed(flat, lambda x: x.reshape(2, 3, *x.shape[1:])))
    np.testing.assert_array_equal(two, expected.reshape(2, 3, *expected.shape[1:]))


def test_no_states_at_all(call):
    whole = call(MODEL, changed(MANY, lambda x: x[:2]))
    assert call(MODEL, changed(MANY, lambda x: x[:0])).shape == (0, *whole.shape[1:])


@pytest.mark.parametrize("some", [2, (slice(0, 3), None)], ids=["one position", "a table"])
def test_leading_axes_are_broadcast(call, some):
    """One position with four velocities; three positions with each of four velocities."""
    states = changed(MANY, lambda x: x[:4])._replace(q=MANY.q[some])
    leading = np.broadcast_shapes(states.q.shape[:-1], (4,))
    same = states._replace(q=np.array(np.broadcast_to(states.q, (*leading, MODEL.nq))))
    got, want = np.broadcast_arrays(call(MODEL, states), call(MODEL, same))
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-13)


def every_second(x):
    """The same numbers with a stride, in memory of both the last axis and the first."""
    wide = np.full((*x.shape[:-1], 2 * x.shape[-1]), np.nan)
    wide[..., ::2] = x
    return wide[..., ::2]


@pytest.mark.parametrize("change", [every_second, np.asfortranarray, lambda x: x[::-1].copy()[::-1]])
@pytest.mark.parametrize("some", [slice(0, 5), 3], ids=["batch", "single"])
def test_any_layout_in_memory(call, change, some):
    states = changed(MANY, lambda x: x[some])
    np.testing.assert_array_equal(call(MODEL, changed(states, change)), call(MODEL, states))


@pytest.mark.parametrize("some", [slice(0, 5), 3], ids=["batch", "single"])
@pytest.mark.parametrize("kind", [np.float32, np.int64, list])
def test_any_kind_of_number(call, kind, some):
    change = np.ndarray.tolist if kind is list else lambda x: np.asarray(x, dtype=kind)
    rounded = changed(MANY, lambda x: np.ceil(x[some]) if kind is np.int64 else x[some])
    if kind is np.int64:  # half a turn about x
        for at, _ in MODEL.rotations:
            rounded.q[..., at] = 0.0, 1.0, 0.0, 0.0
    given = changed(rounded, change)
    same = changed(given, lambda x: np.array(x, dtype=float))
    np.testing.assert_array_equal(call(MODEL, given), call(MODEL, same))


WITH_OUT = {
    "bias_forces": "qv",
    "centre_of_mass": "q",
    "centre_of_mass_jacobian": "q",
    "centroidal_momentum": "qv",
    "centroidal_momentum_matrix": "q",
    "coriolis_forces": "qv",
    "coriolis_matrix": "qv",
    "forward_dynamics": "qvtw",
    "gravity_forces": "q",
    "inverse_dynamics": "qvtw",
    "inverse_mass_matrix": "q",
    "mass_matrix": "q",
}


@pytest.mark.parametrize("some", [slice(0, 5), 3], ids=["batch", "single"])
@pytest.mark.parametrize("name", WITH_OUT)
def test_results_go_where_they_shall(name, some):
    function, states = getattr(dyn, name), changed(MANY, lambda x: x[some])
    arrays = [
        {"q": states.q, "v": states.v, "t": states.tau, "w": states.wrenches}[letter] for letter in WITH_OUT[name]
    ]
    for given in {len(arrays), min(len(arrays), 3)}:
        expected = function(MODEL, *arrays[:given])
        out = np.full_like(expected, np.nan)
        assert function(MODEL, *arrays[:given], out=out) is out
        np.testing.assert_array_equal(out, expected)


def read_only(x):
    x.setflags(write=False)
    return x


NV = MODEL.nv


@pytest.mark.parametrize(
    ("out", "said"),
    [
        (np.empty(NV + 1), f"float64 ({NV + 1},)"),
        (np.empty((1, NV)), f"float64 (1, {NV})"),
        (np.empty(NV, np.float32), f"float32 ({NV},)"),
        (np.empty(2 * NV)[::2], f"float64 ({NV},)"),
        (read_only(np.empty(NV)), f"float64 ({NV},)"),
    ],
)
def test_results_do_not_fit(out, said):
    message = f"out must be a C-ordered float64 array of shape ({NV},); it is {said}"
    with pytest.raises(StateError, match=f"^{re.escape(message)}$"):
        dyn.gravity_forces(MODEL, MANY.q[0], out=out)


def test_leading_axes_do_not_fit_together():
    message = "the leading axes of the states do not fit together: q (3,), v (4,), a ()"
    with pytest.raises(StateError, match=f"^{re.escape(message)}$"):
        dyn.inverse_dynamics(MODEL, MANY.q[:3], MANY.v[:4], MANY.a[0])
