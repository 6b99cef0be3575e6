"""Public classes and functions refuse unknown keywords and arguments of other types, by a named error."""

import datetime

import mujoco
import numpy as np
import pytest
import uipc
from ipc_articulation.adapters.mujoco import MujocoAdapter, find_package, load_model, load_spec
from ipc_articulation.adapters.native import NativeAdapter

from ipc_articulation import Engine, arguments, couple, read_recording, resume, run, sweep
from ipc_articulation.dynamics import Drive
from ipc_articulation.errors import (
    AdapterError,
    EngineError,
    IpcArticulationError,
    NoRecordingError,
    RecordingError,
    StateError,
)
from tests.adapters.native.mechanisms import arm
from tests.coupling.worlds import Turntable, make_scene

MODEL = arm().build()
BALL = "<mujoco><worldbody><body name='ball'><joint/><geom size='0.1'/></body>{more}</worldbody></mujoco>"
MJ_MODEL = mujoco.MjModel.from_xml_string(BALL.format(more=""))
OTHER = mujoco.MjModel.from_xml_string(BALL.format(more="<body><joint/><geom size='0.1'/></body>"))
MJ_DATA = mujoco.MjData(MJ_MODEL)


def native(model=MODEL, dt=0.01, **others):
    return NativeAdapter(model, dt, **others)


def muscle(model=MJ_MODEL, data=MJ_DATA, **others):
    return MujocoAdapter(model, data, **others)


def coupled(scene=None, adapter=None, **others):
    return couple(scene or make_scene(), adapter or Turntable(), **others)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: native(nope=1),
            r"^NativeAdapter has no argument 'nope'; valid: contact_rules, dt, free, friction, mesh_shape, ",
        ),
        (lambda: native(mesh_shap="hull"), "no argument 'mesh_shap'; did you mean 'mesh_shape'[?] valid: "),
        (lambda: native(scheme="x"), r"^NativeAdapter: scheme is 'x', must be a Scheme$"),
        (lambda: native(mesh_shape="hul"), "^NativeAdapter: mesh_shape is 'hul', must be one of 'mesh', 'hull'$"),
        (lambda: native(model=None), "^NativeAdapter: model is None, must be a Model$"),
        (lambda: native(dt="a"), "^NativeAdapter: dt is 'a', must be a positive, finite number$"),
        (lambda: native(dt=True), "^NativeAdapter: dt is True, must be a positive, finite number$"),
        (lambda: native(pins="abc"), "^NativeAdapter: pins is 'abc', must be a list of Pin$"),
        (lambda: native(pins=None), "^NativeAdapter: pins is None, must be a list of Pin$"),
        (lambda: native(free=["box"]), r"^NativeAdapter: free is \['box'\], must be a list of CoupledBody$"),
        (lambda: native(planes=3), "^NativeAdapter: planes is 3, must be a list of HalfPlane$"),
        (lambda: native(friction="rough"), "^NativeAdapter: friction is 'rough', must be "),
        (
            lambda: muscle(nope=1),
            r"^MujocoAdapter has no argument 'nope'; .* valid: data, free, ignore, links, ",
        ),
        (lambda: muscle(mesh_shape="hul"), "^MujocoAdapter: mesh_shape is 'hul', must be one of 'mesh', 'hull'$"),
        (lambda: muscle(links="ball"), "^MujocoAdapter: links is 'ball', must be a list of str, or None$"),
        (lambda: muscle(ignore=None), "^MujocoAdapter: ignore is None, must be a list of str$"),
        (lambda: muscle(MJ_DATA, MJ_MODEL), "^MujocoAdapter: model is .*MjData.*, must be a MjModel$"),
        (lambda: muscle(data=mujoco.MjData(OTHER)), "^MujocoAdapter: data is the state of another model"),
        (lambda: couple(None, Turntable()), "^couple: scene is None, must be a Scene$"),
        (lambda: couple(make_scene(), None), "^NoneType has no 'commit'"),
        (
            lambda: coupled(stiffness_ratio="a"),
            "^couple: stiffness_ratio is 'a', must be a positive number, at most 1e",
        ),
        (lambda: coupled(stiffness_ratio=1e20), "stiffness_ratio is 1e[+]20, must be a positive number, at most 1e"),
        (lambda: coupled(stiffness_ratio=0.0), "stiffness_ratio is 0.0, must be a positive"),
        (lambda: coupled(free_kappa=np.nan), "free_kappa is nan, must be a positive"),
        (lambda: coupled(complete=1), "complete is 1, must be a function, or None$"),
        (lambda: coupled(stifness_ratio=1.0), "^couple has no argument 'stifness_ratio'; did you mean 'stiffness_"),
    ],
)
def test_adapters_and_couple_refuse_it_by_name(call, message):
    with pytest.raises(AdapterError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Engine("cpu", None), "^Engine: workspace is None, must be a str or a PathLike$"),
        (lambda: Engine(5), "^Engine: backend is 5, must be a str$"),
        (lambda: Engine("cpu", "a\0b"), r"^the workspace 'a\\x00b' cannot be made: embedded null byte$"),
        (lambda: Engine("cpu", config="a"), "^Engine: config is 'a', must be a dict, or None$"),
        (
            lambda: Engine("cpu", config={"k": np.eye(1)}),
            r"^Engine: config is \{'k': array.*, must be a dict of what JSON",
        ),
        (lambda: Engine("cpu", workspase="a"), "^Engine has no argument 'workspase'; did you mean 'workspace'"),
    ],
)
def test_engine_refuses_it_by_name(call, message):
    with pytest.raises(EngineError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: run(None), "^run: path is None, must be a path$"),
        (lambda: run("a.yaml", steps=-1), "^run: steps is -1, must be a whole number, zero or more, or None$"),
        (lambda: run("a.yaml", settings=["a"]), r"^run: settings is \['a'\], must be a Mapping, or None$"),
        (
            lambda: run("a.yaml", time_limit=np.nan),
            "^run: time_limit is nan, must be a number of seconds, zero or more",
        ),
        (lambda: run("a.yaml", step=1), "^run has no argument 'step'; did you mean 'steps'"),
        (lambda: resume(5), "^resume: folder is 5, must be a path$"),
        (lambda: resume("out/a", quiet="no"), "^resume: quiet is 'no', must be True or False$"),
        (lambda: sweep(None, {}), "^sweep: file is None, must be a path$"),
        (lambda: sweep("a.yaml", "b"), "^sweep: settings is 'b', must be a Mapping$"),
    ],
)
def test_runs_refuse_it_by_name(call, message):
    with pytest.raises(IpcArticulationError, match=message):
        call()


