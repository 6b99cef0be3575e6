"""The two doors of scenes/hinge_script.py: what the page on the articulation's energy takes for granted."""

import numpy as np
import trimesh
import uipc
from uipc.constitution import AffineBodyConstitution, AffineBodyRevoluteJoint
from uipc.constitution import ExternalArticulationConstraint as ArticulationGeometry

box = trimesh.creation.box((0.2, 0.2, 0.2))
mesh = uipc.geometry.trimesh(box.vertices.copy(), box.faces.astype(np.int32))
AffineBodyConstitution().apply_to(mesh, 1e8)
mesh.instances().resize(2)
uipc.view(mesh.transforms())[:] = np.eye(4)
uipc.view(mesh.transforms())[1, 0, 3] = 1.0
uipc.view(mesh.instances().find("is_fixed"))[:] = [1, 0]
uipc.view(mesh.instances().find("external_kinetic"))[:] = [0, 1]

scene = uipc.Scene(uipc.Scene.default_config())
bodies, _ = scene.objects().create("boxes").geometries().create(mesh)
hinge = AffineBodyRevoluteJoint().create_geometry(
    np.array([[0.5, -0.2, 0]]), np.array([[0.5, 0.2, 0]]), [bodies], [0], [bodies], [1], [100.0]
)
joints, _ = scene.objects().create("hinge").geometries().create(hinge)
articulation_geometry = ArticulationGeometry().create_geometry([joints], [0])
articulation_object = scene.objects().create("articulation")
articulation_object.geometries().create(articulation_geometry)
mass, delta_theta_tilde = np.array([[2.0]]), np.array([0.01])
