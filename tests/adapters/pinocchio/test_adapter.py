"""Arguments, states and edits of a Pinocchio adapter: what is wrong is named."""

import coal
import numpy as np
import pinocchio as pin
import pytest
from ipc_articulation.adapters.pinocchio import PinocchioAdapter

from ipc_articulation.coupling.adapter import CoupledBody
from ipc_articulation.errors import AdapterError, StateError, UnsupportedError
from tests.adapters.pinocchio.models import DT, add_body, box, chain, moving, placement
from tests.coupling.worlds import cube

NONE = np.zeros((0, 4, 4))


def test_bad_arguments_are_named() -> None:
    model = chain("RX")
    with pytest.raises(AdapterError, match=r"^PinocchioAdapter: dt is 0\.0, must be a positive, finite number"):
        PinocchioAdapter(model, 0.0)
    with pytest.raises(
        AdapterError, match="PinocchioAdapter: collision_model is 'panda', must be a GeometryModel, or None"
    ):
        PinocchioAdapter(model, DT, collision_model="panda")
    with pytest.raises(AdapterError, match="PinocchioAdapter has no argument 'statics'; did you mean 'static'"):
        PinocchioAdapter(model, DT, statics=[])
    with pytest.raises(AdapterError, match="two bodies are called 'last'; give every link, body and plane a name"):
        PinocchioAdapter(model, DT, static=[CoupledBody("last", np.eye(4), cube(0.1))])


def test_geometry_of_another_model_is_named() -> None:
    geometry = pin.GeometryModel()
    geometry.addGeometryObject(pin.GeometryObject("foreign", 7, 0, pin.SE3.Identity(), coal.Box(0.1, 0.1, 0.1)))
    for given in ("collision_model", "visual_model"):
        with pytest.raises(AdapterError, match=r"geometry 'foreign' is on joint 7, which model '.*' has not; give"):
            PinocchioAdapter(chain("RX"), DT, **{given: geometry})


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"q": [1.0]}, r"^q must be 9 finite numbers; it is \[1\.0\]"),
        ({"v": np.full(8, np.nan)}, r"^v must be 8 finite numbers; it is \[nan"),
        ({"q": [0, 0, 0, 0, 0, 0, 0, 2, 0]}, "q of joint 'middle' is not of length one; give pin.normalize"),
        ({"tau": [1.0, 2.0]}, r"^tau must be 8 finite numbers"),
        ({"kd": "many"}, "^kd must be real numbers"),
        ({"kd": np.full(8, -1.0)}, r"^kd must be 8 numbers, zero or more; it is \[-1\.0"),
    ],
)
def test_a_wrong_state_is_named(state, message) -> None:
    adapter = PinocchioAdapter(chain("FreeFlyer"), DT)
    for name, value in state.items():
        setattr(adapter, name, value)
    with pytest.raises(StateError, match=message):
        adapter.predict()


def test_the_joint_whose_angle_is_no_angle_is_named() -> None:
    with pytest.raises(StateError, match="q of joint 'middle' is not of length one"):
        PinocchioAdapter(chain("RubZ"), DT, q=[0.0, 1.0, 1.0, 0.0])


def test_a_step_beyond_arithmetic_is_named() -> None:
    adapter = moving(chain("RX"))
    adapter.tau = [1e308, 1e308, 1e308]
    with (
        np.errstate(all="ignore"),
        pytest.raises(AdapterError, match=r"the step of model '.*' is not finite; use a smaller"),
    ):
        adapter.predict()


@pytest.mark.parametrize("name", ["model", "collision_model", "visual_model"])
def test_what_the_scene_was_built_from_cannot_be_exchanged(name) -> None:
    adapter = moving(chain("RX"))
    with pytest.raises(
        AdapterError, match=f"'{name}' of a PinocchioAdapter cannot be changed: the scene is built from"
    ):
        setattr(adapter, name, getattr(adapter, name))


def with_shapes() -> tuple[PinocchioAdapter, pin.GeometryModel]:
    shapes = pin.GeometryModel()
    for joint in (1, 3):
        shapes.addGeometryObject(box(f"box {joint}", joint))
    return moving(chain("RX"), shapes), shapes


def move_joint(adapter, shapes) -> None:
    adapter.model.jointPlacements[2] = placement(9)


def add_joint(adapter, shapes) -> None:
    add_body(adapter.model, 1, pin.JointModelRX(), 6, "new")


def move_box(adapter, shapes) -> None:
    shapes.geometryObjects[1].placement = placement(9)


def add_box(adapter, shapes) -> None:
    shapes.addGeometryObject(box("new", 2))


def add_pair(adapter, shapes) -> None:
    shapes.addCollisionPair(pin.CollisionPair(0, 1))


EDITS = {
    move_joint: "the placement of joint 'middle' was edited; the scene was built from it",
    add_joint: r"model '.*' has 4 joints, and had 3; the scene was built from it",
    move_box: "geometry 'box 3' was edited; the scene was built from it",
    add_box: r"the number of geometries \(2, now 3\) was edited",
    add_pair: "the list of collision pairs was edited",
}


@pytest.mark.parametrize(("edit", "message"), EDITS.items())
def test_an_edit_of_what_the_scene_was_built_from_is_refused(edit, message) -> None:
    adapter, shapes = with_shapes()
    edit(adapter, shapes)
    with pytest.raises(AdapterError, match=message):
        adapter.predict()


def test_edits_of_masses_and_rotors_are_followed() -> None:
    adapter, _ = with_shapes()
    before = adapter.predict().mass
    adapter.model.inertias[1] = pin.Inertia(1.0, np.zeros(3), 5.0 * np.eye(3))
    adapter.model.armature = np.array([1.0, 2.0, 3.0])
    after = adapter.predict().mass
    assert after[0, 0] - before[0, 0] > 4.0
    np.testing.assert_allclose(after[2, 2] - before[2, 2], 3.0 - 0.03, atol=1e-12)


def test_gravity_is_the_models_at_any_time() -> None:
    adapter = moving(chain("RX"))
    adapter.model.gravity = pin.Motion(np.array([1.0, 2.0, 3.0]), np.zeros(3))
    np.testing.assert_array_equal(adapter.gravity, [1.0, 2.0, 3.0])


def test_free_bodies_go_where_they_are_told() -> None:
    adapter = moving(chain("RX"), free=[CoupledBody("crate", np.eye(4), cube(0.1), 1.0)])
    pose, rate = placement(4).homogeneous[None], np.zeros((1, 4, 4))
    adapter.commit(adapter.predict().delta_theta_tilde, pose, rate)
    (crate,) = adapter.describe().free
    np.testing.assert_array_equal(crate.pose, pose[0])
    assert adapter.free == (crate,)


def test_a_singular_mass_is_left_to_the_coupling() -> None:
    model = pin.Model()
    model.addJoint(0, pin.JointModelRX(), pin.SE3.Identity(), "nothing")
    np.testing.assert_array_equal(PinocchioAdapter(model, DT).predict().mass, [[0.0]])


def test_a_cone_is_refused_by_name() -> None:
    shapes = pin.GeometryModel()
    shapes.addGeometryObject(pin.GeometryObject("hat", 1, 0, pin.SE3.Identity(), coal.Cone(0.1, 0.2)))
    with pytest.raises(
        UnsupportedError, match="geometry 'hat' is a Cone; IPC bodies are made of box, sphere, ellipsoid"
    ):
        moving(chain("RX"), shapes)
