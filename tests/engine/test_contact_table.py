"""Numbers of the contact table for which there is no contact are refused when the world is made."""

import numpy as np
import pytest
import uipc

from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.contact_table import read_contact_table

MU = "the contact model of elements 0 and 1 has the friction coefficient {}; valid: a number from 0 to 1e+06"
KAPPA = "the contact model of elements 0 and 1 has the resistance {} Pa; valid: more than 0, BY_LOAD or -1 for adaptive"


@pytest.mark.parametrize(
    ("friction", "resistance", "message"),
    [
        (-1.0, 1e9, MU.format("-1")),
        (np.nan, 1e9, MU.format("nan")),
        (np.inf, 1e9, MU.format("inf")),
        (1.001e6, 1e9, MU.format("1.001e+06")),
        (0.5, np.nan, KAPPA.format("nan")),
        (0.5, -np.inf, KAPPA.format("-inf")),
        (0.5, np.inf, KAPPA.format("inf")),
        (0.5, 0.0, KAPPA.format("0")),
        (0.5, -5.0, KAPPA.format("-5")),
    ],
)
def test_what_is_no_number_of_contact_is_refused(friction, resistance, message):
    scene = uipc.Scene(uipc.Scene.default_config())
    table = scene.contact_tabular()
    table.insert(table.create("rubber"), table.default_element(), friction, resistance)
    with pytest.raises(SceneError) as error:
        read_contact_table(scene)
    assert str(error.value) == message


def test_contact_that_is_off_needs_no_resistance():
    scene = uipc.Scene(uipc.Scene.default_config())
    table = scene.contact_tabular()
    table.insert(table.create("rubber"), table.default_element(), 0.0, 0.0, False)
    assert read_contact_table(scene).resistance[0, 1] == 0.0
