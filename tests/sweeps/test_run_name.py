"""Names of runs say their values, are safe for file systems, short and unique."""

import pytest

from ipc_articulation.sweeps.run_name import run_name


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"bodies.box.mass": 0.5, "contact.friction": 0.2}, "mass=0.5_friction=0.2"),
        ({"contact.friction": 0.2, "bodies.box.mass": 0.5}, "mass=0.5_friction=0.2"),
        ({"bodies.box.mass": 1, "bodies.post.mass": 2}, "box.mass=1_post.mass=2"),
        ({"gravity": [0, 0, -9.81]}, "gravity=0,0,-9.81"),
        ({"robot.model": "arms/left arm.urdf"}, "model=left-arm.urdf"),
        ({"bodies[0].mass": -1e-07, "view": None}, "mass=-1e-07_view=null"),
        ({"a": "../..", "b": "CON:*?"}, "a=.._b=CON-"),
        ({"a": True, "a.b": "x"}, "a=true_b=x"),
    ],
)
def test_values_are_in_the_name(settings: dict, name: str) -> None:
    assert run_name("1f", settings) == f"{name}_1f"


def test_names_are_bounded_and_unique_by_the_id() -> None:
    settings = {f"key{k}": "value" * 9 for k in range(20)}
    assert len(run_name("0" * 16, settings)) == 97
    assert run_name("1", settings) != run_name("2", settings)
    assert run_name("1", {}) == "1"
