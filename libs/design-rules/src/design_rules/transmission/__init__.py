"""Measurement of what transmits motion: shafts, wheels, racks, guides and the ranges of servos."""
