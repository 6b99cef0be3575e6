"""Masses and inertias of MJCF files that no body has."""

import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import load_model, load_spec

from ipc_articulation.dynamics.model.physical_inertia import physical_inertia
from ipc_articulation.errors import ModelError
from ipc_articulation.repairs import RepairWarning, strict


def write(folder, *inertials, compiler=""):
    """Bodies b0, b1, … on hinges, side by side."""
    path = folder / "robot.xml"
    bodies = (f"<body name='b{i}'><joint/>{inertial}</body>" for i, inertial in enumerate(inertials))
    path.write_text(f"<mujoco>{compiler}<worldbody>{''.join(bodies)}</worldbody></mujoco>")
    return path


def inertial(values, mass=1.0):
    name = "diaginertia" if len(values.split()) == 3 else "fullinertia"
    return f"<inertial pos='0.1 0.2 0.3' mass='{mass}' {name}='{values}'/>"


@pytest.mark.parametrize("values", ["1 2 2", "1 1 2", "1 2 3", "1 2 2.5 0.1 -0.2 0.3", "1e-13 1e-13 1e-13"])
def test_what_mujoco_takes_stays_as_it_is(tmp_path, values):
    path = write(tmp_path, inertial(values))
    with strict():
        model = load_model(path)
    wanted = mujoco.MjModel.from_xml_path(str(path))
    for field in ("body_mass", "body_inertia", "body_ipos", "body_iquat"):
        np.testing.assert_array_equal(getattr(model, field), getattr(wanted, field))


@pytest.mark.parametrize(
    ("values", "tensor"),
    [
        ("1 1 3", np.diag([1.0, 1.0, 3.0])),
        ("1 2 4 0.1 -0.2 0.3", np.array([[1.0, 0.1, -0.2], [0.1, 2.0, 0.3], [-0.2, 0.3, 4.0]])),
        ("1 1 1 1 1 1", np.ones((3, 3))),
        ("0.2125 0.205 0.0125 -0.005 0.0225 0.045", None),  # of a published robot
    ],
)
def test_the_nearest_inertia_of_a_body_is_used_and_said_by_name(tmp_path, values, tensor):
    path = write(tmp_path, inertial("1 1 1"), inertial(values))
    if tensor is None:
        a, b, c, d, e, f = map(float, values.split())
        tensor = np.array([[a, d, e], [d, b, f], [e, f, c]])
    with pytest.warns(RepairWarning, match="body 'b1': no body has its principal moments of inertia: .*; replaced by"):
        model = load_model(path)
    found = np.zeros((3, 3))
    mujoco.mju_quat2Mat(turn := np.zeros(9), model.body_iquat[2])
    R = turn.reshape(3, 3)
    found = R @ np.diag(model.body_inertia[2]) @ R.T
    np.testing.assert_allclose(found, physical_inertia(tensor, slack=0.0), atol=1e-6)
    np.testing.assert_array_equal(model.body_inertia[1], 1.0)
    assert model.body_mass[2] == 1.0
    with strict(), pytest.raises(ModelError, match="body 'b1': no body has its principal moments of inertia"):
        load_spec(path)


@pytest.mark.parametrize("values", ["0 0 0", "0 0 0 0 0 0"])
def test_a_moving_point_gets_small_moments(tmp_path, values):
    with pytest.warns(
        RepairWarning, match=r"body 'b0': MuJoCo needs positive moments .*; the least is added \(2e-06 kg·m²\)"
    ):
        model = load_model(write(tmp_path, inertial(values, mass=2.0)))
    np.testing.assert_allclose(model.body_inertia[1], 2e-6)
    assert model.body_mass[1] == 2.0


@pytest.mark.parametrize("inside", ["", inertial("0 0 0", mass=0), "<geom type='box' size='1 1 1' mass='0'/>"])
def test_a_moving_body_without_mass_gets_little(tmp_path, inside):
    with pytest.warns(RepairWarning, match=r"body 'b1': MuJoCo needs a mass of a body that moves; 1e-09 kg is used"):
        model = load_model(write(tmp_path, inertial("1 1 1"), inside))
    assert model.body_mass[2] == 1e-9
    assert model.body_inertia[2].min() > 0.0


def test_a_tiny_body_keeps_the_mass_of_its_geoms(tmp_path):
    """Its moments are below what MuJoCo takes, its mass is not."""
    path = write(tmp_path, "<geom type='box' size='1e-4 1e-4 3e-4' pos='0 0 1e-4'/>")
    with pytest.warns(RepairWarning, match=r"body 'b0': MuJoCo needs positive moments .* used \(1e-14 kg·m²\)"):
        model = load_model(path)
    assert model.body_mass[1] == pytest.approx(8 * 3e-12 * 1000)
    np.testing.assert_allclose(model.body_ipos[1], [0, 0, 1e-4])
    np.testing.assert_allclose(model.body_inertia[1], 1e-14)


def test_masses_from_geoms_and_of_welded_bodies_count(tmp_path):
    welded = f"<body>{inertial('1 1 1')}</body>"
    path = write(tmp_path, "<geom type='box' size='1 1 1'/>", welded)
    with strict():
        load_model(path)


def test_what_the_file_lets_mujoco_balance_is_left_to_it(tmp_path):
    path = write(tmp_path, inertial("1 1 3"), compiler="<compiler balanceinertia='true'/>")
    with strict():
        np.testing.assert_allclose(load_model(path).body_inertia[1], 5 / 3)


def test_numbers_that_are_none_are_refused(tmp_path):
    path = write(tmp_path, inertial("1 1 1"))
    path.write_text(path.read_text().replace("diaginertia='1 1 1'", "diaginertia='1 inf 1'"))
    with pytest.raises(ModelError, match="body 'b0': its mass and inertia must be finite"):
        load_model(path)
