"""Shapes of the arrays that algorithms take and give, by what they hold."""

from __future__ import annotations


def shapes_of_arrays(nq: int, nv: int, bodies: int, frames: int) -> dict[str, tuple[int, ...]]:
    """For a model of so many coordinates, bodies and frames."""
    return {
        "q": (nq,),
        "v": (nv,),
        "a": (nv,),
        "tau": (nv,),
        "matrix": (nv, nv),
        "matrices": (3, nv, nv),
        "wrenches": (bodies, 6),
        "poses": (frames, 4, 4),
        "vectors": (frames, 6),
        "jacobian": (6, nv),
        "point": (3,),
        "point jacobian": (3, nv),
        "vector": (6,),
        "numbers": (2,),
    }


RANK = {name: len(shape) for name, shape in shapes_of_arrays(0, 0, 0, 0).items()}
