"""A process that compiles what no other is compiling: `python -m ipc_articulation.warming.worker PARENT KIND…`.

It names each function when it is done. It ends when the process that began it does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from ipc_articulation.warming.entrances import DONE, FAILED, entrances_of


def work(parent: int, kinds: Iterable[str]) -> int:
    """Compile the entrances of some kinds of scenes while a parent process lives.

    Windows does not tell when a parent ends, and the parent there may be a launcher of Python; it all is compiled.

    Returns:
        How many could not be compiled; it says why.
    """
    failed = 0
    for entrance in entrances_of(kinds):
        if os.name == "posix" and os.getppid() != parent:
            break
        try:
            if entrance.compile():
                print(f"{DONE}{entrance.name}", flush=True)
        except Exception as error:
            failed += 1
            reason = str(error).strip().partition("\n")[0]
            print(f"{FAILED}{entrance.module}.{entrance.name}: {type(error).__name__}: {reason}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(work(int(sys.argv[1]), sys.argv[2:]) > 0)
