"""Bodies as nodes: their numbers, a scene as flat arrays for compiled code, and what can be said at any coordinates."""
