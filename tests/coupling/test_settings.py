"""What a coupled scene has in place of libuipc's own settings."""

import pytest
import uipc

from ipc_articulation import BY_LOAD, couple
from ipc_articulation.errors import AdapterError
from ipc_articulation.frontend.robot_tolerances import tighten_for_robots
from tests.coupling.worlds import Turntable, make_scene


def ends_early(scene):
    return bool(uipc.view(scene.config().find("newton/semi_implicit/enable"))[0])


def default(scene):
    """Friction and resistance of the default contact model."""
    model = scene.contact_tabular().default_model()
    return model.friction_rate(), model.resistance()


def test_a_coupled_scene_converges_and_leaves_its_resistance_open():
    scene = make_scene()
    assert ends_early(scene), "libuipc's own setting"
    assert default(scene) == (0.5, 1e9), "libuipc's own"
    couple(scene, Turntable())
    assert not ends_early(scene)
    assert default(scene) == (0.5, BY_LOAD)
    link = scene.contact_tabular().at(1, 1)
    assert (link.friction_rate(), link.resistance()) == (0.4, BY_LOAD)


def test_a_given_resistance_stays():
    scene = make_scene()
    scene.contact_tabular().default_model(0.2, 3e8, False)
    couple(scene, Turntable())
    assert default(scene) == (0.2, 3e8)
    assert not scene.contact_tabular().default_model().is_enabled()
    assert scene.contact_tabular().at(1, 1).resistance() == 3e8


def test_what_is_open_keeps_its_friction_and_whether_it_touches():
    scene = make_scene()
    scene.contact_tabular().default_model(0.2, 1e9, False)
    couple(scene, Turntable())
    assert default(scene) == (0.2, BY_LOAD)
    assert not scene.contact_tabular().default_model().is_enabled()


def test_the_scene_s_own_settings_on_request():
    scene = make_scene()
    couple(scene, Turntable(), settings="scene")
    assert ends_early(scene)
    assert default(scene) == (0.5, 1e9)


def tolerances(scene):
    names = ("newton/velocity_tol", "newton/transrate_tol", "linear_system/tol_rate")
    return [float(uipc.view(scene.config().find(name))[0]) for name in names]


def test_robots_on_cuda_have_smaller_tolerances_than_libuipc_s_own():
    scene, untouched = make_scene(), make_scene()
    couple(scene, Turntable())
    couple(untouched, Turntable(), settings="scene")
    assert tolerances(scene) == [0.05, 0.1, 1e-3], "only that engine needs others"
    for each in (scene, untouched):
        tighten_for_robots(each)
    assert tolerances(scene) == [1e-3, 1e-3, 1e-6]
    assert tolerances(untouched) == [0.05, 0.1, 1e-3]


def test_given_tolerances_stay_on_cuda():
    scene = make_scene()
    uipc.view(scene.config().find("newton/velocity_tol"))[:] = 0.02
    couple(scene, Turntable())
    tighten_for_robots(scene)
    assert tolerances(scene) == [0.02, 1e-3, 1e-6]


def test_unknown_settings_are_refused():
    with pytest.raises(AdapterError, match=r"settings.*'robots'.*'scene'"):
        couple(make_scene(), Turntable(), settings="libuipc")
