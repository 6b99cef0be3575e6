"""Names and texts of a robot's file read back from YAML as they are."""

import pytest
import yaml

from ipc_articulation.starting.quoting import comment, key, quoted

# fmt: off
NAMES = (
    "${j}", "$${j}", ".*", "a: b", "a:b", "_:", "#x", "- a", "-", "? a", "yes", "on", "null", "~", "1e3", ".5", ".inf",
    "inf", "it's \"quoted\"", "two\nlines", "a\tb", "end ", "\u2028", "\x85", "é", "😀", "[a]", "{a}", "a,b", "a\\b",
    "%d", "@x", "`", "!t", "&a", "*a", "|", ">", "x" * 2000,
)
# fmt: on


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_names_read_back(name):
    assert yaml.safe_load(f"a:\n    {key(name)} 1.5  # remark\n    {key('b')} 2") == {"a": {name: 1.5, "b": 2}}
    assert yaml.safe_load(f"a: {{{key(name)} 1, {key('b')} 2}}") == {"a": {name: 1, "b": 2}}
    (entry,) = yaml.safe_load(f"- {{joints: [{quoted(name)}, b], kp: 1}}")
    assert entry["joints"] == [name.replace("${", "$${"), "b"]


def test_plain_names_and_paths_stay_plain():
    for text in ("elbow", "arm/link_1", "package://robots/a.urdf", "../robot.xml"):
        assert quoted(text) == text


def test_what_looks_like_a_variable_is_escaped_in_values_only():
    assert quoted("a ${j}") == '"a $${j}"'
    assert key("${j}") == '"${j}":'


def test_comments_are_one_line():
    assert comment("two\nlines  more") == "two lines more"
