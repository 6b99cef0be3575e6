"""Shapes of the arguments and results of algorithms, by their kinds."""

from __future__ import annotations


def shapes_of_arrays(nq: int, nv: int, bodies: int, frames: int) -> dict[str, tuple[int, ...]]:
    """Shapes for a model with these numbers of coordinates, bodies and frames."""
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
