"""Cursors: every position has one, and no other text is one."""

from uuid import UUID

import pytest
from gateway.http.cursors import (
    CURSOR_CHARS,
    event_cursor,
    read_event_cursor,
    read_run_cursor,
    run_cursor,
)
from gateway.http.problems import ProblemError
from hypothesis import given
from hypothesis import strategies as st
from store.log import LogPosition
from store.runs import RunPosition

SEQUENCES = st.integers(min_value=0, max_value=2**63 - 1)


@given(sequence=SEQUENCES, id_=st.uuids())
def test_cursor_leads_back_to_its_position(sequence: int, id_: UUID) -> None:
    event, run = LogPosition(sequence, id_), RunPosition(sequence, id_)
    assert read_event_cursor(event_cursor(event)) == event
    assert read_run_cursor(run_cursor(run)) == run
    assert len(event_cursor(event)) == CURSOR_CHARS


@given(text=st.text(max_size=60))
def test_other_text_is_refused_or_the_cursor_of_what_it_leads_to(text: str) -> None:
    try:
        position = read_event_cursor(text)
    except ProblemError:
        return
    assert read_event_cursor(event_cursor(position)) == position


@given(sequence=SEQUENCES, id_=st.uuids())
def test_cursor_of_another_list_is_refused(sequence: int, id_: UUID) -> None:
    with pytest.raises(ProblemError):
        read_run_cursor(event_cursor(LogPosition(sequence, id_)))
