"""Small MuJoCo models that the adapter's tests share."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

ARM = """
<mujoco>
  <option timestep="0.01" integrator="{integrator}"><flag eulerdamp="{eulerdamp}"/></option>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" pos="0 0 -1" friction="0.7"/>
    <geom name="wall" type="box" size="0.05 1 1" pos="3 0 0" friction="0.3"/>
    <body name="base" pos="0 0 0.1">
      <geom name="foot" type="cylinder" size="0.1 0.05"/>
      <body name="upper" pos="0 0 0.2" euler="0 0 30">
        <joint name="shoulder" axis="0 1 0" damping="0.3" armature="0.05"/>
        <geom name="upper_rod" type="capsule" fromto="0 0 0 0.5 0 0" size="0.05"/>
        <body name="wrist" pos="0.5 0 0">
          <joint name="slide" type="slide" axis="1 0 0" damping="2"/>
          <joint name="roll" axis="1 0 0" pos="0 0 0.02"/>
          <joint name="pitch" axis="0 1 0" stiffness="3"/>
          <geom name="palm" type="box" size="0.1 0.05 0.05" pos="0.15 0 0"/>
          <geom name="paint" type="sphere" size="0.2" contype="0" conaffinity="0"/>
          <body name="tool" pos="0.3 0 0" euler="0 40 0">
            <geom name="tip" type="sphere" size="0.04" friction="1.5"/>
          </body>
        </body>
      </body>
    </body>
    <body name="crate" pos="0.5 2 0.5" euler="10 20 30">
      <freejoint/>
      <geom type="box" size="0.1 0.2 0.3" pos="0.05 0.02 0"/>
      <body name="lid" pos="0 0 0.3"><geom type="sphere" size="0.05"/></body>
    </body>
  </worldbody>
  <actuator>
    <position name="servo" joint="shoulder" kp="50" kv="4"/>
    <velocity name="pump" joint="slide" kv="3"/>
  </actuator>
</mujoco>
"""


def arm(
    integrator: str = "Euler", eulerdamp: str = "enable", seed: int | None = 0
) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """A slide and three hinges on a welded base, a free crate, a wall, a floor; a random state unless seed is None."""
    model = mujoco.MjModel.from_xml_string(ARM.format(integrator=integrator, eulerdamp=eulerdamp))
    data = mujoco.MjData(model)
    if seed is not None:
        rng = np.random.default_rng(seed)
        data.qpos[:4] = rng.uniform(-0.5, 0.5, 4)
        data.qvel[:] = rng.normal(size=model.nv)
        data.ctrl[:] = rng.normal(size=model.nu)
    return model, data


def panda_spec() -> mujoco.MjSpec:
    """The published Panda; skips the test where the package is not installed."""
    from ipc_articulation.adapters.mujoco import find_package, load_spec

    from ipc_articulation.errors import AdapterError

    try:
        robots = find_package("example-robot-data")
    except AdapterError as missing:
        pytest.skip(str(missing))
    return load_spec(robots / "robots/panda_description/urdf/panda.urdf", [robots])


def panda() -> mujoco.MjModel:
    """The published Panda as it is."""
    return panda_spec().compile()


def mass_matrix(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    """MuJoCo's own M at a state, column by column, (nv, nv)."""
    M = np.zeros((model.nv, model.nv))
    for k, unit in enumerate(np.eye(model.nv)):
        mujoco.mj_mulM(model, data, M[k], unit)
    return M
