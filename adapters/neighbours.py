"""Bodies of a tree that never touch each other: a link and its parent, and a link and the base of its chain."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ipc_articulation.coupling.adapter import CoupledBody


def neighbours(
    links: Sequence[CoupledBody], parents: Sequence[int], bases: Sequence[Collection[str]]
) -> frozenset[frozenset[str]]:
    """Pairs of names that never touch.

    A link without mass and mesh is between two joints of a body; the parent is then the next ancestor with one.

    Args:
        links: The n links.
        parents: Parent of each, (n,); -1 for the world.
        bases: Names of the static bodies that carry the chain of each link, (n,).
    """
    pairs = set()
    for link, name in enumerate(body.name for body in links):
        solid = (a for a in _ancestors(link, parents) if links[a].mass > 0.0 or links[a].mesh is not None)
        near = [links[a].name for a in (next(solid, None),) if a is not None]
        pairs |= {frozenset({name, other}) for other in (*near, *bases[link])}
    return frozenset(pairs)


def _ancestors(link: int, parents: Sequence[int]) -> Iterator[int]:
    while (link := parents[link]) >= 0:
        yield link
