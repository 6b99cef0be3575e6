"""Edits of a model and its state between steps: followed on both sides, or refused by name."""

import re
from fnmatch import fnmatchcase
from pathlib import Path

import mujoco
import numpy as np
import pytest
import uipc
from ipc_articulation.adapters.mujoco import MujocoAdapter, edits

from ipc_articulation.errors import AdapterError, UnsupportedError
from tests.adapters.mujoco.driven import Run

SCENE = """<mujoco>
  <option timestep="0.01" integrator="implicitfast"/>
  <asset><mesh name="wedge" vertex="0 0 0 0.1 0 0 0 0.1 0 0 0 0.1" face="0 2 1 0 1 3 0 3 2 1 2 3"/></asset>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" pos="0 0 -2"/>
    <geom name="wall" type="box" size="0.1 1 1" pos="3 0 0"/>
    <body name="post" pos="0 0 0.2">
      <geom name="foot" type="box" size="0.05 0.05 0.05"/>
      <body name="arm" pos="0 0 0.3">
        <joint name="shoulder" axis="0 0 1" damping="0.5" armature="0.05"/>
        <geom name="rod" type="capsule" fromto="0.1 0 0 0.5 0 0" size="0.03" mass="1"/>
        <geom name="paint" type="sphere" size="0.01" contype="0" conaffinity="0" mass="0"/>
        <body name="hand" pos="0.6 0 0">
          <joint name="wrist" axis="0 1 0" stiffness="2"/>
          <geom name="tool" type="mesh" mesh="wedge" mass="0.2"/>
        </body>
      </body>
    </body>
    <body name="crate" pos="0 2 0"><freejoint/><geom name="box" type="box" size="0.1 0.1 0.1" mass="1"/></body>
    <body name="guest" pos="0 -3 0"><joint name="swing" axis="1 0 0"/><geom name="bob" size="0.1"/></body>
  </worldbody>
  <contact><exclude body1="post" body2="hand"/></contact>
  <actuator><position name="servo" joint="shoulder" kp="30" kv="3"/></actuator>
</mujoco>"""


def ignoring_the_guest(model, data):
    return MujocoAdapter(model, data, ignore=["guest"])


@pytest.fixture
def run(tmp_path):
    model = mujoco.MjModel.from_xml_string(SCENE)
    data = mujoco.MjData(model)
    data.ctrl[:] = 0.3
    made = Run(model, data, tmp_path, ignoring_the_guest)
    made.step()
    return made


def set_to(field, *place):
    """An edit of one entry of a field of the model."""

    def edit(model):
        getattr(model, field)[place] = getattr(model, field)[place] * 0.5 + 0.125

    return edit


def geom(model, name):
    return model.geom(name).id


def edit_of(field, kind, name):
    def edit(model):
        getattr(model, field)[getattr(model, kind)(name).id] *= 0.5
        getattr(model, field)[getattr(model, kind)(name).id] += 0.125

    return edit


def added_to(field, kind, name, step=1):
    def edit(model):
        getattr(model, field)[getattr(model, kind)(name).id] += step

    return edit


BUILT_FROM = [
    *((field, "body", body) for field in ("body_pos", "body_quat") for body in ("post", "arm", "hand")),
    *((f, "body", "crate") for f in ("body_mass", "body_inertia", "body_ipos", "body_iquat")),
    *((field, "joint", joint) for field in ("jnt_pos", "jnt_axis") for joint in ("shoulder", "wrist")),
    *((f, "geom", g) for f in ("geom_size", "geom_pos", "geom_quat") for g in ("rod", "wall", "tool", "box")),
    *(("geom_friction", "geom", g) for g in ("floor", "rod")),
]


@pytest.mark.parametrize(("field", "kind", "name"), BUILT_FROM)
def test_what_the_scene_was_built_from_is_refused_by_name(field, kind, name, run):
    edit_of(field, kind, name)(run.model)
    before = run.data.qpos.copy()
    for _ in range(2):
        with pytest.raises(AdapterError, match=rf"{field} of {kind} '{name}' was changed after `couple`, from .* to "):
            run.step()
    np.testing.assert_array_equal(run.data.qpos, before)
    assert run.world.frame() == 1


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (added_to("geom_contype", "geom", "paint"), "geom_contype of geom 'paint' was changed"),
        (added_to("geom_conaffinity", "geom", "rod"), "geom_conaffinity of geom 'rod' was changed"),
        (added_to("geom_condim", "geom", "rod", -2), "geom_condim of geom 'rod' was changed"),
        (set_to("mesh_vert", 0), "mesh_vert of mesh 'wedge' was changed"),
        (lambda model: model.mesh_face.__setitem__(0, [1, 2, 0]), "mesh_face of mesh 'wedge' was changed"),
        (added_to("geom_sameframe", "geom", "rod"), "geom_sameframe of geom 'rod' was changed"),
        (added_to("geom_type", "geom", "rod"), "geom_type of geom 'rod' was changed"),
        (added_to("geom_dataid", "geom", "tool"), "geom_dataid of geom 'tool' was changed"),
        (lambda model: model.exclude_signature.fill(0), "exclude_signature of exclude 'exclude0' was changed"),
    ],
)
def test_who_touches_whom_and_with_which_surface_is_refused(edit, message, run):
    edit(run.model)
    with pytest.raises(AdapterError, match=message):
        run.step()


