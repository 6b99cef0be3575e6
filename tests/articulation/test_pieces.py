"""Articulations in pieces that cores share: the same values to the last bit, whatever the pieces are."""

import numpy as np
import pytest

from ipc_articulation.arrays import Array
from ipc_articulation.articulation import pieces as module
from ipc_articulation.articulation.bounded_springs import SPRINGS
from ipc_articulation.articulation.energy import ArticulationEnergy
from ipc_articulation.articulation.joints import Joints
from ipc_articulation.articulation.kinds import PRISMATIC, REVOLUTE, SPHERICAL, VECTORS
from ipc_articulation.articulation.spring_rows import BoundedRows

CHAIN = [REVOLUTE, PRISMATIC, SPHERICAL, REVOLUTE]
COUNT = 20  # chains


def chains(row_counts: tuple[int, ...] = (), backwards: bool = False, common: bool = False) -> ArticulationEnergy:
    """Chains of bodies of their own, in order or backwards; or with a body that the first and the last one share."""
    rng, size = np.random.default_rng(0), len(CHAIN)
    first = (size + 1) * np.arange(COUNT)[:, None] + np.arange(size)
    bodies = np.stack([first, first + 1], axis=-1)[:: -1 if backwards else 1].reshape(-1, 2)
    if common:
        bodies[-1, 1] = 0
    local = np.zeros((COUNT * size, 2, VECTORS, 4))
    local[:, :, :3, :3] = np.linalg.qr(rng.normal(size=(COUNT * size, 2, 3, 3)))[0]
    names = [[f"row {row}" for row in range(count)] for count in row_counts]
    return ArticulationEnergy(
        Joints(np.tile(CHAIN, COUNT), bodies, local), (size + 1) * COUNT, [size] * COUNT, row_names=names
    )


def poses(energy: ArticulationEnergy, seed: int) -> Array:
    q = np.random.default_rng(seed).normal(size=(energy.body_count, 12))
    q[:, 3:] = np.eye(3).ravel() + 0.1 * q[:, 3:]
    return q


def set_step(energy: ArticulationEnergy, rows: list[BoundedRows] | None = None) -> None:
    """A step with friction on all freedoms."""
    rng, F = np.random.default_rng(1), energy.sizes[0]
    R = rng.normal(size=(COUNT, F, F))
    springs = np.zeros((COUNT, F, SPRINGS, 4))
    springs[:, :, 2] = 0.0, 10.0, -0.3, 0.3
    mass = R @ R.swapaxes(1, 2) + np.eye(F)
    tilde = 0.1 * rng.normal(size=(COUNT, F))
    energy.set_flat(list(mass.reshape(COUNT, -1)), list(tilde), poses(energy, 2), list(springs), rows)


def number_of_pieces(energy: ArticulationEnergy) -> int:
    return len(module.pieces(energy.arrays, [len(CHAIN)] * COUNT))


def results(energy: ArticulationEnergy) -> tuple[Array, Array]:
    q = poses(energy, 3)
    return energy.gradient(q), energy.freedom_energies(q)


@pytest.mark.parametrize("threads", ["1", "3"])
def test_pieces_give_the_same_bits_as_one(monkeypatch: pytest.MonkeyPatch, threads: str) -> None:
    monkeypatch.setenv("IPC_ARTICULATION_THREADS", threads)
    whole = chains()
    set_step(whole)
    assert number_of_pieces(whole) == 1
    expected = results(whole)
    monkeypatch.setattr(module, "WORTH", 8)
    several = chains()
    assert number_of_pieces(several) == COUNT // 2
    results(several)  # the next step changes the same arrays
    set_step(several)
    for values, wanted in zip(results(several), expected, strict=True):
        np.testing.assert_array_equal(values, wanted)


@pytest.mark.parametrize(("backwards", "common"), [(True, False), (False, True)])
def test_bodies_that_do_not_ascend_stay_in_one_piece(
    monkeypatch: pytest.MonkeyPatch, backwards: bool, common: bool
) -> None:
    monkeypatch.setattr(module, "WORTH", 8)
    energy = chains(backwards=backwards, common=common)
    set_step(energy)
    assert number_of_pieces(energy) == 1
    q, h = poses(energy, 3), 1e-6
    direction = np.random.default_rng(4).normal(size=q.shape)
    slope = (energy.energy(q + h * direction) - energy.energy(q - h * direction)) / (2 * h)
    assert np.sum(energy.gradient(q) * direction) == pytest.approx(slope, rel=1e-5)


def test_rows_of_several_freedoms_stay_in_one_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WORTH", 8)
    energy = chains(row_counts=(1,) * COUNT)
    F = energy.sizes[0]
    springs = np.zeros((1, SPRINGS, 4))
    springs[0, 2] = 0.0, 10.0, -0.3, 0.3
    set_step(energy, [BoundedRows(np.ones((1, F)), springs)] * COUNT)
    assert number_of_pieces(energy) == 1
    without = chains()
    set_step(without)
    assert not np.array_equal(results(energy)[0], results(without)[0])
