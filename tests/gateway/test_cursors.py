"""Cursors: every position has one, and no other text is one."""

import re
from uuid import UUID

import pytest
from gateway.http.cursors import (
    EVENT_CURSOR,
    RUN_CURSOR,
    event_cursor,
    read_event_cursor,
    read_run_cursor,
    run_cursor,
)
from gateway.http.problems import ProblemError
from hypothesis import assume, given
from hypothesis import strategies as st
from store.log import LogPosition
from store.runs import RunPosition

SEQUENCES = st.integers(min_value=0, max_value=2**63 - 1)


@given(sequence=SEQUENCES, id_=st.uuids())
def test_cursor_leads_back_to_its_position(sequence: int, id_: UUID) -> None:
    event, run = LogPosition(sequence, id_), RunPosition(sequence, id_)
    assert read_event_cursor(event_cursor(event)) == event
    assert read_run_cursor(run_cursor(run)) == run
    assert re.fullmatch(EVENT_CURSOR, event_cursor(event))
    assert re.fullmatch(RUN_CURSOR, run_cursor(run))


@given(text=st.from_regex(EVENT_CURSOR, fullmatch=True))
def test_text_that_the_document_permits_is_the_cursor_of_a_position(text: str) -> None:
    assert event_cursor(read_event_cursor(text)) == text


@given(text=st.text(max_size=60))
def test_other_text_is_refused(text: str) -> None:
    assume(not re.fullmatch(EVENT_CURSOR, text))
    with pytest.raises(ProblemError):
        read_event_cursor(text)


@given(sequence=SEQUENCES, id_=st.uuids())
def test_cursor_of_another_list_is_refused(sequence: int, id_: UUID) -> None:
    with pytest.raises(ProblemError):
        read_run_cursor(event_cursor(LogPosition(sequence, id_)))
