"""How the suite runs: one worker a core; the last lines say what was skipped and why."""

import os
from collections import Counter
from collections.abc import Iterable
from typing import Any

WORKER_MEMORY = 2 << 30  # bytes that one worker may need


def pytest_xdist_auto_num_workers() -> int:
    """Workers of `-n auto`: one a core, as far as memory reaches."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores, memory() // WORKER_MEMORY))


def memory() -> int:
    """Bytes of the machine's memory; of an unknown machine those of one worker a core."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return WORKER_MEMORY * (os.cpu_count() or 1)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say what was skipped: every reason with its number of tests."""
    counts = reasons(terminalreporter.stats.get("skipped", ()))
    if counts:
        terminalreporter.section("skipped")
        for reason, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
            terminalreporter.write_line(f"{count:5} {reason}")


def reasons(reports: Iterable[Any]) -> Counter[str]:
    """How many tests were skipped, by reason."""
    return Counter(str(report.longrepr[2]).removeprefix("Skipped: ") for report in reports)
