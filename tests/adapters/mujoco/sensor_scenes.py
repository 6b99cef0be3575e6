"""Scenes at rest, where MuJoCo's contact and IPC's agree; `python -m tests.adapters.mujoco.sensor_scenes` compares."""

import tempfile
from dataclasses import dataclass

import mujoco
import numpy as np
import uipc
from ipc_articulation.adapters.mujoco import MujocoAdapter

from ipc_articulation import Engine, couple

OPTIONS = '<option timestep="0.002" integrator="implicitfast"><flag energy="enable"/></option>'
STEPS = 500

PRESSING = f"""<mujoco>{OPTIONS}<worldbody>
<geom name="wall" type="box" pos="0.2 0 0.3" size="0.05 0.5 0.2"/>
<body name="arm" pos="0 0 0.3"><joint name="press" type="slide" axis="1 0 0" damping="10"/>
  <geom type="box" size="0.05 0.05 0.05" mass="1"/>
  <body name="tip" pos="0.07 0 0"><geom type="box" size="0.02 0.02 0.02" mass="0.2"/>
    <site name="wrist" pos="-.02 0 0"/><site name="pad" type="box" size=".03 .03 .03"/>
    <site name="side" type="box" pos="0 .05 0" size=".01 .01 .01"/></body></body>
</worldbody><actuator><position name="servo" joint="press" kp="1000"/></actuator>
<sensor><force site="wrist"/><torque site="wrist"/><touch site="pad"/><touch name="none" site="side"/>
<accelerometer site="wrist"/><framelinacc objtype="body" objname="tip"/><frameangacc objtype="body" objname="tip"/>
<actuatorfrc actuator="servo"/><jointactuatorfrc joint="press"/><e_kinetic/><e_potential/></sensor></mujoco>"""

STANDING = f"""<mujoco>{OPTIONS}<worldbody>
<geom name="floor" type="plane" size="1 1 1"/>
<body name="torso" pos="0 0 0.1505"><freejoint/><geom type="box" size=".1 .1 .05" mass="4"/>
  <site name="imu" pos=".03 0 .05"/>
  <body name="leg" pos="0 0 -.1"><joint name="knee" type="slide" axis="0 0 1" damping="200" stiffness="5000"/>
    <geom type="box" size=".08 .08 .05" mass="1"/><site name="foot" type="box" size=".1 .1 .06"/></body></body>
<body name="crate" pos="0 .5 .1005"><freejoint/><geom type="box" size=".1 .1 .1" mass="2"/>
  <site name="crate_imu" type="box" size=".11 .11 .11"/></body>
</worldbody><sensor><accelerometer site="imu"/><touch site="foot"/><force site="foot"/><torque site="foot"/>
<accelerometer site="crate_imu"/><touch site="crate_imu"/><framelinacc objtype="body" objname="crate"/>
</sensor></mujoco>"""

GRIPPING = f"""<mujoco>{OPTIONS}<worldbody>
<body name="hand" pos="0 0 .5"><joint name="lift" type="slide" axis="0 0 1" damping="50"/>
  <geom type="box" size=".1 .05 .02" mass="1" pos="0 0 .1"/><site name="wrist" pos="0 0 .12"/>
  <body name="left" pos="-.06 0 0"><joint name="l" type="slide" axis="1 0 0" damping="20"/>
    <geom type="box" size=".01 .03 .05" mass=".2" condim="1"/>
    <site name="lpad" type="box" size=".012 .04 .06"/></body>
  <body name="right" pos=".06 0 0"><joint name="r" type="slide" axis="-1 0 0" damping="20"/>
    <geom type="box" size=".01 .03 .05" mass=".2" condim="1"/></body></body>
<body name="stand" pos="0 0 .5"><geom type="box" size=".048 .03 .03" mass=".5" condim="1"/></body>
</worldbody><actuator><position joint="lift" kp="2000"/><motor joint="l"/><motor joint="r"/></actuator>
<sensor><force site="wrist"/><touch site="lpad"/><jointactuatorfrc joint="l"/></sensor></mujoco>"""

HANGING = f"""<mujoco>{OPTIONS}<worldbody>
<body name="bob" pos="0 0 1"><joint name="drop" type="slide" axis="0 0 1" limited="true" range="-.01 1" damping="5"/>
  <geom type="box" size=".05 .05 .05" mass="3"/><site name="hook"/></body>
<body name="weight" pos=".5 0 1"><joint name="rope" type="slide" axis="0 0 1" damping="5"/>
  <geom type="box" size=".05 .05 .05" mass="2"/></body>
<body name="a" pos="1 0 1"><joint name="a" type="slide" axis="0 0 1" damping="50" stiffness="1000"/>
  <geom type="box" size=".05 .05 .05" mass="1"/><site name="joined"/></body>
<body name="b" pos="1.2 0 1"><joint name="b" type="slide" axis="0 0 1" damping="5"/>
  <geom type="box" size=".05 .05 .05" mass="2"/></body>
</worldbody><tendon><fixed name="cord" limited="true" range="-.01 1"><joint joint="rope" coef="1"/></fixed></tendon>
<equality><connect body1="a" body2="b" anchor="0 0 0"/></equality>
<sensor><force site="hook"/><accelerometer site="hook"/><jointlimitfrc joint="drop"/><tendonlimitfrc tendon="cord"/>
<force site="joined"/></sensor></mujoco>"""

SCENES = {
    "pressing": (PRESSING, [0.1504]),
    "standing": (STANDING, []),
    "gripping": (GRIPPING, [0.0, 7.6, 7.6]),
    "hanging": (HANGING, []),
}


@dataclass
class Rest:
    """A scene at its end."""

    model: mujoco.MjModel
    data: mujoco.MjData

    def rows(self) -> list[tuple[str, np.ndarray]]:
        """Type and values of each sensor."""
        kinds = [mujoco.mjtSensor(kind).name.removeprefix("mjSENS_").lower() for kind in self.model.sensor_type]
        spans = zip(self.model.sensor_adr, self.model.sensor_dim, strict=True)
        return [
            (kind, self.data.sensordata[at : at + size].copy()) for kind, (at, size) in zip(kinds, spans, strict=True)
        ]


def scene_of(model: mujoco.MjModel) -> uipc.Scene:
    """An empty scene with the model's time step and gravity."""
    config = uipc.Scene.default_config()
    config["dt"], config["gravity"] = model.opt.timestep, model.opt.gravity.reshape(3, 1).tolist()
    config["contact"]["d_hat"] = 0.001
    return uipc.Scene(config)


def at_rest(name: str, coupled: bool) -> Rest:
    """A scene after some seconds, with IPC's contact or MuJoCo's own."""
    text, controls = SCENES[name]
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.ctrl[:] = controls
    if not coupled:
        for _ in range(4 * STEPS):
            mujoco.mj_step(model, data)
        return Rest(model, data)
    scene = scene_of(model)
    coupling = couple(scene, MujocoAdapter(model, data))
    world = uipc.World(Engine("cpu", tempfile.mkdtemp()))
    world.init(scene)
    for _ in range(STEPS):
        coupling.step(world)
    return Rest(model, data)


def main() -> None:
    """Print the table of docs/howto/mujoco_users.md."""
    for name in SCENES:
        for (kind, theirs), (_, ours) in zip(at_rest(name, False).rows(), at_rest(name, True).rows(), strict=True):
            print(f"| {kind} | {name} | {np.round(theirs, 3) + 0.0} | {np.round(ours, 3) + 0.0} |")


if __name__ == "__main__":
    main()
