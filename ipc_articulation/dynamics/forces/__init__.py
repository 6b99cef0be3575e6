"""Forces on the joints: passive and actuated."""
