"""Grouping of things that share a key."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def connected(things: Iterable[T], keys: Callable[[T], Iterable[str]]) -> list[list[T]]:
    """Groups of things, in order: two that have a key in common are in one group.

    Args:
        things: Any.
        keys: The keys of one.
    """
    groups: list[tuple[set[str], list[T]]] = []
    for thing in things:
        own, members = set(keys(thing)), [thing]
        for group in [group for group in groups if group[0] & own]:
            groups.remove(group)
            own, members = own | group[0], members[:-1] + group[1] + [thing]
        groups.append((own, members))
    return [members for _, members in groups]
