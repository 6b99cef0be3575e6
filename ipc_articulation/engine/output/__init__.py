"""Reports of the engine, and values that it writes into the scene."""
