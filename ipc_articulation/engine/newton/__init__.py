"""Newton's method on the incremental potential: where it starts, how far it goes, when it ends, and who is at rest."""
