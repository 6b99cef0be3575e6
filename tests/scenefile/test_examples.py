"""The scene files that come with the package."""

from pathlib import Path

import pytest

from ipc_articulation import cli
from ipc_articulation.errors import SceneFileError
from ipc_articulation.scenefile.examples import examples, scene_file

SCENES = Path(__file__).parents[2] / "scenes"


def test_every_scene_of_the_repository_is_an_example() -> None:
    assert {name: file.resolve() for name, file in examples().items()} == {
        file.stem: file for file in SCENES.glob("*.yaml")
    }


def test_an_example_is_found_by_its_name_and_a_path_is_a_path() -> None:
    assert scene_file("example:panda_push").samefile(SCENES / "panda_push.yaml")
    assert scene_file("scenes/panda_push.yaml") == Path("scenes/panda_push.yaml")


def test_an_unknown_example_is_refused_with_those_there_are() -> None:
    with pytest.raises(SceneFileError) as caught:
        scene_file("example:panda_puss")
    assert "there is no example 'panda_puss'; did you mean 'panda_push'? examples: " in str(caught.value)


def test_the_command_line_refuses_it_too(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["sweep", "example:pandas", "--set", "seed=1"])
    assert caught.value.code == 2
    assert "there is no example 'pandas'" in capsys.readouterr().err
