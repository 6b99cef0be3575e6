"""OpenSim's functions and their derivatives."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from ipc_articulation.dynamics.reading.osim.functions import (
    IDENTITY,
    Composition,
    Constant,
    LinearFunction,
    PolynomialFunction,
    composed,
    scaled,
)
from ipc_articulation.dynamics.reading.osim.points import PiecewiseLinearFunction, SimmSpline
from ipc_articulation.errors import ModelError

X = np.array([-0.4, 0.1, 0.3, 0.9, 1.6, 2.0])
Y = np.array([0.2, -0.3, 0.5, 0.4, -0.2, 0.1])

KNEE_X = "0 0.174533 0.349066 0.523599 0.698132 0.872665 1.0472 1.22173 1.39626 1.5708 1.74533 1.91986 2.0944"
# The right knee of Rajagopal's model, and what nimblephysics 0.10.52.1 makes of it at 0.8.
KNEE = [
    (
        "0 0.0126809 0.0226969 0.0296054 0.0332049 0.0335354 0.0308779 "
        "0.0257548 0.0189295 0.011407 0.00443314 -0.00050475 -0.0016782",
        0.0337818799,
    ),
    (
        "0 0.059461 0.109399 0.150618 0.18392 0.210107 0.229983 0.24435 0.254012 0.25977 0.262428 0.262788 0.261654",
        0.2000172322,
    ),
    (
        "0 0.000479 0.000835 0.001086 0.001251 0.001346 0.001391 0.001403 0.0014 0.0014 0.001421 0.001481 0.001599",
        0.0013136805,
    ),
    (
        "0 0.000988 0.001899 0.002734 0.003492 0.004173 0.004777 0.005305 0.005756 0.00613 0.006427 0.006648 0.006792",
        0.0038988472,
    ),
]

SPLINE = SimmSpline(X, Y)
FUNCTIONS = {
    "constant": Constant(0.7),
    "linear": LinearFunction(-2.0, 0.3),
    "polynomial": PolynomialFunction([0.3, -0.2, 0.5, 1.0]),
    "piecewise linear": PiecewiseLinearFunction(X, Y),
    "spline": SPLINE,
    "multiple": scaled(SPLINE, -1.5),
    "composition": Composition(SPLINE, PolynomialFunction([0.3, 1.0, 0.2])),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("x", [-0.9, -0.2, 0.2, 0.5, 1.3, 1.9, 2.6])
def test_derivatives(name, x):
    f, h = FUNCTIONS[name], 1e-5
    assert f.first(x) == pytest.approx((f(x + h) - f(x - h)) / (2 * h), abs=1e-8)
    assert f.second(x) == pytest.approx((f.first(x + h) - f.first(x - h)) / (2 * h), abs=1e-8)


@pytest.mark.parametrize(("y", "value"), KNEE)
def test_the_knees_splines_are_those_of_nimblephysics(y, value):
    assert SimmSpline([float(word) for word in KNEE_X.split()], [float(word) for word in y.split()])(
        0.8
    ) == pytest.approx(value, abs=5e-11)


@pytest.mark.parametrize("count", [4, 5, 6])
def test_a_spline_goes_through_its_points_with_two_continuous_derivatives(count):
    x, y = X[:count], Y[:count]
    f, h = SimmSpline(x, y), 1e-9
    np.testing.assert_allclose([f(x_i) for x_i in x], y, atol=1e-15)
    for x_i in x[1:-1]:
        assert f(x_i - h) == pytest.approx(f(x_i), abs=1e-7)
        assert f.first(x_i - h) == pytest.approx(f.first(x_i), abs=1e-6)
        assert f.second(x_i - h) == pytest.approx(f.second(x_i), abs=1e-5)


def test_the_third_derivatives_at_the_ends_are_those_of_the_cubics_through_four_points():
    for points, at in ((slice(0, 4), X[0] + 2e-3), (slice(-4, None), X[-1] - 2e-3)):
        third = 6 * np.polyfit(X[points], Y[points], 3)[0]
        assert (SPLINE.second(at + 1e-3) - SPLINE.second(at - 1e-3)) / 2e-3 == pytest.approx(third, rel=1e-9)


def test_four_points_give_their_cubic_three_their_parabola_two_their_line():
    """Four points are where the condition is that of no knot too."""
    for count in (2, 3, 4):
        x, y = X[:count], Y[:count]
        expected = np.polyfit(x, y, count - 1)
        f = SimmSpline(x, y)
        at = np.linspace(x[0], x[-1], 7)
        np.testing.assert_allclose([f(x_i) for x_i in at], np.polyval(expected, at), atol=1e-13)
    assert CubicSpline(X[:4], Y[:4])(0.7) == pytest.approx(SimmSpline(X[:4], Y[:4])(0.7))


# x, f and f' of the spline through X and Y in OpenSim 4.6.
BEYOND = [
    (-1.0, 5.170314828220756, -8.283858047034593),
    (-0.4, 0.2, -8.283858047034593),
    (0.2, 0.11848118491369136, 4.230497294484086),
    (2.0, 0.1, 1.6891282154626557),
    (2.7, 1.2823897508238593, 1.6891282154626557),
]


@pytest.mark.parametrize(("x", "value", "slope"), BEYOND)
def test_beyond_its_knots_a_spline_is_straight(x, value, slope):
    assert SPLINE(x) == pytest.approx(value, rel=1e-12)
    assert SPLINE.first(x) == pytest.approx(slope, rel=1e-12)
    assert SPLINE.second(-1.0) == SPLINE.second(2.7) == 0.0


def test_lines_between_points_go_on_beyond_them():
    f = PiecewiseLinearFunction([0, 1, 3], [0, 2, 1])
    assert [f(x) for x in (-1, 0.5, 1, 2, 5)] == [-2, 1, 2, 1.5, 0]
    assert [f.first(x) for x in (0.5, 1, 3)] == [2, -0.5, -0.5]


def test_a_polynomials_highest_power_comes_first():
    assert PolynomialFunction([2, 0, 1])(3.0) == 19.0


def test_multiples_and_compositions_of_lines_are_lines():
    line = LinearFunction(2.0, 1.0)
    assert scaled(line, -1.0) == LinearFunction(-2.0, -1.0)
    assert scaled(line, 0.0) == Constant(0.0)
    assert scaled(SPLINE, 0.0) == Constant(0.0)
    assert scaled(SPLINE, 1.0) is SPLINE
    assert scaled(Constant(2.0), 3.0) == Constant(6.0)
    assert composed(line, LinearFunction(3.0, 1.0)) == LinearFunction(6.0, 3.0)
    assert composed(SPLINE, IDENTITY) is SPLINE
    assert composed(IDENTITY, SPLINE) is SPLINE
    assert composed(line, Constant(3.0)) == Constant(7.0)
    assert composed(Constant(3.0), SPLINE) == Constant(3.0)


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        ([0], [0], "a function has 1 x and 1 y; give as many of both, at least two"),
        ([0, 1], [0, 1, 2], "a function has 2 x and 3 y; give as many of both, at least two"),
        ([0, 2, 2], [0, 1, 2], "x of a function must increase; 2 is followed by 2"),
    ],
)
@pytest.mark.parametrize("kind", [SimmSpline, PiecewiseLinearFunction])
def test_points_that_make_no_function(kind, x, y, expected):
    with pytest.raises(ModelError) as raised:
        kind(x, y)
    assert str(raised.value) == expected


def test_a_polynomial_without_coefficients():
    with pytest.raises(ModelError, match="at least one coefficient"):
        PolynomialFunction([])
