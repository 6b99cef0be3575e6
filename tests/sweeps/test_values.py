"""Lists of values on the command line and from Python."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ipc_articulation.errors import SweepError
from ipc_articulation.sweeps.values import checked_settings, parse_settings


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("contact.friction=0.1,0.5,1.0", [0.1, 0.5, 1.0]),
        ("contact.resistance=1e8", [1e8]),
        ("seed=range(3)", [0, 1, 2]),
        ("seed=range(5, 2, -2)", [5, 3]),
        ("dt=linspace(0.1,0.3,3)", [0.1, 0.2, 0.3]),
        ("seed=7,range(2),linspace(0.25,0.5,2)", [7, 0, 1, 0.25, 0.5]),
        ("gravity=[0,0,-9.8],[0, 0, -1.62]", [[0, 0, -9.8], [0, 0, -1.62]]),
        ("robot.model=a.urdf, package://b/c.urdf", ["a.urdf", "package://b/c.urdf"]),
        ("contact.enabled=true,false", [True, False]),
        ("bodies[0].shape={type: sphere, radius: 1}", [{"type": "sphere", "radius": 1}]),
    ],
)
def test_lists_are_read(text: str, values: list[Any]) -> None:
    read = parse_settings([text])
    assert read == {text.split("=")[0]: values}
    assert [type(value) for value in next(iter(read.values()))] == [type(value) for value in values]


def test_settings_keep_their_order() -> None:
    assert list(parse_settings(["seed=1", "dt=0.1", "gravity=[0,0,1]"])) == ["seed", "dt", "gravity"]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["seed"], "'seed': a setting is KEY=VALUE,VALUE,..., for instance contact.friction=0.1,0.5"),
        (["seed="], "'seed=': a setting is KEY=VALUE"),
        (["=1,2"], "'=1,2': a setting is KEY=VALUE"),
        (["seed=1", "seed=2"], "'seed=2': 'seed' is set already; give all its values in one list"),
        (["seed=1,2,1"], "'seed=1,2,1' has the value 1 twice"),
        (["seed=range(0)"], "'seed=range(0)' has no values"),
        (["seed=range(a)"], "range(a) cannot be read: invalid literal for int() with base 10: 'a'; valid: range(b)"),
        (["seed=range(1,2,0)"], "range(1,2,0) cannot be read: range() arg 3 must not be zero"),
        (["dt=linspace(0,1)"], "linspace(0,1) cannot be read: linspace needs three numbers: a, b, n"),
        (["dt=linspace(0,1,1)"], "linspace(0,1,1) cannot be read: n must be 2 or more"),
        (["gravity=[0,0"], "'gravity=[0,0': the values are no list: not YAML: expected ',' or ']'"),
        (["dt=.nan"], "'dt=.nan': the values are no list: a number must be finite, got .nan"),
    ],
)
def test_what_cannot_be_read_is_quoted(texts: list[str], message: str) -> None:
    with pytest.raises(SweepError) as caught:
        parse_settings(texts)
    assert message in str(caught.value)


def test_python_gives_any_iterable() -> None:
    settings = {"seed": range(2), "dt": np.linspace(0.0, 1.0, 2), "gravity": [(0, 0, -9.8), np.zeros(3)]}
    assert checked_settings(settings) == {"seed": [0, 1], "dt": [0.0, 1.0], "gravity": [[0, 0, -9.8], [0.0, 0.0, 0.0]]}


def test_python_gives_plain_values() -> None:
    assert checked_settings({"robot.model": [Path("a.urdf")]}) == {"robot.model": ["a.urdf"]}
    with pytest.raises(SweepError, match=r"a value is a number, a text, a list or a mapping, got 1j"):
        checked_settings({"dt": [1j]})


@pytest.mark.parametrize("value", [0.5, "text", {"a": 1}])
def test_python_gives_lists(value: Any) -> None:
    with pytest.raises(SweepError, match="'dt' needs a list of values, got"):
        checked_settings({"dt": value})
