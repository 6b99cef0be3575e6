"""Time of a step of our CPU engine beside STARK's (C++, CPU), like for like: rigid bodies, a cloth, a block, rods.

Scenes of rigid bodies are those of `benchmarks.scaling`: tumbled piles and columns of 10, 50 and 200 boxes, ten
spheres, a box that falls freely, a driven hinge, a chain of eight moving boxes of 0.2 m and 8 kg. Those of deformable
ones are a cloth of 50x50 cells that falls over a fixed sphere, a tilted cube of 5,000 tetrahedra that is dropped, and
ten rods that fall onto each other, with the same meshes, energies, masses and thicknesses. dt is 0.01 s; surfaces repel
each other below 1 mm, friction is 0.5. Both solve each step until a Newton step is below 1e-3 m/s: ours without
`newton/semi_implicit`, and no body sleeps. A step that does not converge is an error.

Both run each scene in turn, with one and with two threads; the better of each counts. A sample is one step, of steps 6
to 100. The ratio is that of the means. `iterations` are Newton's, in a step, ours and STARK's. A line for each scene
has all means, in brackets those of the processor's time (with one thread, other load on the machine hardly changes
these), and the mean height of the bodies or vertices at the end. On a busy machine STARK's threads wait for each other
so long that two are many times slower than one; `taskset -c 0` lets both use one.

What is not alike: STARK's bodies are rigid and ours stiff and affine; it checks for intersections where ours has
continuous collision detection; its barrier is cubic, with the stiffness that gives the same force at nine tenths of the
distance, and does not end at the bodies' thickness; its ground is a fixed box, ours a half-plane; it solves by
conjugate gradients, ours by Cholesky. STARK has no bending of rods: `soft.h` adds libuipc's energy by its SymX.

STARK is fetched by `python tools/fetch_stark.py` and built by `python -m benchmarks.stark.build`; without it the rows
have no peer, and the run says so.
"""

from __future__ import annotations

from statistics import fmean

from benchmarks.harness import Row, main
from benchmarks.stark.build import why_not
from benchmarks.stark.cases import Case, cases
from benchmarks.stark.running import Run, run_ours, run_stark
from benchmarks.stark.soft_cases import soft_cases
from ipc_articulation.cores import cores


def measure(quick: bool, only: str) -> list[Row]:
    reason = why_not()
    if reason:
        print(f"{reason}; rows have no peer")
    threads = (1, 2) if cores() > 1 else (1,)
    if len(threads) == 1:
        print("this process may use one core, so both run with one thread only")
    chosen = [case for case in [*cases(quick), *soft_cases(quick)] if only in case.name]
    for case in small(chosen):
        for n in threads:
            run_ours(case, n)  # compiles
    return [measure_case(case, threads, reason is None) for case in chosen]


def small(chosen: list[Case]) -> list[Case]:
    """Small scenes that need the same code."""
    soft, kinds = {_kind(case): case for case in soft_cases(quick=True)}, {_kind(case) for case in chosen}
    rigid = cases(quick=True)[:1] if kinds - set(soft) else []
    return [*rigid, *(soft[kind] for kind in sorted(kinds & set(soft)))]


def _kind(case: Case) -> str:
    return case.name.split("/")[0]


def measure_case(case: Case, threads: tuple[int, ...], has_peer: bool) -> Row:
    """Both in turn, with each number of threads."""
    ours, peer = {n: list[Run]() for n in threads}, {n: list[Run]() for n in threads if has_peer}
    for _ in range(case.turns):
        for n in threads:
            ours[n].append(run_ours(case, n))
            if n in peer:
                try:
                    peer[n].append(run_stark(case, n))
                except RuntimeError as error:  # with two threads, sums of STARK are in another order each time
                    print(f"{error} (threads: {n}); left out", flush=True)
                    del peer[n]
    best = join(min(ours.values(), key=mean))
    if not peer:
        return Row(case.name, best.milliseconds, "ms", by_means=True, iterations=best.iterations)
    other = join(min(peer.values(), key=mean))
    print(
        f"{case.name}: ours {by_threads(ours)}; STARK {by_threads(peer)}; "
        f"mean height at the end {best.height:.4f} m, {other.height:.4f} m; "
        f"from the lowest to the highest {best.extent:.4f} m, {other.extent:.4f} m",
        flush=True,
    )
    name = f"STARK, {other.threads} thread{'s' * (other.threads > 1)}"
    figures = other.milliseconds, name, True, best.iterations, other.iterations
    return Row(case.name, best.milliseconds, "ms", *figures)


def join(runs: list[Run]) -> Run:
    """One run with the steps of all of them."""
    first, kept = runs[0], ("milliseconds", "processor", "iterations")
    joined = {name: [value for run in runs for value in getattr(run, name)] for name in kept}
    return Run(first.threads, **joined, at_end=first.at_end, stages=first.stages)


def mean(runs: list[Run]) -> float:
    return join(runs).mean


def by_threads(runs: dict[int, list[Run]]) -> str:
    """Mean of time, and of the processor's."""
    times = ((n, mean(some), fmean(join(some).processor)) for n, some in runs.items())
    return ", ".join(f"{n} thread{'s' * (n > 1)} {time:.3g} ms (processor {work:.3g})" for n, time, work in times)


if __name__ == "__main__":
    main(__doc__ or "", measure, selects=True)
