"""Which body a first scene file leaves out, so that the rest of the robot can be simulated."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

from ipc_articulation.dynamics.reading.facts import FileFacts

_BODY = re.compile(r"\bbody '([^']+)'")


def body_to_ignore(refusal: str, facts: FileFacts, ignored: Collection[str]) -> str | None:
    """The body that a refusal names, unless it is part of the robot itself: the tree with the most joints.

    Args:
        refusal: The message of the adapter.
        facts: The robot's file; only those of MJCF name bodies.
        ignored: Bodies that are left out already.
    """
    sizes = Counter(joint.tree for joint in facts.joints)
    largest = max(sizes, key=lambda tree: sizes[tree], default="")
    for body in _BODY.findall(refusal):
        tree = facts.trees.get(body)
        if tree is not None and body not in ignored and (tree == "" or (sizes and tree != largest)):
            return str(body)
    return None
