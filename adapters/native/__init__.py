"""Our own dynamics engine as the multibody side of the coupling.

model = read_urdf("panda.urdf").build()
adapter = NativeAdapter(model, dt)
coupling = couple(scene, adapter)
adapter.drive = Drive(pd=PD.to(model, target, kp, kd))  # read_urdf, Drive and PD are those of `dynamics`

A robot with loops takes pins where they close: `NativeAdapter(model, dt, q=q, pins=[Pin(...)])`.
"""

from ipc_articulation.adapters.native.adapter import NativeAdapter

from ipc_articulation.coupling.robots import Pin

__all__ = ["NativeAdapter", "Pin"]
