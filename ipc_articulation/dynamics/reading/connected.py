"""Groups of things with common keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def connected(things: Iterable[T], keys: Callable[[T], Iterable[str]]) -> list[list[T]]:
    """Groups of things, in order; two things with a common key are in one group.

    Args:
        things: The things.
        keys: Returns the keys of one thing.
    """
    groups: list[tuple[set[str], list[T]]] = []
    for thing in things:
        own, members = set(keys(thing)), [thing]
        for group in [group for group in groups if group[0] & own]:
            groups.remove(group)
            own, members = own | group[0], members[:-1] + group[1] + [thing]
        groups.append((own, members))
    return [members for _, members in groups]
