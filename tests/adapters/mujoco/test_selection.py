import pytest
from ipc_articulation.adapters.mujoco.selection import select

from ipc_articulation.dynamics.reading.mujoco.names import body_names
from ipc_articulation.errors import AdapterError
from tests.adapters.mujoco.models import arm

NOTHING = ()


def chosen(**arguments):
    model, _ = arm()
    names = body_names(model)
    selection = select(model, **{"links": None, "free": None, "static": None, "ignore": (), **arguments})
    return tuple([names[b] for b in group] for group in (selection.links, selection.free, selection.static))


def test_default_takes_the_whole_model():
    assert chosen() == (["upper", "wrist"], ["crate"], ["world", "base"])


def test_naming_any_body_of_a_tree_takes_the_tree():
    assert chosen(links=["tool"])[0] == ["upper", "wrist"]
    assert chosen(links=[])[0] == []


def test_ignored_bodies_stay_out():
    assert chosen(ignore=["wrist", "crate", "world"]) == ([], [], ["base"])


def test_a_free_body_may_be_named_as_a_link():
    assert chosen(links=["crate"])[:2] == (["crate"], [])
    assert chosen(links=["crate", "upper"])[:2] == (["upper", "wrist", "crate"], [])


def test_unknown_name_lists_the_bodies():
    known = "'world', 'base', 'upper', 'wrist', 'tool', 'crate', 'lid'"
    expected = f"links: the model has no body named 'elbow'; its bodies are {known}"
    with pytest.raises(AdapterError, match=expected):
        chosen(links=["elbow"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"free": ["base"]}, "free: body 'base' is welded to the world; name it under 'static'"),
        ({"static": ["tool"]}, "static: body 'upper' moves by joints; name it under 'links'"),
    ],
)
def test_body_of_another_kind(arguments, message):
    with pytest.raises(AdapterError, match=message):
        chosen(**arguments)
