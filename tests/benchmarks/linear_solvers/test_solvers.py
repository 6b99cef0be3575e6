"""`benchmarks.linear_solvers`: all solve the same system, and those that are missing are said to be."""

import numpy as np
import pytest

from benchmarks.linear_solvers import __main__ as benchmark
from benchmarks.linear_solvers import solvers, systems
from benchmarks.linear_solvers.solvers import PACKAGES, accuracy, ours
from benchmarks.linear_solvers.systems import System
from benchmarks.stark.soft_cases import soft_cases


@pytest.fixture(scope="module")
def system():
    """Six rows of four nodes in a ring, diagonally dominant; one block is diagonal."""
    rng = np.random.default_rng(0)
    A = rng.uniform(-1.0, 1.0, (6, 12, 12))
    diagonal = A + np.swapaxes(A, 1, 2) + 100.0 * np.eye(12)
    rows, cols = np.array([0, 1, 2, 3, 4, 0]), np.array([1, 2, 3, 4, 5, 5])
    blocks = rng.uniform(-1.0, 1.0, (6, 12, 12))
    blocks[2] = np.eye(12)
    numbers, at = np.concatenate([diagonal.ravel(), blocks.ravel()]), 144 * np.arange(12)
    return System("ring", 4 * np.arange(7), at[:6], rows, cols, at[6:], numbers, rng.uniform(-1.0, 1.0, (24, 3)))


def test_the_matrix_has_both_triangles_and_no_zeros(system):
    H = system.matrix()
    assert (H != H.T).nnz == 0
    assert H.nnz == 6 * 144 + 2 * (5 * 144 + 12)
    np.testing.assert_array_equal(H[:12, 60:].toarray().ravel(), system.numbers[-144:])
    np.testing.assert_array_equal(H[12:24, 12:24].toarray().ravel(), system.numbers[144:288])


@pytest.mark.parametrize(
    "make", [ours, *(make for made in PACKAGES.values() for make in made)], ids=lambda f: f.__name__
)
def test_every_solver_solves_it(system, make):
    for package, made in PACKAGES.items():
        if make in made:
            pytest.importorskip(package)
    bound = solvers.FORCING if make is solvers.conjugate_gradients else 1e-13
    for solve in filter(None, make(system)):
        assert accuracy(system.matrix(), solve(), system.b) < bound


def test_a_package_that_is_missing_is_left_out(monkeypatch, capsys):
    monkeypatch.setattr(solvers, "PACKAGES", {"scipy": (), "no_such_solver": ()})
    assert list(solvers.installed()) == ["scipy"]
    assert "no_such_solver is left out: No module named 'no_such_solver'" in capsys.readouterr().out


def test_rows_have_each_package_anew_and_again_if_it_can(system):
    rows = benchmark.measure_system(system, {"scipy": "1"}, 1)
    assert [(row.work, row.peer_name) for row in rows] == [
        ("ring/anew", "superlu"),
        ("ring/anew", "conjugate_gradients"),
    ]
    assert all(len(row.ours) == len(row.peer) == 1 for row in rows)


def test_a_system_is_that_of_a_newton_iteration():
    rods = soft_cases(quick=True)[2]
    found = systems._largest("rods", rods.make, 2)
    assert len(found.own) == len(found.b) == 123  # three rods of 41 vertices
    assert np.linalg.eigvalsh(found.matrix().toarray()).min() > 0.0
    assert accuracy(found.matrix(), ours(found)[0](), found.b) < 1e-10
