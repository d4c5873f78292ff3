"""Cursors: positions in lists and in the log, as short texts without a meaning for clients."""

import base64
import re
from http import HTTPStatus
from typing import Literal
from uuid import UUID

from store.log import LogPosition
from store.runs import RunPosition

from gateway.http.problems import ProblemError

_SEQUENCE_BYTES = 8
CURSOR_CHARS = 34
_REST = rf"[A-Za-z0-9_-]{{{CURSOR_CHARS - 3}}}[AQgw]"
"""After the letter of the list and the beginning of a sequence below 2**63: the last character has two bits."""
EVENT_CURSOR = rf"^Z[Q-X]{_REST}$"
RUN_CURSOR = rf"^c[g-n]{_REST}$"
QUESTION_CURSOR = rf"^c[Q-X]{_REST}$"
"""Patterns that every cursor of a list has, and no other text."""
Kind = Literal[b"e", b"r", b"q"]
_EVENT: Kind = b"e"
_RUN: Kind = b"r"
_QUESTION: Kind = b"q"
_PATTERNS = {_EVENT: EVENT_CURSOR, _RUN: RUN_CURSOR, _QUESTION: QUESTION_CURSOR}


def event_cursor(position: LogPosition) -> str:
    """Return the cursor of an event."""
    return _encoded(_EVENT, position.sequence, position.id)


def run_cursor(position: RunPosition) -> str:
    """Return the cursor of a run in the list of runs."""
    return _encoded(_RUN, position.sequence, position.run_id)


def question_cursor(position: RunPosition) -> str:
    """Return the cursor of a question in the list of questions."""
    return _encoded(_QUESTION, position.sequence, position.run_id)


def read_event_cursor(cursor: str) -> LogPosition:
    """Return the position of an event; raise `ProblemError` for any other text."""
    return LogPosition(*_decoded(_EVENT, cursor))


def read_run_cursor(cursor: str) -> RunPosition:
    """Return the position of a run; raise `ProblemError` for any other text."""
    return RunPosition(*_decoded(_RUN, cursor))


def read_question_cursor(cursor: str) -> RunPosition:
    """Return the position of a question; raise `ProblemError` for any other text."""
    return RunPosition(*_decoded(_QUESTION, cursor))


def _encoded(kind: Kind, sequence: int, id_: UUID) -> str:
    packed = kind + sequence.to_bytes(_SEQUENCE_BYTES, "big") + id_.bytes
    return base64.urlsafe_b64encode(packed).rstrip(b"=").decode()


def _decoded(kind: Kind, cursor: str) -> tuple[int, UUID]:
    if re.fullmatch(_PATTERNS[kind], cursor) is None:
        raise _invalid(cursor)
    packed = base64.urlsafe_b64decode(f"{cursor}==")
    return int.from_bytes(packed[1 : 1 + _SEQUENCE_BYTES], "big"), UUID(bytes=packed[1 + _SEQUENCE_BYTES :])


def _invalid(cursor: str) -> ProblemError:
    detail = f"the cursor {cursor[:80]!r} is not one of this list: use one from an earlier answer, or leave it out"
    return ProblemError(HTTPStatus.BAD_REQUEST, detail, "Invalid cursor")
