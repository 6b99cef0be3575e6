"""MuJoCo's sensors of forces and accelerations after steps of the scene."""

import mujoco
import numpy as np
import pytest
import uipc
from ipc_articulation.adapters.mujoco import MujocoAdapter

from ipc_articulation import Engine, couple, couple_many
from ipc_articulation.repairs import RepairWarning
from tests.adapters.mujoco.sensor_scenes import OPTIONS, PRESSING, SCENES, at_rest, scene_of

FALLING = f"""<mujoco>{OPTIONS}<worldbody><geom name="floor" type="plane" size="1 1 1" friction="0"/>
<body name="arm" pos="0 0 .35"><joint name="hinge" axis="0 1 0" damping=".1"/>
  <geom type="capsule" fromto="0 0 0 .3 0 0" size=".02" mass="1"/><site name="root"/>
  <body name="tip" pos=".3 0 0"><geom name="ball" type="box" size=".06 .06 .06" mass=".5"/>
    <site name="end"/></body></body>
</worldbody><sensor><force site="root"/><force name="at_tip" site="end"/><accelerometer name="acc" site="end"/>
<framelinvel name="vel" objtype="site" objname="end"/><subtreelinvel name="mean" body="arm"/></sensor></mujoco>"""


def world_of(scene: uipc.Scene, folder: object) -> uipc.World:
    world = uipc.World(Engine("cpu", str(folder)))
    world.init(scene)
    return world


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENES)
def test_sensors_at_rest_are_those_of_mujocos_own_contact(name: str) -> None:
    theirs, ours = at_rest(name, coupled=False), at_rest(name, coupled=True)
    for (kind, expected), (_, found) in zip(theirs.rows(), ours.rows(), strict=True):
        np.testing.assert_allclose(found, expected, rtol=0.02, atol=0.02, err_msg=kind)  # of MuJoCo's soft contact
    np.testing.assert_allclose(ours.data.qacc, 0.0, atol=0.01)
    np.testing.assert_allclose(ours.data.energy, theirs.data.energy, rtol=0.01, atol=1e-3)
    np.testing.assert_allclose(ours.data.qfrc_constraint, -ours.data.qfrc_smooth, atol=0.05)


@pytest.mark.slow
def test_sensors_in_motion_obey_the_equations_of_motion(tmp_path: object) -> None:
    """A pendulum falls on the floor: p⁺ - p = dt (F + weight + contact), and an accelerometer has dv/dt - g."""
    model = mujoco.MjModel.from_xml_string(FALLING)
    data = mujoco.MjData(model)
    scene = scene_of(model)
    coupling = couple(scene, MujocoAdapter(model, data))
    world, dt, g = world_of(scene, tmp_path), model.opt.timestep, model.opt.gravity
    mujoco.mj_forward(model, data)
    before, touched = [data.sensor(name).data.copy() for name in ("vel", "mean")], 0
    for _ in range(150):
        v0 = data.qvel.copy()
        coupling.step(world)
        vel, mean = (data.sensor(name).data.copy() for name in ("vel", "mean"))
        axes = data.site_xmat.reshape(-1, 3, 3)
        contact = coupling.read_out(world).link_wrenches()[:, 3:].sum(axis=0)
        np.testing.assert_allclose(data.qacc, (data.qvel - v0) / dt, rtol=1e-12)
        acc = axes[1] @ data.sensor("acc").data
        rate = max(1.0, np.abs(data.qacc).max())
        np.testing.assert_allclose(acc, (vel - before[0]) / dt - g, atol=0.02 * rate)
        force = axes[0] @ data.sensordata[:3]
        np.testing.assert_allclose(force, 1.5 * ((mean - before[1]) / dt - g) - contact, atol=0.02 * rate)
        on_tip = axes[1] @ data.sensor("at_tip").data
        centre = 0.5 * ((vel - before[0]) / dt - g)  # of the tip's body, whose centre is the site
        np.testing.assert_allclose(on_tip, centre - contact, atol=0.02 * rate)
        before, touched = [vel, mean], touched + (np.linalg.norm(contact) > 1.0)
    assert touched > 10


@pytest.mark.slow
def test_environments_and_several_steps_at_once_have_them_too(tmp_path: object) -> None:
    model = mujoco.MjModel.from_xml_string(PRESSING)
    states = [mujoco.MjData(model) for _ in range(2)]
    scene = scene_of(model)
    uipc.view(scene.config().find("dt"))[:] = 4 * model.opt.timestep
    environments = couple_many(scene, [MujocoAdapter(model, data) for data in states])
    world = world_of(scene, tmp_path)
    for _ in range(100):
        for data, target in zip(states, (0.15, 0.2), strict=True):
            data.ctrl[:] = target
        environments.step(world)
    for data, force in zip(states, environments.contact_force[:, 0], strict=True):
        np.testing.assert_allclose(data.sensordata[:3], [-force, 0.0, 0.2 * 9.81], rtol=1e-3, atol=1e-3)
        np.testing.assert_allclose(data.sensordata[6], -force, rtol=1e-3)  # touch
    assert abs(environments.contact_force[1, 0]) > 1.3 * abs(environments.contact_force[0, 0]) > 100.0


@pytest.mark.slow
def test_forces_between_bodies_are_computed_on_request(tmp_path: object) -> None:
    """Without sensors, as in MuJoCo, they are not; `feels` asks for them."""
    model = mujoco.MjModel.from_xml_string(PRESSING.split("<sensor>")[0] + "</mujoco>")
    data = mujoco.MjData(model)
    scene, adapter = scene_of(model), MujocoAdapter(model, data)
    coupling = couple(scene, adapter)
    world = world_of(scene, tmp_path)
    data.ctrl[:] = 0.15
    assert not adapter.feels
    for _ in range(300):
        coupling.step(world)
    assert not data.cfrc_ext.any()
    adapter.feels = True
    coupling.step(world)
    np.testing.assert_allclose(data.cfrc_ext[data.model.body("tip").id, 3], coupling.contact_force[0], rtol=1e-3)


def test_sensors_that_read_mujocos_contacts_are_reported() -> None:
    model = mujoco.MjModel.from_xml_string(
        PRESSING.replace("<sensor>", '<sensor><contact name="felt" body1="tip" num="1" data="found force"/>')
    )
    with pytest.warns(RepairWarning, match="sensor 'felt': it reads MuJoCo's own contacts; it does not see IPC's"):
        MujocoAdapter(model, mujoco.MjData(model))
