"""What a scene file says under `config`: nothing of it is ignored, and nothing ends in libuipc's own exception."""

from pathlib import Path

import pytest

from ipc_articulation.errors import SceneFileError
from ipc_articulation.frontend.friction_law import has_anchors
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.simulation.world import make_uipc_scene


def made(folder: Path, config: str):
    file = folder / "scene.yaml"
    file.write_text(f"adapter: none\ndt: 0.01\nsteps: 1\nconfig: {config}\n")
    return make_uipc_scene(*read_scene(file))


def test_values_reach_libuipc(tmp_path: Path) -> None:
    scene = made(tmp_path, "{newton: {max_iter: 7, velocity_tol: 1}, diff_sim: {enable: false}}")
    config = scene.config()
    assert config.find("newton/max_iter").view()[0] == 7
    assert config.find("newton/velocity_tol").view()[0] == 1.0


@pytest.mark.parametrize(("law", "is_anchored"), [("anchored", True), ("lagged", False)])
def test_the_law_of_friction_reaches_the_scene(tmp_path: Path, law: str, is_anchored: bool) -> None:
    file = tmp_path / "scene.yaml"
    file.write_text(f"adapter: none\ndt: 0.01\nsteps: 1\ncontact: {{friction_law: {law}}}\n")
    assert has_anchors(make_uipc_scene(*read_scene(file))) is is_anchored


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("{newtn: {}}", "4:10: libuipc's scene configuration has no 'newtn' here; did you mean 'newton'?"),
        ("{newton: {zzz: 1}}", "4:19: libuipc's scene configuration has no 'zzz' here; valid: ccd_tol, max_iter"),
        ("{newton: 3}", "4:18: 'newton' must be a mapping of ccd_tol, max_iter, "),
        ("{newton: {max_iter: fast}}", "4:29: 'max_iter' must be a whole number from 0, like 1024, got 'fast'"),
        ("{newton: {max_iter: 1.5}}", "4:29: 'max_iter' must be a whole number from 0, like 1024, got 1.5"),
        ("{newton: {max_iter: 99999999999}}", "4:29: 'max_iter' must be a whole number from 0"),
        ("{newton: {velocity_tol: -1}}", "4:33: 'velocity_tol' must be a number from 0, like 0.05, got -1"),
        ("{newton: {velocity_tol: true}}", "4:33: 'velocity_tol' must be a number from 0, like 0.05, got True"),
        ("{newton: {velocity_tol: 0}}", "4:33: libuipc: newton/velocity_tol: 0 must be greater than 0"),
        ("{linear_system: {solver: 3}}", "4:34: 'solver' must be a text, like 'fused_pcg', got 3"),
        ("{integrator: {type: nosuch}}", "4:29: libuipc: integrator/type: "),
        ("{dt: 1}", "4:10: 'dt' is said by the key `dt` of the scene file, not here"),
        ("{contact: {d_hat: 1}}", "4:20: 'd_hat' is said by the key `contact.d_hat` of the scene file, not here"),
    ],
)
def test_wrong_values_are_refused(tmp_path: Path, config: str, message: str) -> None:
    with pytest.raises(SceneFileError) as caught:
        made(tmp_path, config)
    assert message in str(caught.value)
    assert "Stack trace" not in str(caught.value)
