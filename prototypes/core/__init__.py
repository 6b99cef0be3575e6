"""One core, sketched: bodies as nodes, one contact, one system, one compiled step (see docs/core.md)."""
