"""Kinds of loops in compiled code, and the status that it returns for a state."""

FREE, AFFINE, GIVEN, FOUR_BAR, TELLO_HIP, TELLO_KNEE_ANKLE = range(6)

BAD, OPEN, SINGULAR = 1, 2, 4  # a wrong length or a number that is not finite; an open loop; a singular one

MANIFOLD = 1e-6  # |φ| above which a position is refused
