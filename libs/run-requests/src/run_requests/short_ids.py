"""Ids of runs that users shortened to a unique beginning."""

from uuid import UUID

from store.log import EventLog

from run_requests.errors import AmbiguousRunError, UnknownRunError

MIN_DIGITS, WHOLE = 4, 32
"""Of a beginning, and of an id."""
SHOWN = 5
_HEX = frozenset("0123456789abcdef")


def digits_of(text: str) -> str | None:
    """Return the hexadecimal digits of an id, or of at least `MIN_DIGITS` of its beginning; None for another text."""
    digits = text.strip().lower().replace("-", "")
    return digits if MIN_DIGITS <= len(digits) <= WHOLE and _HEX.issuperset(digits) else None


async def find_run(digits: str, log: EventLog) -> UUID:
    """Return the id that begins with these digits, a whole one as it is.

    Raises `UnknownRunError` and `AmbiguousRunError`.
    """
    if len(digits) == WHOLE:
        return UUID(digits)
    found = await log.runs_beginning_with(digits, SHOWN + 1)
    if not found:
        raise UnknownRunError(digits)
    if len(found) > 1:
        raise AmbiguousRunError(digits, found[:SHOWN], has_more=len(found) > SHOWN)
    return found[0]
