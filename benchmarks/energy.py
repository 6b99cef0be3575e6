"""Time of K = ½ (δθ - δθ̃)ᵀ M (δθ - δθ̃), its gradient, and what its Hessian consists of, for 1 to 100,000 joints.

The joints are revolute, in chains of seven, each with its own M. `value` is K, `gradient` (n, 12), and `hessian` Jᵀ M J
+ Σ w ∂²δθ in parts, as Newton's method takes it: δθ, w = M (δθ - δθ̃), J (m, 24) and w ∂²δθ (m, 24, 24). Each row takes
turns with the same formula in JAX (differentiated automatically and jitted, all cores) or CasADi (differentiated
automatically, its own virtual machine), or with writing as many bytes as the result has into new memory. Their results
are compared before.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.energy_peers import Problem, casadi_work, jax_work
from benchmarks.harness import Row, main, samples_in_turn
from ipc_articulation.articulation.energy import ArticulationEnergy
from ipc_articulation.articulation.joints import Joints
from ipc_articulation.articulation.kinds import REVOLUTE, VECTORS

COUNTS = (1, 10, 100, 1000, 10_000, 100_000)
CHAIN = 7
NUMBERS = {"value": (), "gradient": (12,), "hessian": (2 + 24 + 24 * 24,)}  # of a result for each body or joint


def problem(count: int) -> Problem:
    """Chains of random bodies, as deformed as affine bodies may be for a moment."""
    rng, chain = np.random.default_rng(0), min(count, CHAIN)
    chains = -(-count // chain)
    first = (chain + 1) * np.repeat(np.arange(chains), chain) + np.tile(np.arange(chain), chains)
    local = np.linalg.qr(rng.normal(size=(chains * chain, 2, 3, 3)))[0][:, :, :2]
    R = rng.normal(size=(chains, chain, chain))
    q = rng.normal(size=(2, chains * (chain + 1), 12))
    q[..., 3:] = np.eye(3).ravel() + 0.2 * rng.uniform(-1.0, 1.0, q[..., 3:].shape)
    bodies, tilde = np.stack([first, first + 1], axis=1), rng.uniform(-1.0, 1.0, chains * chain)
    return Problem(bodies, local, R @ R.swapaxes(1, 2) + np.eye(chain), tilde, q[0], q[1])


def our_work(p: Problem) -> dict[str, Callable[[], object]]:
    local = np.zeros((len(p.bodies), 2, VECTORS, 4))
    local[:, :, :2, :3] = p.local
    joints = Joints(np.full(len(p.bodies), REVOLUTE), p.bodies, local)
    energy = ArticulationEnergy(joints, len(p.q), [p.mass.shape[1]] * len(p.mass))
    energy.set_step(list(p.mass), np.split(p.tilde, len(p.mass)), p.q_ref)
    return {
        "value": lambda: energy.energy(p.q),
        "gradient": lambda: energy.gradient(p.q),
        "hessian": lambda: energy.linearize(p.q, project=False),
    }


def writing(name: str, p: Problem) -> Callable[[], object]:
    """A function that writes a result's bytes."""
    shape = (len(p.q if name == "gradient" else p.bodies), *NUMBERS[name])
    return lambda: np.empty(shape).fill(1.0)


def measure(quick: bool) -> list[Row]:
    rows = []
    for count in COUNTS[:-1] if quick else COUNTS:
        p = problem(count)
        ours, peers = our_work(p), {name: work for name, work in (jax_work(p), casadi_work(p)) if work}
        calls = max(1, (1000 if quick else 10_000) // count)
        for name, work in ours.items():
            beside = {peer: others[name] for peer, others in peers.items()}
            for other in beside.values():
                compare(name, work(), other())
            if name != "value":
                beside["writing the result"] = writing(name, p)
            for peer, other in beside.items():
                times = samples_in_turn([work, other], calls, 5 if quick else 9)
                rows.append(Row(f"{name}/{len(p.bodies)}", times[0], "us", times[1], peer))
    return rows


def compare(name: str, ours: object, theirs: object) -> None:
    """Refuse to time what computes something else."""
    pairs = zip(ours, theirs, strict=True) if name == "hessian" else [(ours, theirs)]
    for one, other in pairs:
        scale = float(np.max(np.abs(one)))
        np.testing.assert_allclose(np.reshape(other, np.shape(one)), one, rtol=1e-7, atol=1e-9 * scale)


if __name__ == "__main__":
    main(__doc__, measure)
