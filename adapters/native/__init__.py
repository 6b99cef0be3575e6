"""Our own dynamics engine as the multibody side of the coupling.

model = read_urdf("panda.urdf").build()
adapter = NativeAdapter(model, dt)
coupling = couple(scene, adapter)
adapter.drive = Drive(pd=PD.to(model, target, kp, kd))  # read_urdf, Drive and PD are those of `dynamics`
"""

from ipc_articulation.adapters.native.adapter import NativeAdapter

__all__ = ["NativeAdapter"]
