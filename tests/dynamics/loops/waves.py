"""A function of one variable whose derivatives all differ from zero."""

from __future__ import annotations

from math import cos, sin


class Wave:
    """y + a sin(n y)."""

    def __init__(self, n: float, a: float = 0.3) -> None:
        self.n, self.a = n, a

    def __call__(self, x: float) -> float:
        return x + self.a * sin(self.n * x)

    def first(self, x: float) -> float:
        return 1.0 + self.a * self.n * cos(self.n * x)

    def second(self, x: float) -> float:
        return -self.a * self.n**2 * sin(self.n * x)

    def third(self, x: float) -> float:
        return -self.a * self.n**3 * cos(self.n * x)
