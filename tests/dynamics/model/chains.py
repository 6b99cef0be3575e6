"""Small mechanisms for tests of models."""

from __future__ import annotations

from ipc_articulation.dynamics import Mechanism, joints


def chain(*kinds: joints.Joint, name: str = "chain") -> Mechanism:
    """Links a, b, c … of 1 kg, one after the other, on joints to_a, to_b, to_c …"""
    mechanism = Mechanism(name)
    parent = "world"
    for letter, joint in zip("abcdefgh", kinds, strict=False):
        mechanism.add_link(letter, 1.0, (0.0, 0.0, 0.1), 0.1)
        mechanism.add_joint(f"to_{letter}", joint, parent, letter)
        parent = letter
    return mechanism


def hinges(count: int) -> Mechanism:
    """A chain on hinges."""
    return chain(*(joints.RzJoint() for _ in range(count)))