@pytest.mark.parametrize("folder", [None, 5, ""])
def test_a_recordings_folder_is_a_path(folder):
    with pytest.raises(RecordingError, match=f"^read_recording: folder is {folder!r}, must be a path$"):
        read_recording(folder)


def test_a_name_that_no_folder_can_have_has_no_recording():
    with pytest.raises(NoRecordingError, match=r"^no recording: aaa"):
        read_recording("a" * 5000)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: load_model(None), "^load_model: path is None, must be a path$"),
        (lambda: load_spec(5), "^load_spec: path is 5, must be a path$"),
        (lambda: load_model("a" * 5000), "^model file 'a{200}' does not exist$"),
        (
            lambda: load_model("a.xml", package_dirs="b"),
            "^load_model: package_dirs is 'b', must be a list of str or ",
        ),
        (lambda: find_package(None), "^find_package: name is None, must be a str$"),
        (lambda: find_package(""), "^robot package '' is not installed; try: pip install"),
    ],
)
def test_readers_of_mujocos_models_refuse_it_by_name(call, message):
    with pytest.raises(AdapterError, match=message):
        call()


@pytest.mark.parametrize("name", ["q", "v"])
@pytest.mark.parametrize("value", ["text", ["0.1", "0.2"], [True, False], [None, None], np.datetime64("2026-01-01")])
def test_a_state_that_is_not_numbers_is_refused(name, value):
    with pytest.raises(StateError, match=rf"^{name} must be real numbers"):
        native(**{name: value})


@pytest.mark.parametrize("name", ["drive", "scheme"])
def test_settings_are_checked_when_they_are_set(name):
    adapter = native()
    for value in (None, "text", datetime.date(2026, 1, 1)):
        with pytest.raises(AdapterError, match=rf"^NativeAdapter: {name} is .*, must be a {name.title()}$"):
            setattr(adapter, name, value)
    adapter.drive = Drive(tau="text")
    with pytest.raises(StateError, match=r"^tau must be real numbers"):
        adapter.predict()


def test_valid_arguments_of_every_kind_are_taken():
    native(dt=np.float32(0.01), pins=(), free=iter(()), friction={"upper": 0.5}, mesh_shape="hull")
    native(friction=np.float64(0.5))
    muscle(links={"ball"}, static=("world",), mesh_shape="hull")
    coupled(stiffness_ratio=np.int64(1000), complete=lambda robot: robot)


def test_a_missing_argument_is_pythons_own_error():
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'dt'"):
        NativeAdapter(MODEL)


def test_a_checked_function_takes_the_same_arguments():
    @arguments.checked(IpcArticulationError, options=("more",), x=arguments.NUMBER)
    def double(x, y=0, **options):
        return 2 * x + y, options

    assert double(1, 2, more=3) == (4, {"more": 3})
    for call in (lambda: double("a"), lambda: double(x="a"), lambda: double(1, mor=3)):
        with pytest.raises(IpcArticulationError, match="double"):
            call()


def test_a_scene_is_no_core_scene():
    assert arguments.instance(uipc.Scene).accepts(make_scene())
