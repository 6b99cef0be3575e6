r"""Patterns of names: regular expressions that are matched in linear time.

The syntax is that of RE2 (https://github.com/google/re2/wiki/Syntax). Python's own `re` backtracks, and needs
exponential time for `(a+)+b`; RE2 runs an automaton, and so has no look-around and no references to groups. `\d`, `\s`
and `\w` stand for ASCII characters only.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

MAX_LENGTH = 1000  # of a pattern, in characters

_VALID = r"valid: characters, . \d \w \s [a-z] [^a-z], groups ( ), alternatives |, repetition * + ? {2,5}"


def is_match(pattern: str, text: str) -> bool:
    """Whether a pattern matches a whole text.

    Raises:
        ValueError: It is no pattern; says why and what would be valid.
    """
    return bool(compiled(pattern).fullmatch(text))


@lru_cache(maxsize=256)
def compiled(pattern: str) -> Any:
    """The pattern as RE2 matches it.

    Raises:
        ValueError: It is no pattern; says why and what would be valid.
    """
    import re2

    if len(pattern) > MAX_LENGTH:
        raise ValueError(f"a regular expression of {len(pattern)} characters; valid: {MAX_LENGTH} at most")
    options = re2.Options()
    options.log_errors, options.dot_nl = False, True
    try:
        return re2.compile(pattern, options)
    except (re2.error, UnicodeEncodeError) as error:
        reason = error.args[0].decode() if isinstance(error, re2.error) else str(error)
        raise ValueError(f"'{pattern[:60]}' is no regular expression: {reason[:100]}; {_VALID}") from None
