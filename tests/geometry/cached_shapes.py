"""Collision geometry that several tests use, computed once."""

from collections.abc import Callable
from functools import cache

from build123d import Location, Solid
from geometry.collision.decomposition import collision_geometry
from geometry.collision.results import CollisionGeometry

TURNED = Location((5, 6, 7), (10, 20, 30))


@cache
def cached_geometry(make: Callable[[], Solid]) -> CollisionGeometry:
    """Return the collision geometry of the solid that a function makes."""
    return collision_geometry(make())
