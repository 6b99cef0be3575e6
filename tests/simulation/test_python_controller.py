"""Controllers written in Python: what they are told, what they may return, and what they may be."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ipc_articulation.errors import AdapterError, SceneFileError
from tests.simulation.scene_texts import read, robot_scene, simulation

ADAPTERS = pytest.mark.parametrize("adapter", ["mujoco", "native"])


def scene(folder: Path, code: str, python: str = "own.py:control", **keys: Any) -> dict[str, Any]:
    """A robot scene whose controller is some code."""
    (folder / "own.py").write_text(code)
    return robot_scene(controller={"type": "python", "python": python, "parameters": {"angle": 0.3}}, **keys)


def theta(folder: Path, code: str, steps: int = 40, **keys: Any) -> np.ndarray:
    made = simulation(folder, scene(folder, code, **keys), steps)
    for step in range(steps):
        made.step(step)
    result: np.ndarray = made.measure(is_start=False)["theta"]
    return result


@pytest.mark.slow
@ADAPTERS
@pytest.mark.parametrize(
    "answer",
    ['{"elbow": angle}', '{"targets": {"elbow": angle}}', "[0.0, angle]", '{"targets": (0, angle), "torques": {}}'],
)
def test_targets_by_name_or_all_of_them(tmp_path: Path, adapter: str, answer: str) -> None:
    code = f"def control(state):\n    angle = state.parameters['angle']\n    return {answer}\n"
    np.testing.assert_allclose(theta(tmp_path, code, 120, adapter=adapter), [0.0, 0.3], atol=0.01)


@ADAPTERS
@pytest.mark.parametrize("answer", ['{"torques": {"shoulder": 2.0}}', '{"torques": [2.0, 0.0]}'])
def test_torques_are_added_to_the_actuators_forces(tmp_path: Path, adapter: str, answer: str) -> None:
    code = f"def control(state):\n    return {answer}\n"
    found = theta(tmp_path, code, 120, adapter=adapter)
    np.testing.assert_allclose(found, [2.0 / 200.0, 0.0], atol=1e-4)  # kp θ = τ


def test_the_state_is_that_of_the_step(tmp_path: Path) -> None:
    code = """
states = []
def control(state):
    states.append((state, state.rng.random()))
    return {}
