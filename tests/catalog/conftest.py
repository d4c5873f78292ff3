"""A connected database."""

from tests.store.conftest import database

__all__ = ["database"]
