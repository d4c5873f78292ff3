"""Ranges of bytes in a request (RFC 9110, section 14)."""

import re
from typing import NamedTuple

_RANGE = re.compile(r"bytes=(\d{0,19})-(\d{0,19})")


class UnsatisfiableRangeError(ValueError):
    """A range begins beyond the end."""


class ByteRange(NamedTuple):
    """Some bytes."""

    first: int
    last: int
    """Included."""

    @property
    def length(self) -> int:
        """Number of bytes."""
        return self.last + 1 - self.first

    def header(self, size_bytes: int) -> str:
        """Return the value of Content-Range."""
        return f"bytes {self.first}-{self.last}/{size_bytes}"


def requested_range(header: str | None, size_bytes: int) -> ByteRange | None:
    """Return the range that a Range header asks for; None for all bytes.

    A header with another form, or with several ranges, asks for all: a server may ignore it. Raises
    `UnsatisfiableRangeError`.
    """
    found = _RANGE.fullmatch((header or "").replace(" ", ""))
    if found is None or found.groups() == ("", ""):
        return None
    first, last = found.groups()
    if not first:
        begin, end = max(0, size_bytes - int(last)), size_bytes - 1
        is_empty = int(last) == 0
    else:
        begin, end = int(first), min(int(last or size_bytes), size_bytes - 1)
        if last and int(last) < begin:
            return None
        is_empty = False
    if is_empty or begin >= size_bytes:
        raise UnsatisfiableRangeError(f"the range {found.group()} begins beyond the end of {size_bytes} bytes")
    return ByteRange(begin, end)
