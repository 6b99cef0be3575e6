"""Ours and packages, each as two functions of no arguments for a system: with the analysis of its pattern, and without.

Conversion of the system to the format of a package is not timed.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from typing import Any

import numpy as np
from scipy.sparse import bsr_array, csc_matrix, csr_matrix, tril
from scipy.sparse.linalg import LinearOperator, cg, splu

from benchmarks.linear_solvers.systems import System
from ipc_articulation.arrays import Array
from ipc_articulation.compiled import compiled
from ipc_articulation.linear_system.system import Matrix, analysed, factorise, solve

Solve = Callable[[], Array]
FORCING = 1e-4  # relative tolerance of conjugate gradients, that of STARK's


def ours(system: System) -> tuple[Solve, Solve]:
    """Fronts, with the analysis anew or kept."""
    matrix = _matrix(system.first, system.own, system.rows, system.cols, system.start, system.numbers)
    kept = _analysed(matrix)
    return lambda: _solution(matrix, *_analysed(matrix), system.b), lambda: _solution(matrix, *kept, system.b)


@compiled
def _matrix(first, own, rows, cols, start, numbers):
    nothing, used = np.full(len(own), -1), np.array([len(rows), len(numbers)])
    return Matrix(first, own, rows, cols, start, nothing, nothing, numbers, used)


@compiled
def _analysed(matrix):
    """The pattern of H, and room for its factor."""
    pattern = analysed(matrix)
    return pattern, np.empty(pattern.starts[-1])


@compiled
def _solution(matrix, pattern, U, b):
    every, x = np.ones(len(matrix.own), dtype=np.bool_), np.empty_like(b)
    factorise(pattern, matrix.numbers, every, U)
    solve(pattern, matrix, every, U, b, x)
    return x


def superlu(system: System) -> tuple[Solve, None]:
    """SciPy's SuperLU: LU, with the minimum degree of A + Aᵀ and pivots on the diagonal, as its manual advises."""
    H, b = system.matrix(), system.b.ravel()
    options = {"permc_spec": "MMD_AT_PLUS_A", "diag_pivot_thresh": 0.0, "options": {"SymmetricMode": True}}
    return lambda: splu(H, **options).solve(b), None


def cholespy(system: System) -> tuple[Solve, None]:
    """cholespy: CHOLMOD; it cannot keep the analysis."""
    package = import_module("cholespy")
    H, b = system.matrix(), system.b.reshape(-1, 1).copy()

    def solve() -> Array:
        x = np.zeros_like(b)
        arguments = H.shape[0], H.indptr, H.indices, H.data, package.MatrixType.CSC
        package.CholeskySolverD(*arguments).solve(b, x)
        return x

    return solve, None


def qdldl(system: System) -> tuple[Solve, Solve]:
    """qdldl: LDLᵀ without panels, with approximate minimum degree."""
    package = import_module("qdldl")
    H, b = system.matrix(), system.b.ravel()
    kept = package.Solver(H)

    def again() -> Array:
        kept.update(H)
        return kept.solve(b)

    return lambda: package.Solver(H).solve(b), again


def pardiso(system: System) -> tuple[Solve, Solve]:
    """MKL's Pardiso by pypardiso: Cholesky with nested dissection."""
    package = import_module("pypardiso")
    H, b = csr_matrix(tril(system.matrix().T).T), system.b.ravel()  # the upper triangle, by rows
    H.sort_indices()
    first, kept = (package.PyPardisoSolver(mtype=2) for _ in range(2))

    def run(solver: Any, phase: int) -> Array:
        solver.set_phase(phase)
        return solver._call_pardiso(H, b)

    run(kept, 11)
    return lambda: run(first, 13), lambda: run(kept, 23)


def conjugate_gradients(system: System) -> tuple[Solve, None]:
    """SciPy's, preconditioned by the inverse 3x3 blocks on the diagonal, until the residual has fallen by `FORCING`."""
    H, b = csr_matrix(system.matrix()), system.b.ravel()

    def solve() -> Array:
        diagonal = system.diagonal_blocks()
        n = len(diagonal)
        inverse = bsr_array((np.linalg.inv(diagonal), np.arange(n), np.arange(n + 1)), shape=H.shape)
        return cg(H, b, rtol=FORCING, maxiter=10_000, M=LinearOperator(H.shape, inverse.dot))[0]

    return solve, None


PACKAGES = {  # by the packages that they need
    "scipy": (superlu, conjugate_gradients),
    "cholespy": (cholespy,),
    "qdldl": (qdldl,),
    "pypardiso": (pardiso,),
}


def installed() -> dict[str, str]:
    """Versions of the packages that are there; says which are not."""
    found = {}
    for package in PACKAGES:
        try:
            import_module(package)
        except ImportError as error:
            print(f"{package} is left out: {error}")
        else:
            found[package] = version(package)
    return found


def accuracy(H: csc_matrix, x: Array, b: Array) -> float:
    """‖H x - b‖/‖b‖."""
    return float(np.linalg.norm(H @ x.ravel() - b.ravel()) / np.linalg.norm(b))
