"""Time of our Cholesky factorisation in blocks beside packages for sparse systems, on systems of Newton's method.

Systems are those of a Newton iteration of the deformable scenes of `benchmarks.stark` and of a pile of 200 boxes, in
contact. A row `.../anew` is analysis of the pattern, factorisation and solution; a row `.../again` factorisation and
solution with the analysis kept, where a package can keep it. Ours and the package take turns. All packages get the
same matrix entry by entry, without the zeros in our blocks; its conversion to their format is not timed.

Conjugate gradients stop at a relative residual of 1e-4, as STARK's do; the others solve to rounding. Pardiso uses as
many threads as MKL_NUM_THREADS says, the others one. Packages that are not installed are left out, and the run says so.
"""

from __future__ import annotations

from benchmarks.harness import Row, main, samples_in_turn
from benchmarks.linear_solvers.solvers import PACKAGES, Solve, accuracy, installed, ours
from benchmarks.linear_solvers.systems import System, systems


def measure(quick: bool) -> list[Row]:
    packages = installed()
    print(", ".join(f"{name} {number}" for name, number in packages.items()))
    return [row for system in systems(quick) for row in measure_system(system, packages, 3 if quick else 10)]


def measure_system(system: System, packages: dict[str, str], repeats: int) -> list[Row]:
    """Two rows for each solver, or one."""
    H, kind = system.matrix(), ("anew", "again")
    print(
        f"{system.name}: {len(system.own)} rows of blocks, {len(system.rows)} blocks above the diagonal, "
        f"{H.nnz} numbers"
    )
    rows, our_solves = [], ours(system)
    for package in packages:
        for make in PACKAGES[package]:
            solves = make(system)
            error = accuracy(H, solves[0](), system.b)
            print(f"{system.name}, {make.__name__}: residual {error:.1e} of the right-hand side", flush=True)
            for name, our, peer in zip(kind, our_solves, solves, strict=True):
                if peer is not None:
                    rows.append(_row(f"{system.name}/{name}", our, peer, make.__name__, repeats))
    return rows


def _row(name: str, our: Solve, peer: Solve, peer_name: str, repeats: int) -> Row:
    our_times, peer_times = samples_in_turn([our, peer], 1, repeats)
    return Row(name, [1e-3 * t for t in our_times], "ms", [1e-3 * t for t in peer_times], peer_name)


if __name__ == "__main__":
    main(__doc__ or "", measure)
