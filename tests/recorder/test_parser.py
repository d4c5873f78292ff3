"""Parsing messages for the event log."""

import json
from datetime import UTC, datetime

import pytest
from chassis.delivery.batch_reader import RawMessage
from chassis.stream.large_fields import artifacts_in
from contracts.envelope import Event
from contracts.events.session import CellCompleted
from recorder.parser import ParseFailure, parse, reparse
from store.log import LogEntry, UnreadableMessage

from tests.contracts.examples import full_examples

EXAMPLES = full_examples()
CELL = EXAMPLES[CellCompleted]
OTHER_RUN = "0192f0c0-5eed-4000-8000-00000000beef"
TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def message(data: bytes, subject: str = CELL.full_subject, **headers: str) -> RawMessage:
    return RawMessage(subject=subject, sequence=41, data=data, time=datetime.now(UTC), headers=headers)


def cell_message(**changes: object) -> bytes:
    """Return the message of a completed cell with changed fields."""
    return json.dumps(CELL.model_dump(mode="json") | changes).encode()


@pytest.mark.parametrize("event", EXAMPLES.values(), ids=lambda event: event.type)
def test_every_event_is_parsed_with_its_bytes_unchanged(event: Event):
    body = event.model_dump_json(indent=1).encode()
    named = tuple(artifacts_in(event))
    expected = LogEntry(event=event, body=body, stream_sequence=41, artifacts=named)
    assert parse(message(body, event.full_subject)) == expected


def test_traceparent_is_taken_from_the_header():
    entry = parse(message(cell_message(), traceparent=TRACEPARENT))
    assert isinstance(entry, LogEntry)
    assert entry.traceparent == TRACEPARENT


@pytest.mark.parametrize("header", ["", "nonsense", f"{TRACEPARENT}\n", f"{TRACEPARENT}\0"])
def test_invalid_traceparent_is_ignored(header: str):
    entry = parse(message(cell_message(), traceparent=header))
    assert isinstance(entry, LogEntry)
    assert entry.traceparent is None


@pytest.mark.parametrize(
    ("data", "reason", "detail"),
    [
        (b"", "bad_input", "EOF"),
        (b"\x00\xff", "bad_input", "JSON"),
        (b'{"id": "\xed\xa0\x80"}', "bad_input", "JSON"),
        (cell_message(producer="\ud800"), "bad_input", "JSON"),
        (b"[" * 100_000, "bad_input", "JSON"),
        (cell_message(observation="gone"), "bad_input", "observation"),
        (cell_message(schema_version=9), "future_version", "version 9"),
        (cell_message(run_id=OTHER_RUN), "bad_input", OTHER_RUN),
    ],
    ids=["nothing", "bytes", "raw surrogate", "escaped surrogate", "deep", "wrong field", "version", "misplaced"],
)
def test_message_that_is_not_an_event_is_kept_with_reason(data: bytes, reason: str, detail: str):
    failure = parse(message(data))
    assert isinstance(failure, ParseFailure)
    stored = failure.message
    assert (stored.subject, stored.stream_sequence, stored.data) == (CELL.full_subject, 41, data)
    assert failure.cause.reason == reason
    assert detail in failure.cause.detail
    assert failure.message.reason == f"{reason}: {failure.cause.detail}"
    assert reparse(failure.message) is None


@pytest.mark.parametrize("subject", ["mw.nonsense.happened.a.b.c", "mw", "mw.cell.completed"])
def test_message_with_unknown_subject_is_kept(subject: str):
    assert isinstance(parse(message(cell_message(), subject)), ParseFailure)


def test_reason_does_not_quote_the_content():
    failure = parse(message(cell_message(observation="a secret")))
    assert isinstance(failure, ParseFailure)
    assert "secret" not in failure.message.reason


def test_message_that_became_readable_is_reparsed():
    stored = UnreadableMessage(
        subject=CELL.full_subject, stream_sequence=41, data=cell_message(), reason="unknown_type: CellCompleted"
    )
    named = tuple(artifacts_in(CELL))
    assert reparse(stored) == LogEntry(event=CELL, body=cell_message(), stream_sequence=41, artifacts=named)
