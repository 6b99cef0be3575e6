"""Where nothing touches, joints move as they are told, however light a link is beside the others and however far."""

import numpy as np
import pytest
import uipc
from uipc import view

from benchmarks.box_scenes import hinges, row_of_boxes
from ipc_articulation import Engine, ExternalArticulationConstraint
from ipc_articulation.engine.newton.newton_report import NewtonResult


@pytest.mark.parametrize(
    ("mass", "reach"), [((0.6, 0.006), (0.02, 0.05)), ((60.0, 6.0, 1.0, 0.006), (0.2, 0.2, -0.2, 0.5))]
)
def test_light_links_beside_heavy_ones(tmp_path, mass, reach):
    """Libuipc's semi-implicit termination, on by default, would leave the lightest joint up to 0.6 rad behind."""
    scene, bodies = row_of_boxes(len(mass) + 1)
    view(bodies.geometry().instances().find("external_kinetic"))[:] = 1
    joints = hinges(scene, bodies, len(mass))
    made = uipc.constitution.ExternalArticulationConstraint().create_geometry([joints] * len(mass), range(len(mass)))
    owner = scene.objects().create("articulation")
    slot, _ = owner.geometries().create(made)
    constraint = ExternalArticulationConstraint.from_geometry(made, scene)
    signs = np.array([[1.0] * len(mass), [1.0] * (len(mass) - 1) + [-1.0]])
    asked = [np.array(reach) * signs[step // 3 % 2] for step in range(9)]
    steps = iter(asked)
    scene.animator().insert(owner, constraint.animate(lambda info: (np.diag(mass), next(steps))))
    engine = Engine("cpu", tmp_path)
    world = uipc.World(engine)
    world.init(scene)
    for delta_theta_tilde in asked:
        world.advance()
        world.retrieve()
        delta_theta = slot.geometry()["joint"].find("delta_theta").view()
        np.testing.assert_allclose(delta_theta, delta_theta_tilde, rtol=0, atol=1e-6)
        assert engine.statistics.result is NewtonResult.CONVERGED
