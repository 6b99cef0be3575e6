"""What a model's options switch off."""

from __future__ import annotations

import mujoco


def enabled(model: mujoco.MjModel, *parts: str) -> bool:
    """Whether none of some parts of the physics («GRAVITY», «SPRING», ... of mjtDisableBit) is disabled."""
    return not any(model.opt.disableflags & getattr(mujoco.mjtDisableBit, f"mjDSBL_{part}") for part in parts)
