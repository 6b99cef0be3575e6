"""DART worlds as the multibody side of the coupling; the extra `dart` installs the engine.

world = dartpy.simulation.World()  # with its skeletons
adapter = DartAdapter(world)
coupling = couple(scene, adapter)
skeleton.setForces(tau)  # before each step
"""

from ipc_articulation.extras import need

need("dartpy")

from ipc_articulation.adapters.dart.adapter import DartAdapter  # noqa: E402  (after the check)

__all__ = ["DartAdapter"]
