"""Groups of the model's geoms, so that a viewer can hide one kind."""

PARTS_GROUP, ZONES_GROUP, FORBID_GROUP = 0, 1, 2
COLLISION_GROUP = 3
"""Collision geometry that is not meant to be looked at: a surface stands for it, or it is a copy. Viewers hide it."""
