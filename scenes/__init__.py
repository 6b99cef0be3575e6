"""Scene files to start from; installed as `ipc_articulation.examples`, and named `example:NAME` on the command line."""
