"""What is kept to search by. Columns take whatever anybody said: nothing that is said may stop who writes it down.

The words themselves are kept as bytes; text and times are copies, and where Postgres cannot hold one, it is bent.
"""

from datetime import UTC, datetime

from sqlalchemy import DateTime, Dialect, Text
from sqlalchemy.types import TypeDecorator


class SearchText(TypeDecorator[str]):
    """Text in which NUL and lone surrogates are spelled out."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Return what Postgres takes."""
        del dialect
        if value is None:
            return None
        return value.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


class SearchTime(TypeDecorator[datetime]):
    """A moment of the years 1 to 9999; what lies beyond them in UTC counts as their first or last moment."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return what Postgres takes."""
        del dialect
        if value is None:
            return None
        try:
            return value.astimezone(UTC)
        except OverflowError:
            return (datetime.min if value.year == 1 else datetime.max).replace(tzinfo=UTC)
