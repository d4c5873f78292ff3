"""The variant of a small environment."""

from tests.support.small_environment import variant

__all__ = ["variant"]
