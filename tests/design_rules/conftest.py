"""A floor and a wall, and designs on them."""

from tests.support.small_environment import designs, environment, variant

__all__ = ["designs", "environment", "variant"]
