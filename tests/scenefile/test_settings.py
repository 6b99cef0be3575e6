"""Values put over a scene file's: `--set path=value`."""

from pathlib import Path

import numpy as np
import pytest

from ipc_articulation.errors import SceneFileError
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.scenefile.settings import parse_setting

SLIDER = Path(__file__).parents[2] / "scenes" / "hinge_slider.yaml"


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ("a.b=1e-3", "a.b", 1e-3),
        ("steps=7", "steps", 7),
        ("contact.enabled=false", "contact.enabled", False),
        ("title=a = b", "title", "a = b"),
        ("gravity=[0, 0, 1]", "gravity", (0, 0, 1)),
        ("bodies[0].mass=", "bodies[0].mass", None),
        ('robot.initial["arm.joint"]=2', 'robot.initial["arm.joint"]', 2),
    ],
)
def test_settings_are_read_as_yaml(text: str, path: str, value: object) -> None:
    assert parse_setting(text) == (path, value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dt", "command line: --set dt: a setting is PATH=VALUE, such as contact.friction=0.3"),
        ("=3", "--set =3: '' is no path; a path is written like `contact.friction`"),
        ("a..b=3", "'a..b' is no path"),
        ("a[x]=3", "'a[x]' is no path"),
        ("a=[1", "command line: --set a=[1: not YAML: expected ',' or ']'"),
        ("a=!!python/name:os.system x", "tag '!!python/name:os.system': values are texts, numbers"),
        ("a=.nan", "--set a=.nan: a number must be finite, got .nan"),
    ],
)
def test_what_is_no_setting(text: str, message: str) -> None:
    with pytest.raises(SceneFileError) as caught:
        parse_setting(text)
    assert message in str(caught.value)


def test_values_are_found_by_key_name_and_index() -> None:
    settings = {"dt": 0.5, "bodies.arm.mass": 3, "bodies[2].fixed": True, "view.eye": [1, 2, 3], "contact.d_hat": 1e-4}
    scene, _ = read_scene(SLIDER, settings)
    assert scene.dt == 0.5
    assert (scene.bodies[1].mass, scene.bodies[2].fixed) == (3.0, True)
    assert scene.view.eye == (1.0, 2.0, 3.0)  # a block that the file does not have
    assert scene.contact.d_hat == 1e-4


def test_numpy_values_are_values() -> None:
    scene, _ = read_scene(SLIDER, {"dt": np.float64(0.5), "steps": np.int64(3), "gravity": np.zeros(3)})
    assert (scene.dt, scene.steps, scene.gravity) == (0.5, 3, (0.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("dt", "fast", "--set dt=fast: dt should be a number, got 'fast'"),
        ("contact.d_hatt", 1, "--set contact.d_hatt=1: unknown key 'd_hatt'; did you mean 'd_hat'?"),
        ("bodies.amr.mass", 1, "'bodies' has no entry 'amr'; did you mean 'arm'? names: arm, post, slider"),
        ("bodies[3].mass", 1, "'bodies' has no entry 3; it has 3, counted from 0"),
        ("bodies[0].shape.size[0]", -1, "bodies[0].shape.size[0] should be greater than 0, got -1"),
        ("articulations.a.mass", 1, "'articulations' has no entry 'a'; its entries have no names: give an index, [0]"),
        ("include", "no.yaml", "--set include=no.yaml: no setting changes `include`; write it in the scene file"),
        ("dt.x", 1, "'dt' is one value, and has no 'x'"),
        ("contact[0]", 1, "'contact' is a mapping, and has no entry '0'"),
        ("variables.x", 1, "unknown variable 'x'; variables: none"),
        ("joints.hinge.parent", "pots", "unknown body 'pots'; did you mean 'post'?"),
    ],
)
def test_a_wrong_setting_is_named(path: str, value: object, message: str) -> None:
    with pytest.raises(SceneFileError) as caught:
        read_scene(SLIDER, {path: value})
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"{SLIDER}: --set {path}=")
    assert caught.value.line is None


def test_all_wrong_paths_are_told_at_once() -> None:
    with pytest.raises(SceneFileError) as caught:
        read_scene(SLIDER, {"bodies.amr.mass": 1, "joints.slid.length": 2})
    assert [fault.setting for fault in caught.value.faults] == ["bodies.amr.mass=1", "joints.slid.length=2"]
