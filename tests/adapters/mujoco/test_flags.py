"""What `<flag>` disables in MuJoCo has no effect in the coupled step either."""

import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import MujocoAdapter

from ipc_articulation.errors import AdapterError, UnsupportedError
from tests.adapters.mujoco.driven import run_text

ARM = """<mujoco><option timestep="0.005"><flag {flags}/></option><worldbody>
  <geom name="floor" type="plane" size="1 1 0.1"/>
  <body name="arm" pos="0 0 0.2"><joint name="hinge" axis="0 1 0" range="-0.2 0.2" limited="true" frictionloss="0.3"/>
    <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/></body>
  <body name="post" pos="-0.5 0 0.5"><joint name="twin" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 0.1 0 0" size="0.03"/></body>
</worldbody><equality><joint joint1="hinge" joint2="twin"/></equality></mujoco>"""
PARTS = "contact", "limit", "equality", "frictionloss"


def adapter_of(flags: str) -> MujocoAdapter:
    model = mujoco.MjModel.from_xml_string(ARM.format(flags=flags))
    return MujocoAdapter(model, mujoco.MjData(model))


@pytest.mark.parametrize("flags", ['constraint="disable"', " ".join(f'{part}="disable"' for part in PARTS)])
def test_what_the_flags_disable_is_disabled_in_the_scene(flags, tmp_path) -> None:
    """The arm swings through its limit and through the floor, as with MuJoCo."""
    run = run_text(ARM.format(flags=flags), tmp_path)
    run.step(60)
    own = mujoco.MjModel.from_xml_string(ARM.format(flags=flags))
    data = mujoco.MjData(own)
    for _ in range(60):
        mujoco.mj_step(own, data)
    assert data.qpos[0] > 0.5
    np.testing.assert_allclose(run.data.qpos, data.qpos, rtol=0, atol=1e-6)


@pytest.mark.parametrize("flag", ["contact", "constraint"])
def test_no_geoms_of_the_model_touch_without_contact(flag) -> None:
    robot = adapter_of(f'{flag}="disable"').describe()
    names = [part.name for part in robot.parts]
    assert all(frozenset({a, b}) in robot.untouchable for a in names for b in names if a != b)
    enabled = adapter_of(f'{flag}="enable"').describe()
    assert frozenset({"arm", enabled.planes[0].name}) not in enabled.untouchable


def test_a_change_of_the_contact_flag_is_refused() -> None:
    adapter = adapter_of('contact="enable"')
    adapter.describe()
    adapter.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    with pytest.raises(AdapterError, match="the flag contact or constraint was changed after `couple`, from True"):
        adapter.predict()


LOOSE = """<mujoco><option timestep="0.005"/><worldbody>
  <body name="arm" pos="0 0 1"><joint name="hinge" axis="0 1 0" damping="0.2"/><geom size="0.1" pos="0.3 0 0"/></body>
  <body name="ball" pos="1 0 1"><freejoint name="loose"/><geom size="0.1"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize(("dof", "refused"), [(0, False), (1, True)])
def test_passive_forces_of_a_callback_on_free_bodies_are_refused_by_name(dof, refused) -> None:
    model = mujoco.MjModel.from_xml_string(LOOSE)
    adapter = MujocoAdapter(model, mujoco.MjData(model))
    still = adapter.predict().delta_theta_tilde

    def push(model, data) -> None:
        data.qfrc_passive[dof] += 3.0

    mujoco.set_mjcb_passive(push)
    try:
        if refused:
            with pytest.raises(
                UnsupportedError, match="callback mjcb_passive gives a force to free body 'ball', which"
            ):
                adapter.predict()
        else:
            assert abs(adapter.predict().delta_theta_tilde - still).max() > 1e-5
    finally:
        mujoco.set_mjcb_passive(None)