@pytest.mark.parametrize("ends", [(np.nan, 0.4), (-0.4, np.nan), (0.4, -0.4)])
def test_limits_that_are_no_interval_are_refused_and_the_run_can_go_on(ends, tmp_path):
    ways = []
    for attempt in (False, True):
        model = mujoco.MjModel.from_xml_string(SCENE)
        run = Run(model, mujoco.MjData(model), tmp_path / str(attempt), ignoring_the_guest)
        model.jnt_limited[1], model.jnt_range[1] = 1, (-0.4, 0.4)
        run.step(2)
        if attempt:
            model.jnt_range[1] = ends
            message = f"joint 'wrist' has the limits {ends[0]:g} to {ends[1]:g} in the step from t = 0.02 s; set jnt_ra"
            with pytest.raises(AdapterError, match=re.escape(message)):
                run.step()
            assert run.world.frame() == 2
            model.jnt_range[1] = (-0.4, 0.4)
        run.step(5)
        ways.append(np.concatenate([run.data.qpos, run.coupling.body_poses.ravel()]).tobytes())
    assert ways[0] == ways[1]


def test_the_message_says_what_to_do(run):
    run.model.body("arm").pos[2] = 0.4
    message = (
        "body_pos of body 'arm' was changed after `couple`, from [0.0, 0.0, 0.3] to [0.0, 0.0, 0.4], but the scene was "
        "built from it; set it back, or couple the changed model in a new scene"
    )
    with pytest.raises(AdapterError, match=f"^{re.escape(message)}$"):
        run.step()
    run.model.body("arm").pos[2] = 0.3
    run.step()


def test_large_fields_are_compared_without_a_copy(monkeypatch, tmp_path):
    """All fields are large here."""
    monkeypatch.setattr(edits, "_LARGE", 1)
    model = mujoco.MjModel.from_xml_string(SCENE)
    run = Run(model, mujoco.MjData(model), tmp_path, ignoring_the_guest)
    assert not run.coupling.adapter._steps.edits._model_bytes
    model.body_pos[model.body("guest").id] += 0.125
    run.step(2)
    for field, place in (("mesh_vert", (3, 2)), ("exclude_signature", 0), ("geom_condim", model.geom("wall").id)):
        values = getattr(model, field)
        before = values.copy()
        values[place] += 1
        with pytest.raises(AdapterError, match=f"{field} of .* was changed"):
            run.step()
        values[:] = before
    run.step()


BUILD = re.compile(r"(body|jnt|dof|geom|eq|tree|actuator|site)_\w*(adr|num|id|type)|[MDB]_(row|col)\w+|qpos0|dof_Madr")
FREE_CHOICE = re.compile(
    r"\w+_matid|body_bvh(adr|num)|actuator_(gain|bias)type|geom_(type|dataid|fluid)|\w+_contype|dof_(simple|bvh)num"
)


def test_how_the_model_is_built_is_refused_by_name(run):
    """Which element is on which, and where its numbers lie; each is the only edit, and is set back afterwards."""
    names = [name for name in dir(run.model) if BUILD.fullmatch(name) and not FREE_CHOICE.fullmatch(name)]
    tried = [name for name in names if getattr(run.model, name).size]
    assert {"body_parentid", "jnt_qposadr", "body_mocapid", "geom_bodyid", "actuator_trnid", "qpos0"} <= set(tried)
    for name in tried:
        values = getattr(run.model, name)
        for place in (0, values.size - 1):
            values.flat[place] += 1
            with pytest.raises(AdapterError, match=rf"^{name}(\[\d+\]| of \w+ '\w+') was changed after `couple`"):
                run.step()
            values.flat[place] -= 1
    run.step()
    assert run.world.frame() == 2


@pytest.mark.parametrize(("field", "target"), [("actuator_trnid", 2), ("eq_type", 0), ("eq_obj1id", 1)])
def test_an_actuator_or_equality_that_moves_to_another_joint_is_refused(field, target, tmp_path):
    text = SCENE.replace("</worldbody>", "</worldbody><equality><joint joint1='swing'/></equality>")
    model = mujoco.MjModel.from_xml_string(text)
    run = Run(model, mujoco.MjData(model), tmp_path, ignoring_the_guest)
    run.step()
    getattr(model, field).flat[0] = target
    with pytest.raises(AdapterError, match=rf"{field} of (actuator 'servo'|equality 'equality0') was changed"):
        run.step()


