"""`python -m ipc_articulation` is the command `ipc-articulation`."""

import sys

from ipc_articulation.cli import main

sys.exit(main())
