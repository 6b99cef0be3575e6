r"""Patterns of names, matched in linear time.

A pattern is a regular expression without look-around and references to groups. It becomes a nondeterministic automaton
(K. Thompson, "Regular expression search algorithm", 1968), whose set of states takes one character after the other:
O(length of the text · states), where the backtracking of Python's `re` needs exponential time for `(a+)+b`.

    alternatives   one|two      repetition   a*  a+  a?  a{2}  a{2,}  a{2,5}      groups   (...)  (?:...)
    characters     a  .  \d  \w  \s  \D  \W  \S  \.  [a-z]  [^a-z]
"""

from __future__ import annotations

import re
from functools import lru_cache

MAX_STATES = 10_000
MAX_GROUPS = 50  # one inside the other

_ATOM = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]|\\[dwsDWS]|\\[^\w\s]|[^\\\[\](){}*+?|^$]|\]|\}", re.DOTALL)
_COUNT = re.compile(r"\{(\d{1,5})(,?)(\d{0,5})\}")
_GROUP = re.compile(r"\((?:\?:)?(?!\?)")
_VALID = r"valid: characters, . \d \w \s [a-z] [^a-z], groups ( ), alternatives |, repetition * + ? {2,5}"

Fragment = tuple[int, int]  # first and last state


def is_match(pattern: str, text: str) -> bool:
    """Whether a pattern matches a whole text.

    Raises:
        ValueError: It is no pattern; says where and what would be valid.
    """
    automaton = compiled(pattern)
    states = automaton.closure({0})
    for character in text:
        steps = {
            target for state in states for atom, target in automaton.on_character[state] if atom.fullmatch(character)
        }
        states = automaton.closure(steps)
    return automaton.end in states


@lru_cache(maxsize=256)
def compiled(pattern: str) -> Automaton:
    """The automaton of a pattern.

    Raises:
        ValueError: It is no pattern; says where and what would be valid.
    """
    return Automaton(pattern)


class Automaton:
    """States 0, 1, ...: it starts in state 0 and accepts in state `end`.

    Attributes:
        on_character: For each state, which characters lead to which state.
        free: For each state, the states that it leads to without a character.
        end: The accepting state.
    """

    def __init__(self, pattern: str) -> None:
        self.on_character: list[list[tuple[re.Pattern[str], int]]] = []
        self.free: list[list[int]] = []
        self._pattern, self._at, self._depth = pattern, 0, 0
        start = self._state()
        first, self.end = self._alternatives()
        self.free[start].append(first)
        if self._at < len(pattern):
            raise self._error("no group is open here")

    def closure(self, states: set[int]) -> set[int]:
        """The states and all that they lead to without a character."""
        found, waiting = set(states), list(states)
        while waiting:
            for target in self.free[waiting.pop()]:
                if target not in found:
                    found.add(target)
                    waiting.append(target)
        return found

    def _alternatives(self) -> Fragment:
        first, last = self._state(), self._state()
        while True:
            begin, end = self._sequence()
            self.free[first].append(begin)
            self.free[end].append(last)
            if not self._pattern.startswith("|", self._at):
                return first, last
            self._at += 1

    def _sequence(self) -> Fragment:
        first = last = self._state()
        while self._at < len(self._pattern) and self._pattern[self._at] not in "|)":
            begin, end = self._repeated()
            self.free[last].append(begin)
            last = end
        return first, last

    def _repeated(self) -> Fragment:
        """An item and how often it stands; a number of times is written out."""
        begin = self._at
        item = self._item()
        after = self._at
        least, most = self._bounds()
        resume, copies = self._at, [item]
        for _ in range(max(least, most or 1, 1) - 1):
            self._at = begin
            copies.append(self._item())
        self._at = after if resume == after else resume
        first, last = self._state(), self._state()
        at = first
        for number, (start, end) in enumerate(copies, start=1):
            if number > least:
                self.free[at].append(last)
            self.free[at].append(start)
            at = end
        if most is None:
            self.free[at].append(copies[-1][0])
        if most != 0:
            self.free[at].append(last)
        return first, last

    def _bounds(self) -> tuple[int, int | None]:
        """The least and the largest number of times, None without bound."""
        sign = self._pattern[self._at : self._at + 1]
        if sign and sign in "*+?":
            bounds = {"*": (0, None), "+": (1, None), "?": (0, 1)}[sign]
            self._at += 1
        elif found := _COUNT.match(self._pattern, self._at):
            least = int(found[1])
            bounds = least, int(found[3]) if found[3] else None if found[2] else least
            self._at = found.end()
        else:
            return 1, 1
        if bounds[1] is not None and bounds[1] < bounds[0]:
            raise self._error(f"{bounds[1]} is less than {bounds[0]}")
        if self._pattern[self._at : self._at + 1] in ("*", "+", "?"):
            raise self._error("one repetition follows another")
        return bounds

    def _item(self) -> Fragment:
        """A group, or one character."""
        if group := _GROUP.match(self._pattern, self._at):
            return self._group(group.end())
        atom = _ATOM.match(self._pattern, self._at)
        if atom is None:
            raise self._error("this cannot stand here")
        try:
            matcher = re.compile(atom[0], re.DOTALL)
        except re.error as error:
            raise self._error(str(error)) from error
        self._at = atom.end()
        first, last = self._state(), self._state()
        self.on_character[first].append((matcher, last))
        return first, last

    def _group(self, inside: int) -> Fragment:
        opened, self._at = self._at, inside
        self._depth += 1
        if self._depth > MAX_GROUPS:
            raise self._error(f"more than {MAX_GROUPS} groups one inside the other")
        fragment = self._alternatives()
        if not self._pattern.startswith(")", self._at):
            self._at = opened
            raise self._error("the group is not closed")
        self._at += 1
        self._depth -= 1
        return fragment

    def _state(self) -> int:
        if len(self.free) >= MAX_STATES:
            raise ValueError(f"'{self._pattern[:60]}' repeats too much: more than {MAX_STATES} states")
        self.on_character.append([])
        self.free.append([])
        return len(self.free) - 1

    def _error(self, reason: str) -> ValueError:
        return ValueError(
            f"'{self._pattern[:60]}' is no regular expression: character {self._at + 1}: {reason}; {_VALID}"
        )
