"""What a scene file has in place of libuipc's own settings."""

from pathlib import Path
from typing import Any

import pytest

from ipc_articulation import BY_LOAD
from ipc_articulation.errors import SceneFileError
from ipc_articulation.simulation.world import make_uipc_scene
from tests.simulation.scene_texts import BOX, free_scene, read


def scene_of(folder: Path, **keys: Any) -> Any:
    return make_uipc_scene(*read(folder, free_scene(bodies=[{"name": "box", "shape": BOX}], **keys)))


def ends_early(scene: Any) -> bool:
    return bool(scene.config().find("newton/semi_implicit/enable").view()[0])


@pytest.mark.parametrize(
    ("contact", "resistance"),
    [({}, BY_LOAD), ({"resistance": 1e9}, 1e9), ({"resistance": 3e8}, 3e8)],
    ids=["open", "libuipc's own", "another"],
)
def test_a_resistance_is_open_or_as_it_is_given(tmp_path: Path, contact: dict[str, float], resistance: float) -> None:
    model = scene_of(tmp_path, contact=contact).contact_tabular().default_model()
    assert (model.friction_rate(), model.resistance()) == (0.5, resistance)


def test_steps_converge_unless_the_file_says_otherwise(tmp_path: Path) -> None:
    assert not ends_early(scene_of(tmp_path))
    assert ends_early(scene_of(tmp_path, config={"newton": {"semi_implicit": {"enable": 1}}}))


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf"), "load"], ids=str)
def test_a_resistance_is_a_number_above_0(tmp_path: Path, value: Any) -> None:
    with pytest.raises(SceneFileError, match="resistance"):
        scene_of(tmp_path, contact={"resistance": value})
