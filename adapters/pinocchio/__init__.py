"""Pinocchio models as the multibody side of the coupling; the extra `pinocchio` installs the engine.

model = pin.buildModelFromUrdf("panda.urdf")
shapes = pin.buildGeomFromUrdf(model, "panda.urdf", pin.COLLISION)
adapter = PinocchioAdapter(model, dt, collision_model=shapes, q=q)
coupling = couple(scene, adapter)
adapter.tau = kp * (target - adapter.q)  # before each step
"""

from ipc_articulation.extras import need

need("pinocchio")

from ipc_articulation.adapters.pinocchio.adapter import PinocchioAdapter  # noqa: E402  (after the check)

__all__ = ["PinocchioAdapter"]
