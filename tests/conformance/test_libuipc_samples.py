"""`tools/libuipc_samples.py`: a script in the style of libuipc's samples runs, and its figures are right."""

import importlib.util
import subprocess
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[2] / "tools"

SAMPLE = """
import numpy as np
import polyscope as ps
from polyscope import imgui
from uipc import view
from uipc.core import Engine, Scene, World
from uipc.constitution import AffineBodyConstitution
from uipc.geometry import label_surface, label_triangle_orient, tetmesh
from uipc.gui import SceneGUI

world = World(Engine("cuda", {workspace!r}))
config = Scene.default_config()
config["contact"]["enable"] = 0
config["sanity_check"]["enable"] = 0
scene = Scene(config)
mesh = tetmesh(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]), np.array([[0, 1, 2, 3]]))
label_surface(mesh)
label_triangle_orient(mesh)
mesh.instances().resize(2)
AffineBodyConstitution().apply_to(mesh, 1e8)
view(mesh.transforms())[1, 0, 3] = {distance}
scene.objects().create("two").geometries().create(mesh)
{edit}
world.init(scene)
ps.init()
gui = SceneGUI(scene, "split")
surface, _, _ = gui.register() or (None, None, None)
run = False

def on_update():
    global run
    if imgui.Button("run & stop"):
        run = not run
    changed, value = imgui.SliderFloat("force", 0.25, 0.0, 1.0)
    assert value == 0.25
    if run:
        world.advance()
        world.retrieve()
        gui.update()

ps.set_user_callback(on_update)
ps.show()
"""


@pytest.fixture
def samples(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    spec = importlib.util.spec_from_file_location("libuipc_samples", TOOLS / "libuipc_samples.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def script(folder, distance=0.2, text=SAMPLE, edit=""):
    main = folder / "examples" / "1_two" / "main.py"
    main.parent.mkdir(parents=True)
    main.write_text(text.format(workspace=str(folder), distance=distance, edit=edit))
    return main


@pytest.mark.slow
@pytest.mark.parametrize(("distance", "intersecting"), [(0.2, 3), (2.0, 0)])
def test_a_sample_runs_to_its_limit(samples, tmp_path, distance, intersecting):
    main = script(tmp_path, distance)
    result = samples.run(main, 3, 600.0)  # with compilation
    assert result.pop("milliseconds") > 0.0
    assert result == {"steps": 3, "converged": 3, "intersecting": intersecting, "reason": "the limit of steps"}
    cells = samples.row(main, {**result, "milliseconds": 1.23})
    assert cells == ("1_two", "3", "3", "0", "0", str(intersecting), "1.2", "the limit of steps")


UNTOUCHED = {
    "by the contact table": "scene.contact_tabular().default_model(0.5, 1e9, False)",
    "by subscenes": "t = scene.subscene_tabular(); t.insert(t.default_element(), t.default_element(), False)",
}


@pytest.mark.slow
@pytest.mark.parametrize("edit", UNTOUCHED.values(), ids=UNTOUCHED)
def test_what_a_sample_lets_pass_through_each_other_does_not_count(samples, tmp_path, edit):
    result = samples.run(script(tmp_path, edit=edit), 1, 600.0)
    assert (result["steps"], result["intersecting"]) == (1, 0)


@pytest.mark.slow
def test_results_of_an_earlier_run_are_removed(samples, tmp_path):
    main = script(tmp_path, text="raise ValueError(len(list(Path(r'{workspace}').glob('output/*/*/*'))))")
    main.write_text("from pathlib import Path\n" + main.read_text())
    dumps = tmp_path / "output" / "examples" / "1_two" / "main.py"
    dumps.mkdir(parents=True)
    (dumps / "frame_000001.dump").touch()
    assert samples.run(main, 1, 60.0)["reason"] == "ValueError: 0"


@pytest.mark.slow
def test_what_a_sample_raises_is_its_result(samples, tmp_path):
    main = script(tmp_path, text="raise ValueError('no\\n mesh')")
    assert samples.run(main, 3, 60.0) == {"steps": 0, "reason": "ValueError: no mesh"}
    assert samples.row(main, {"steps": 0, "reason": "x"}) == ("1_two", "0", "", "", "", "", "", "x")


@pytest.mark.slow
def test_a_process_that_ends_is_a_result(samples, tmp_path):
    assert samples.run(script(tmp_path, text="import os; os._exit(7)"), 3, 60.0) == {
        "reason": "the process ended with status 7"
    }


def test_samples_are_chosen_by_name_or_number(samples, tmp_path, monkeypatch):
    monkeypatch.setattr(samples, "FOLDER", tmp_path)
    for name in ("10_b", "2_a"):
        (tmp_path / "examples" / name).mkdir(parents=True)
        (tmp_path / "examples" / name / "main.py").touch()
    assert [path.parent.name for path in samples.chosen([])] == ["2_a", "10_b"]
    assert [path.parent.name for path in samples.chosen(["10", "2_a"])] == ["10_b", "2_a"]
    with pytest.raises(SystemExit, match="no sample 3; there are 2_a, 10_b"):
        samples.chosen(["3"])


def test_another_clone_is_refused(samples, tmp_path, monkeypatch):
    monkeypatch.setattr(samples, "FOLDER", tmp_path / "models")
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    with pytest.raises(SystemExit, match=f"has no commit {samples.COMMIT}"):
        samples.fetch(tmp_path)
    assert not (tmp_path / "models").exists()
