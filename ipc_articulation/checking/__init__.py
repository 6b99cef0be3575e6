"""What is wrong with a scene file, and what is risky, told before it runs; nothing that it names is run."""

from ipc_articulation.checking.report import Report, check_file

__all__ = ["Report", "check_file"]