"""
    made = simulation(tmp_path, scene(tmp_path, code, robot={"initial": {"elbow": 0.2}}, seed=3))
    for step in range(2):
        made.step(step)
    import sys

    states = sys.modules["_scene_controller_own"].states
    (first, drawn), (second, _) = states
    assert (first.step, first.time, first.dt) == (0, 0.0, 0.01)
    assert (second.step, second.time) == (1, 0.01)
    assert first.joints == first.actuated == ("shoulder", "elbow")
    np.testing.assert_allclose(first.theta, [0.0, 0.2])
    np.testing.assert_allclose(first.targets, [0.0, 0.2])
    assert set(first.poses) == {"upper", "lower"}
    assert drawn == np.random.Generator(np.random.PCG64([3, 0])).random()
    assert made.ran_code == ("own.py:control",)


RETURNS = [
    ("None", r"returned None for targets; must be 2 numbers \(shoulder, elbow\) or a mapping of joint names"),
    ("[1, 2, 3]", r"returned shape \(3,\) for targets; must be 2 numbers"),
    ("'fast'", "returned str for targets; must be 2 numbers"),
    ("{'elbw': 1}", "returned targets of an unknown joint 'elbw'; did you mean 'elbow'"),
    ("{'elbow': [1, 2]}", r"returned \[1, 2\] for targets of joint 'elbow'; must be a number"),
    ("{'elbow': float('nan')}", "returned nan for targets of joint 'elbow'; must be finite"),
    ("{'torques': [0, float('inf')]}", "returned inf for torques of joint 'elbow'; must be finite"),
]


@pytest.mark.parametrize(("answer", "message"), RETURNS)
def test_a_wrong_answer_is_named(tmp_path: Path, answer: str, message: str) -> None:
    made = simulation(tmp_path, scene(tmp_path, f"def control(state):\n    return {answer}\n"))
    with pytest.raises(AdapterError, match=f"step 0: Python controller 'own.py:control' {message}"):
        made.step(0)


def test_an_error_in_it_is_told_with_file_and_line(tmp_path: Path) -> None:
    code = (
        "import numpy\ndef control(state):\n    if state.step == 1:\n        numpy.linalg.inv([[0.0]])\n    return {}\n"
    )
    made = simulation(tmp_path, scene(tmp_path, code))
    made.step(0)
    with pytest.raises(AdapterError, match=r"step 1: .*own.py:4: LinAlgError: Singular matrix"):
        made.step(1)


def ending(error: str) -> str:
    return (
        f"class Odd(BaseException): pass\ndef control(state):\n    if state.step == 1: raise {error}\n    return {{}}\n"
    )


@pytest.mark.parametrize(("error", "message"), [("Odd('strange')", "Odd: strange"), ("SystemExit(0)", "SystemExit: 0")])
def test_any_other_end_of_it_is_an_error_too(tmp_path: Path, error: str, message: str) -> None:
    made = simulation(tmp_path, scene(tmp_path, ending(error)))
    made.step(0)
    with pytest.raises(AdapterError, match=rf"step 1: Python controller 'own.py:control' .*own.py:3: {message}"):
        made.step(1)


def test_ctrl_c_passes_through_and_takes_no_step(tmp_path: Path) -> None:
    made = simulation(tmp_path, scene(tmp_path, ending("KeyboardInterrupt")))
    made.step(0)
    before = made.measure(is_start=False)["theta"]
    with pytest.raises(KeyboardInterrupt):
        made.step(1)
    np.testing.assert_array_equal(made.measure(is_start=False)["theta"], before)
    made.step(0)


LOADING = [
    ("def control(state)\n    return {}\n", r"own.py:1: SyntaxError"),
    ("import sys\nsys.exit(0)\n", r"own.py:2: SystemExit: 0"),
    ("import nothing_of_that_name\n", r"own.py:1: ModuleNotFoundError: No module named 'nothing_of_that_name'"),
    ("def contrl(state):\n    return {}\n", "there is no function 'control' in it"),
]


@pytest.mark.parametrize(("code", "message"), LOADING)
def test_what_cannot_be_loaded_is_told_with_its_place_in_the_scene(tmp_path: Path, code: str, message: str) -> None:
    with pytest.raises(SceneFileError, match=message) as caught:
        simulation(tmp_path, scene(tmp_path, code))
    assert caught.value.line is not None


REFUSED = [
    ("../own.py:control", "'../own.py' is outside the scene file's folder"),
    ("/tmp/own.py:control", "'/tmp/own.py' is outside the scene file's folder"),
    ("link.py:control", "'link.py' is outside the scene file's folder"),
    ("other.py:control", "no such file: 'other.py'"),
    ("own.py", "a Python function is given as 'folder/file.py:function'"),
    ("own.py:a.b", "a Python function is given as"),
    ("os:system", "'os' is no installed package"),
    ("own:control", "'own' is no installed package.*a file is given with its ending: 'own.py:...'"),
    ("no-module:f", "'no-module' is no module"),
]


@pytest.mark.parametrize(("python", "message"), REFUSED)
def test_only_files_of_the_folder_and_installed_packages_are_named(tmp_path: Path, python: str, message: str) -> None:
    folder = tmp_path / "scenes"
    folder.mkdir()
    (tmp_path / "own.py").write_text("def control(state):\n    return {}\n")
    (folder / "link.py").symlink_to(tmp_path / "own.py")
    with pytest.raises(SceneFileError, match=message) as caught:
        read(folder, scene(folder, "", python))
    assert caught.value.line is not None


def test_reading_runs_nothing(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    read(tmp_path, scene(tmp_path, f"open({str(marker)!r}, 'w')\n"))
    assert not marker.exists()


@pytest.mark.slow
def test_an_installed_package_may_be_named(tmp_path: Path) -> None:
    made = simulation(tmp_path, scene(tmp_path, "", "numpy:asarray"))
    with pytest.raises(AdapterError, match="Python controller 'numpy:asarray' returned"):
        made.step(0)


def test_a_state_that_is_no_mapping_is_refused(tmp_path: Path) -> None:
    code = """
class Controller:
    def __call__(self, state): return {}
    def state(self): return [1.0]
control = Controller()
"""
    made = simulation(tmp_path, scene(tmp_path, code))
    with pytest.raises(AdapterError, match=r"own.py:control': state\(\) returned list; must be a mapping of names"):
        made.dump()
