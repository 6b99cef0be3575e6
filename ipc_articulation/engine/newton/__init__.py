"""Newton's method for the incremental potential: its start, its step lengths, its end, and bodies at rest."""
