"""What the recorder makes of a message, whatever it contains."""

import json
from datetime import UTC, datetime

import pytest
from chassis.delivery.raw_reader import RawMessage
from contracts.envelope import Event
from contracts.events.session import CellCompleted
from recorder.parser import Misread, read, read_again
from store.log import LogEntry, UnreadableMessage

from tests.contracts.examples import full_examples

EXAMPLES = full_examples()
CELL = EXAMPLES[CellCompleted]
TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def message(data: bytes, subject: str = CELL.full_subject, **headers: str) -> RawMessage:
    return RawMessage(subject=subject, sequence=41, data=data, time=datetime.now(UTC), headers=headers)


def told(**changes: object) -> bytes:
    """Return the message of a completed cell with some fields told otherwise."""
    return json.dumps(CELL.model_dump(mode="json") | changes).encode()


@pytest.mark.parametrize("event", EXAMPLES.values(), ids=lambda event: event.type)
def test_every_event_is_read_with_its_text_untouched(event: Event):
    body = event.model_dump_json(indent=1).encode()
    assert read(message(body, event.full_subject)) == LogEntry(event=event, body=body, stream_sequence=41)


def test_the_trace_travels_along():
    entry = read(message(told(), traceparent=TRACEPARENT))
    assert isinstance(entry, LogEntry)
    assert entry.traceparent == TRACEPARENT


@pytest.mark.parametrize("header", ["", "nonsense", f"{TRACEPARENT}\n", f"{TRACEPARENT}\0"])
def test_a_header_of_another_form_is_no_trace(header: str):
    entry = read(message(told(), traceparent=header))
    assert isinstance(entry, LogEntry)
    assert entry.traceparent is None


@pytest.mark.parametrize(
    ("data", "reason", "says"),
    [
        (b"", "bad_input", "EOF"),
        (b"\x00\xff", "bad_input", "JSON"),
        (b'{"id": "\xed\xa0\x80"}', "bad_input", "JSON"),
        (told(producer="\ud800"), "bad_input", "JSON"),
        (b"[" * 100_000, "bad_input", "JSON"),
        (told(observation="gone"), "bad_input", "observation"),
        (told(schema_version=2), "future_version", "update this service"),
        (told(run_id="0192f0c0-5eed-4000-8000-00000000beef"), "bad_input", "0192f0c0-5eed-4000-8000-00000000beef"),
    ],
    ids=["nothing", "bytes", "raw surrogate", "escaped surrogate", "deep", "wrong field", "version", "misplaced"],
)
def test_what_is_no_event_of_ours_is_kept_with_the_reason(data: bytes, reason: str, says: str):
    misread = read(message(data))
    assert isinstance(misread, Misread)
    assert (misread.kept.subject, misread.kept.stream_sequence, misread.kept.data) == (CELL.full_subject, 41, data)
    assert misread.cause.reason == reason
    assert says in misread.cause.detail
    assert misread.kept.reason == f"{reason}: {misread.cause.detail}"
    assert read_again(misread.kept) == misread.kept


@pytest.mark.parametrize("subject", ["mw.nonsense.said.a.b.c", "mw", "mw.cell.completed"])
def test_an_unknown_or_broken_subject_is_kept_too(subject: str):
    assert isinstance(read(message(told(), subject)), Misread)


def test_the_reason_never_repeats_what_was_said():
    misread = read(message(told(observation="a secret")))
    assert isinstance(misread, Misread)
    assert "secret" not in misread.kept.reason


def test_what_was_unreadable_once_is_read_again():
    kept = UnreadableMessage(
        subject=CELL.full_subject, stream_sequence=41, data=told(), reason="unknown_type: CellCompleted"
    )
    assert read_again(kept) == LogEntry(event=CELL, body=told(), stream_sequence=41)
