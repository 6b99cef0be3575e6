"""Random robots of URDF files, with joints of every type."""

from __future__ import annotations

import numpy as np

TYPES = ("revolute", "continuous", "prismatic", "fixed", "planar", "floating")


def random_urdf(seed: int, types: tuple[str, ...] = TYPES, count: int = 5) -> tuple[str, dict[str, str]]:
    """The text of a robot with links `link0` to `link{count}`, and the type of each joint by name."""
    rng = np.random.default_rng(seed)
    chosen = [str(kind) for kind in rng.choice(types, count)]
    parts = [_link(0, rng)]
    for k, kind in enumerate(chosen, start=1):
        parts += [_link(k, rng), _joint(k, kind, int(rng.integers(k)), rng)]
    return f'<robot name="robot">{"".join(parts)}</robot>', {f"joint{k}": kind for k, kind in enumerate(chosen, 1)}


def _link(number: int, rng: np.random.Generator) -> str:
    moments = rng.uniform(0.02, 0.03, 3)
    inertia = " ".join(f'{name}="{_text(moment)}"' for name, moment in zip(("ixx", "iyy", "izz"), moments, strict=True))
    return f"""<link name="link{number}"><inertial>
      <origin xyz="{_text(rng.uniform(-0.1, 0.1, 3))}" rpy="{_text(rng.uniform(-2.0, 2.0, 3))}"/>
      <mass value="{_text(rng.uniform(0.5, 2.0))}"/><inertia {inertia} ixy="0.004" ixz="-0.003" iyz="0.002"/></inertial>
      <collision><geometry><box size="0.05 0.04 0.03"/></geometry></collision></link>"""


def _joint(number: int, kind: str, parent: int, rng: np.random.Generator) -> str:
    limit = '<limit effort="100" velocity="100" lower="-3" upper="3"/>' if kind in ("revolute", "prismatic") else ""
    damping = f'<dynamics damping="{_text(rng.uniform(0.0, 0.5))}"/>' if kind not in ("fixed", "floating") else ""
    return f"""<joint name="joint{number}" type="{kind}">
      <parent link="link{parent}"/><child link="link{number}"/><axis xyz="{_text(rng.normal(size=3))}"/>
      <origin xyz="{_text(rng.uniform(-0.4, 0.4, 3))}" rpy="{_text(rng.uniform(-3.0, 3.0, 3))}"/>
      {limit}{damping}</joint>"""


def _text(numbers) -> str:
    return " ".join(f"{number!r}" for number in np.ravel(numbers).tolist())
