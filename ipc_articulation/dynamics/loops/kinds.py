"""Kinds of loops that compiled code tells apart."""

FREE, AFFINE, GIVEN, FOUR_BAR, TELLO_HIP, TELLO_KNEE_ANKLE = range(6)
