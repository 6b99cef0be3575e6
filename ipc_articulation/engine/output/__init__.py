"""What the engine reports, and writes into the scene."""
