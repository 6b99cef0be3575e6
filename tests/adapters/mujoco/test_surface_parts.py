"""Friction of geoms: bodies whose geoms differ in it have surfaces of parts."""

import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import MujocoAdapter

from ipc_articulation.coupling.adapter import ContactRule
from ipc_articulation.coupling.contact_elements import make_contact_elements
from tests.adapters.mujoco.driven import Run, run_text
from tests.coupling.worlds import make_scene

PLACES = [(0.08, 0.08), (0.08, -0.08), (-0.08, 0.08), (-0.08, -0.08)]
CASTER = '<geom name="caster{}" size="0.02" pos="{} {} 0" mass="0.1" friction="0.01" priority="1"/>'
OWN = "".join(CASTER.format(k, *place) for k, place in enumerate(PLACES))
WELDED = "".join(f"<body>{CASTER.format(k, *place)}</body>" for k, place in enumerate(PLACES))
CART = """<mujoco><option timestep="0.01"/><worldbody>
  <geom name="floor" type="plane" size="0 0 1"/>
  <body name="cart" pos="0 0 {z}"><freejoint/>
    <geom name="hull" type="box" size="0.1 0.1 0.02" pos="0 0 0.03" mass="1"/>{more}</body>
</worldbody></mujoco>"""
PARTS = {"cart/hull": 1.0, "cart/caster0": 0.01}


def described(text):
    model = mujoco.MjModel.from_xml_string(text)
    return MujocoAdapter(model, mujoco.MjData(model)).describe()


def cart(folder, z=0.0205, more=OWN):
    run = run_text(CART.format(z=z, more=more), folder, d_hat=1e-3)
    run.data.qvel[0] = 1.0
    return Run(run.model, run.data, folder, d_hat=1e-3)


def deceleration(run):
    run.step(5)
    before = run.data.qvel[0]
    run.step(15)
    return (before - run.data.qvel[0]) / 0.15


@pytest.mark.parametrize("more", [OWN, WELDED], ids=["own geoms", "welded children"])
def test_a_cart_on_casters_of_less_friction_glides(more, tmp_path):
    assert deceleration(cart(tmp_path, more=more)) == pytest.approx(0.01 * 9.81, rel=0.05)


def test_a_cart_on_a_block_has_the_friction_of_the_block(tmp_path):
    """Between boxes, too: the floor is a box here, and the block leads by its priority."""
    text = CART.format(z=0.0205, more='<geom type="box" size="0.05 0.05 0.02" friction="0.2" priority="1"/>')
    text = text.replace('type="plane" size="0 0 1"', 'type="box" size="1 1 0.5" pos="0 0 -0.5"')
    run = run_text(text, tmp_path, d_hat=1e-3)
    run.data.qvel[0] = 1.0
    run = Run(run.model, run.data, tmp_path, d_hat=1e-3)
    assert deceleration(run) == pytest.approx(0.2 * 9.81, rel=0.03)


def test_geoms_of_one_friction_are_one_part_and_have_one_contact_element():
    robot = described(CART.format(z=0.03, more=OWN))
    (body,) = robot.free
    assert {part.name: part.friction for part in body.surface_parts} == PARTS
    vertices = [part.vertices for part in body.surface_parts]
    assert len(vertices[0]) == 8  # those of the box
    np.testing.assert_array_equal(np.concatenate(vertices), np.arange(len(body.mesh.vertices)))
    (rule,) = robot.contact_rules
    assert rule == ContactRule(frozenset({"cart/caster0"}), frozenset({"world/floor"}), friction=0.01)
    assert robot.leaders == (("cart/caster0", "world/floor"),)
    scene = make_scene()
    elements = make_contact_elements(scene, robot)
    assert scene.contact_tabular().element_count() == 4  # the default one, floor, hull, casters
    model = scene.contact_tabular().at(elements["cart/caster0"].id(), elements["world/floor"].id())
    assert model.friction_rate() == 0.01


@pytest.mark.parametrize("friction", ["1", "0.3"], ids=["equal", "less than the floor's"])
def test_bodies_whose_geoms_rub_alike_have_no_parts(friction):
    more = OWN.replace('friction="0.01" priority="1"', f'friction="{friction}"')
    assert described(CART.format(z=0.03, more=more)).free[0].surface_parts == ()


def test_a_contact_pair_is_for_its_geoms_alone():
    more = OWN.replace('friction="0.01" priority="1"', "")
    pair = '<contact><pair geom1="floor" geom2="caster2" friction="0.1 0.1 0 0 0"/></contact></mujoco>'
    robot = described(CART.format(z=0.03, more=more).replace("</mujoco>", pair))
    assert [part.name for part in robot.free[0].surface_parts] == ["cart/hull", "cart/caster2"]
    assert robot.contact_rules == (ContactRule(frozenset({"cart/caster2"}), frozenset({"world/floor"}), 0.1),)


def test_parts_have_names_that_no_body_has():
    more = '<body name="cart/hull" pos="9 0 9"><freejoint/><geom size="0.1"/></body></worldbody>'
    text = CART.format(z=0.03, more=OWN).replace("</worldbody>", more)
    assert [part.name for part in described(text).free[0].surface_parts] == ["cart/hull (1)", "cart/caster0"]


@pytest.mark.parametrize(
    ("friction", "expected"),
    [({"cart": 0.3}, 0.3), ({"cart/caster0": 0.2}, 0.2), ({"world/floor": 0.5}, 0.01), ({"cart/hull": 0.7}, 0.01)],
    ids=["the body", "the part", "the floor, which does not lead", "another part"],
)
def test_friction_that_is_set_later_is_that_of_the_body_or_of_a_part(friction, expected, tmp_path):
    run = cart(tmp_path)
    run.coupling.set_properties(run.world, friction=friction)
    assert deceleration(run) == pytest.approx(expected * 9.81, rel=0.05)


def test_our_own_dynamics_have_the_largest_friction_of_a_body_and_say_so(tmp_path):
    from ipc_articulation.adapters.native.mjcf import read_mjcf

    file = tmp_path / "cart.xml"
    hinge = '<body name="cart" pos="0 0 0.03"><joint name="slide" type="slide"/>'
    file.write_text(CART.format(z=0.03, more=OWN).replace('<body name="cart" pos="0 0 0.03"><freejoint/>', hinge))
    said = "the geoms of 'cart' differ in friction, 'cart/hull' 1, 'cart/caster0' 0.01, and the largest is used"
    with pytest.warns(UserWarning, match=said):
        content = read_mjcf(file, ())
    assert content.friction == {"cart": 1.0}
    assert content.contact_rules == ()
