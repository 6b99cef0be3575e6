"""Dumps: a complete state on disk, and how a run resumes from it."""
