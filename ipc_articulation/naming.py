"""Finding things by name, and error messages that name what would have been found."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain, count

from ipc_articulation.errors import IpcArticulationError
from ipc_articulation.patterns import is_match

_LONGEST = 200  # letters of a word that are compared


def distinct(names: Sequence[str], others: Collection[str] = ()) -> tuple[str, ...]:
    """The names, those that occur more than once, or in `others`, followed by a number: box (1), box (2)."""
    occurrences, taken = Counter([*names, *set(others)]), {*names, *others}
    numbered = {name: _free_names(name, taken) for name, times in occurrences.items() if times > 1}
    return tuple(next(numbered[name]) if name in numbered else name for name in names)


def free_name(name: str, is_taken: Callable[[str], bool]) -> str:
    """A name that was made up: itself, or the first of `name (1)`, `name (2)`, … that nothing else has."""
    return next(free for free in chain([name], (f"{name} ({k})" for k in count(1))) if not is_taken(free))


def _free_names(name: str, taken: set[str]) -> Iterator[str]:
    return (free for number in count(1) if (free := f"{name} ({number})") not in taken)


def suggest(word: object, known: Iterable[str], label: str = "valid") -> str:
    """The end of an error message: `; did you mean 'x'? valid: w, x, y`."""
    known = sorted(known)
    near = difflib.get_close_matches(str(word)[:_LONGEST], known, n=1)
    question = f"; did you mean '{near[0]}'?" if near else ";"
    return f"{question} {label}: {', '.join(known) or 'none'}"


def matching(
    pattern: str | Sequence[str], names: Sequence[str], what: str, error: type[IpcArticulationError]
) -> list[int]:
    """Indices of the chosen names.

    Args:
        pattern: A regular expression (see `patterns`) that matches whole names, or a list of names, whose order is
            kept.
        names: All names.
        what: The kind of the names, for the error.
        error: The error if nothing matches, a listed name is unknown, or the expression is not valid.
    """
    if isinstance(pattern, str):
        try:
            found = [index for index, name in enumerate(names) if is_match(pattern, name)]
        except ValueError as refused:
            raise error(str(refused)) from refused
        if not found:
            raise error(f"'{pattern}' matches no {what}{suggest(pattern, names, 'known')}")
        return found
    for name in pattern:
        if name not in names:
            raise error(f"unknown {what} '{name}'{suggest(name, names, 'known')}{_as_pattern(name, names)}")
    return [list(names).index(name) for name in pattern]


def _as_pattern(name: str, names: Sequence[str]) -> str:
    """What to write in place of a list's unknown name that is a regular expression and matches known ones."""
    try:
        matches = any(is_match(name, known) for known in names)
    except ValueError:
        return ""
    return f"; a list has whole names: write '{name}' without a list as a regular expression" if matches else ""
