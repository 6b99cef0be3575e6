"""A libuipc scene wired by hand: two doors, each hinged to a post that does not move, turn opposite ways.

    python scenes/hinge_script.py [cpu | cuda | none | auto]

Everything but the two lines with `constraint` is ordinary libuipc; no multibody engine takes part.
"""

import sys
import tempfile

import numpy as np
import trimesh
import uipc
from uipc.constitution import AffineBodyConstitution, AffineBodyRevoluteJoint
from uipc.constitution import ExternalArticulationConstraint as ArticulationGeometry
from uipc.unit import MPa

from ipc_articulation import Engine, ExternalArticulationConstraint

VELOCITY = np.array([-np.pi / 6, np.pi / 6])  # of the two hinges [rad/s]
MASS = 64.0 * np.eye(2)  # Mᵗ [kg·m²]


def main(engine: str = "auto", steps: int = 100) -> np.ndarray:
    """Turn the doors and print the hinges' angles [rad]; returns them."""
    config = uipc.Scene.default_config()
    config["dt"] = 0.01
    scene = uipc.Scene(config)

    # Four instances of one box: two posts that are fixed, two doors whose inertia the articulation owns.
    box = trimesh.creation.box((0.4, 0.4, 0.4))
    mesh = uipc.geometry.trimesh(box.vertices, box.faces.astype(np.int32))
    uipc.geometry.label_surface(mesh)
    AffineBodyConstitution().apply_to(mesh, 100 * MPa)
    mesh.instances().resize(4)
    uipc.view(mesh.transforms())[:] = np.eye(4)
    uipc.view(mesh.transforms())[:, :3, 3] = [[0.6, 0, -0.5], [0.6, 0, 0.5], [-0.6, 0, -0.5], [-0.6, 0, 0.5]]
    uipc.view(mesh.instances().find("is_fixed"))[:] = [1, 1, 0, 0]
    uipc.view(mesh.instances().find("external_kinetic"))[:] = [0, 0, 1, 1]
    bodies, _ = scene.objects().create("boxes").geometries().create(mesh)

    # Two vertical axes, midway between each post (left) and its door (right).
    below, above = np.array([[0, -0.2, -0.5], [0, -0.2, 0.5]]), np.array([[0, 0.2, -0.5], [0, 0.2, 0.5]])
    hinges = AffineBodyRevoluteJoint().create_geometry(
        below, above, [bodies, bodies], [0, 1], [bodies, bodies], [2, 3], [100.0, 100.0]
    )
    joints, _ = scene.objects().create("hinges").geometries().create(hinges)

    # One articulation of both hinges; its callback says how they are to move.
    articulation = ArticulationGeometry().create_geometry([joints, joints], [0, 1])
    owner = scene.objects().create("articulation")
    owner.geometries().create(articulation)
    constraint = ExternalArticulationConstraint.from_geometry(articulation, scene)
    scene.animator().insert(owner, constraint.animate(lambda info: (MASS, VELOCITY * info.dt())))

    with tempfile.TemporaryDirectory() as workspace:
        world = uipc.World(Engine(engine, workspace))
        world.init(scene)
        if engine == "none":
            print("This engine moves nothing: it checks the scene, and every step leaves all bodies where they are.")
        angle = joints.geometry().edges().find("angle")
        for step in range(1, steps + 1):
            world.advance()
            world.retrieve()
            constraint.check()
            if step % 20 == 0 or step == steps:
                print(f"step {step:4d}: hinges at {angle.view()[0]:+.9f} and {angle.view()[1]:+.9f} rad")
    return angle.view().copy()


if __name__ == "__main__":
    uipc.Logger.set_level(uipc.Logger.Level.Warn)
    main(sys.argv[1] if sys.argv[1:] else "auto")