@pytest.mark.parametrize("field", ["dof_dampingpoly", "jnt_stiffnesspoly"])
def test_polynomial_forces_on_a_free_joint_are_refused(field, run):
    values = getattr(run.model, field, None)
    if values is None:
        pytest.skip("MuJoCo 4 only")
    first = {"dof": run.model.jnt_dofadr, "jnt": np.arange(run.model.njnt)}[field[:3]][2]
    assert run.model.jnt_type[2] == mujoco.mjtJoint.mjJNT_FREE
    values[first] = 1.0
    error, message = {
        "dof": (AdapterError, "dof_dampingpoly of joint"),
        "jnt": (UnsupportedError, "free body 'crate' has a spring on its free joint"),
    }[field[:3]]
    with pytest.raises(error, match=message):
        run.step()


def test_a_polynomial_spring_on_a_free_joint_is_refused_at_couple(run):
    if not hasattr(run.model, "jnt_stiffnesspoly"):
        pytest.skip("MuJoCo 4 only")
    run.model.jnt_stiffnesspoly[2] = 1.0
    with pytest.raises(UnsupportedError, match="free body 'crate' has a spring on its free joint"):
        MujocoAdapter(run.model, run.data, ignore=["guest"], free=["crate"])


def option(**values):
    def edit(model):
        for name, value in values.items():
            setattr(model.opt, name, value)

    return edit


OPTIONS = [
    (option(timestep=0.004), AdapterError, "time steps differ: the scene has dt = 0.01 s, the model 0.004 s"),
    (
        option(gravity=[0, 0, -1]),
        AdapterError,
        "gravities differ: the scene was made with [0.0, 0.0,",
    ),
    (
        option(disableflags=int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)),
        AdapterError,
        "gravities differ: the scene was made with [0.0, 0.0, -9.81] m/s², the model has [0.0, 0.0, 0.0]",
    ),
    (
        option(disableflags=int(mujoco.mjtDisableBit.mjDSBL_FILTERPARENT)),
        AdapterError,
        "the flag filterparent was changed after `couple`, from True to False",
    ),
    (option(integrator=mujoco.mjtIntegrator.mjINT_RK4), UnsupportedError, "integrator RK4 is not supported"),
    (
        option(density=1.2),
        AdapterError,
        "the fluid (density or viscosity), which free bodies do not feel, was changed after `couple`, from off to on",
    ),
    (
        added_to("body_gravcomp", "body", "crate"),
        UnsupportedError,
        "free body 'crate' has gravity compensation",
    ),
    (set_to("dof_damping", 3), AdapterError, "dof_damping of joint"),
    (added_to("geom_priority", "geom", "rod"), AdapterError, "geom_priority of geom 'rod' was changed"),
]


@pytest.mark.parametrize(("edit", "error", "message"), OPTIONS)
def test_options_and_what_the_coupling_does_not_do(edit, error, message, run):
    edit(run.model)
    with pytest.raises(error, match=re.escape(message)):
        run.step()
    assert run.world.frame() == 1


def test_a_time_step_that_changes_on_both_sides_is_followed(run):
    own = own_run(run)
    run.model.opt.timestep = 0.005
    uipc.view(run.scene.config().find("dt"))[0] = 0.005
    run.step(20)
    compare(run, own, 20)


def heavier_and_set_up_again(model):
    model.body_mass[model.body("arm").id] *= 2.0
    mujoco.mj_setConst(model, mujoco.MjData(model))


FOLLOWED = [
    heavier_and_set_up_again,
    option(disableactuator=1),
    set_to("actuator_gear", 0, 0),
    lambda model: [setattr(model.geom(g), "rgba", [1, 0, 0, 1]) for g in range(model.ngeom)],
    option(integrator=mujoco.mjtIntegrator.mjINT_EULER),
    option(disableflags=int(mujoco.mjtDisableBit.mjDSBL_SPRING)),
    edit_of("body_mass", "body", "arm"),
    edit_of("body_inertia", "body", "hand"),
    edit_of("body_ipos", "body", "arm"),
    set_to("dof_damping", 0),
    set_to("dof_armature", 1),
    set_to("dof_frictionloss", 0),
    edit_of("jnt_stiffness", "joint", "wrist"),
    edit_of("qpos_spring", "joint", "shoulder"),
    set_to("actuator_gainprm", 0, 0),
    set_to("actuator_biasprm", 0, 2),
    lambda model: model.jnt_limited.__setitem__(1, 1) or model.jnt_range.__setitem__(1, [-0.05, 0.05]),
    edit_of("body_pos", "body", "guest"),
    edit_of("geom_size", "geom", "bob"),
    edit_of("geom_pos", "geom", "paint"),
    edit_of("body_pos", "body", "crate"),  # a free joint's qpos says where it is
]


def own_run(run):
    """MuJoCo's own state, with contacts that IPC owns and free bodies left out of the comparison."""
    own = mujoco.MjData(run.model)
    mujoco.mj_copyState(run.model, run.data, own, mujoco.mjtState.mjSTATE_INTEGRATION)
    return own


def compare(run, own, steps):
    run.model.geom_contype[:] = run.model.geom_conaffinity[:] = 0
    for _ in range(steps):
        mujoco.mj_step(run.model, own)
    robot = [run.model.joint(name).qposadr[0] for name in ("shoulder", "wrist", "swing")]
    np.testing.assert_allclose(run.data.qpos[robot], own.qpos[robot], atol=1e-6)
    assert np.abs(run.data.qpos[robot]).max() > 1e-2
    assert np.abs(run.coupling.drift).max() < 1e-5


@pytest.mark.parametrize("edit", FOLLOWED)
def test_what_only_mujocos_prediction_needs_is_followed(edit, run):
    """Without contact the coupled robot moves as MuJoCo's own run of the edited model."""
    own = own_run(run)
    edit(run.model)
    run.step(20)
    compare(run, own, 20)


def test_positions_and_velocities_of_the_robot_are_followed(run):
    run.data.qpos[:2] += [2.5, -0.4]
    run.data.qvel[:2] = [1.0, -2.0]
    own = own_run(run)
    run.step(10)
    compare(run, own, 10)


def test_a_robot_that_is_put_through_a_wall_stays_before_it(tmp_path):
    """Links travel to where the joints were set, and contact stops them: nothing passes through."""
    text = SCENE.replace('pos="3 0 0"', 'pos="0.3 0.4 0.5"').replace('size="0.1 1 1"', 'size="0.01 0.2 0.3"')
    model = mujoco.MjModel.from_xml_string(text)
    run = Run(model, mujoco.MjData(model), tmp_path, ignoring_the_guest)
    run.step()
    run.data.qpos[0] = 1.6
    run.step()
    assert run.coupling.minimum_distance > 0.0
    assert run.data.qpos[0] < 0.9
    assert run.coupling.contact_force[0] < -1.0


@pytest.mark.parametrize(("name", "place"), [("qpos", 3), ("qpos", 8), ("qvel", 3), ("qvel", 6)])
def test_the_state_of_a_free_body_is_refused_by_name(name, place, run):
    kept = getattr(run.data, name)[place]
    getattr(run.data, name)[place] += 0.5
    message = f"{name} of free body 'crate' was changed between two steps, .*IPC moves that body.*coupling.set_state"
    with pytest.raises(AdapterError, match=message):
        run.step()
    getattr(run.data, name)[place] = kept
    run.step()
    assert run.world.frame() == 2


def test_a_reset_is_refused_and_restoring_goes_back(run):
    run.world.dump()
    kept, frame, there = run.coupling.state(), run.world.frame(), run.data.qpos.copy()
    run.step(5)
    mujoco.mj_resetData(run.model, run.data)
    message = r"the time of the state went from 0\.06 s to 0 s between two steps.*mj_resetData.*coupling\.restore"
    with pytest.raises(AdapterError, match=message):
        run.step()
    assert run.world.recover(frame)
    run.world.retrieve()
    run.coupling.restore(kept)
    np.testing.assert_array_equal(run.data.qpos, there)
    run.step(5)


def test_steps_that_mujoco_takes_by_itself_are_refused(run):
    mujoco.mj_step(run.model, run.data)
    with pytest.raises(AdapterError, match=r"the time of the state went from 0\.01 s to 0\.02 s"):
        run.step()


def test_the_table_of_the_documentation_names_every_array_that_is_followed():
    text = (Path(__file__).parents[3] / "docs/limits.md").read_text(encoding="utf-8")
    rows = text.partition("### Edits between steps")[2].partition("\n## ")[0].splitlines()
    followed = "".join(row for row in rows if row.endswith("|") and row.split("|")[2].strip().startswith("followed"))
    named = set(re.findall(r"`([A-Za-z0-9_*]+)`", followed))
    assert set(edits.FOLLOWED) <= named
    of_model = {name for name in named if hasattr(mujoco.MjModel, name)}
    assert not [name for name in of_model if not any(fnmatchcase(name, pattern) for pattern in edits.FOLLOWED)]


@pytest.mark.parametrize(
    ("field", "place"),
    [("body_sameframe", 3), ("dof_invweight0", 0), ("dof_M0", 0), ("geom_solref", 3), ("geom_margin", 3)],
)
def test_arrays_that_the_table_names_are_followed(field, place, run):
    getattr(run.model, field)[place] = 1
    run.step()
    assert run.world.frame() == 2
