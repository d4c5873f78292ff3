"""The recorder publishes dead letters for unreadable messages that no other service consumes."""

from uuid import UUID, uuid4

import pytest
from chassis.delivery.batch_reader import RawMessage
from chassis.observability.metrics import Meters
from chassis.testing import FakeBus
from contracts.events.conversation import JournalEntryAdded
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.run import EnvironmentRequested
from contracts.registry import BY_SUBJECT, EVENTS
from local_stack.service_apps import build_detached_apps
from recorder.event_metrics import EventMetrics
from recorder.handlers import record
from store.database import Database
from store.log import EventLog
from store.settings import DatabaseSettings

from tests.recorder.messages import raw_message


async def dead_letters_for(database_url: str, *messages: RawMessage) -> list[MessageAbandoned]:
    database, bus = Database(DatabaseSettings(database_url=database_url)), FakeBus()
    try:
        for _ in range(2):  # a message that is recorded twice gets one dead letter
            await record(messages, EventLog(database.engine), bus, EventMetrics(Meters("recorder")))
    finally:
        await database.stop()
    return [event for event in bus.events if isinstance(event, MessageAbandoned)]


def test_unconsumed_classes_are_those_without_a_consumer() -> None:
    filters = {planned.config.filter_subject for app in build_detached_apps() for planned in app.planned_consumers}
    consumed = {
        event for subject, event in BY_SUBJECT.items() if any(str(each).startswith(f"{subject}.") for each in filters)
    }
    served_by_thread = {event for event in BY_SUBJECT.values() if event.subject.endswith(".requested")}
    assert set(BY_SUBJECT.values()) - consumed - served_by_thread == {event for event in EVENTS if event.unconsumed}


async def test_unknown_type_gets_a_dead_letter_in_its_run(database_url: str) -> None:
    run_id, message_id = uuid4(), uuid4()
    subject = f"mw.nonsense.happened.{run_id}.engineer.{message_id}"
    (letter,) = await dead_letters_for(database_url, raw_message(subject, b"\0\xff"))
    assert (letter.run_id, letter.role, letter.causation_id) == (run_id, "engineer", message_id)
    assert (letter.reason, letter.producer, letter.consumer) == ("unknown_type", "recorder", "recorder-records")
    assert letter.abandoned_subject == subject


@pytest.mark.parametrize("subject", ["mw", "mw.nonsense", "mw.nonsense.happened.no-run.engineer.1", "mw.a.b.c.d.e\0"])
async def test_subject_without_run_gets_a_dead_letter_in_operations(database_url: str, subject: str) -> None:
    (letter,) = await dead_letters_for(database_url, raw_message(subject, b"{}"))
    assert (letter.run_id, letter.kind) == (UUID(int=0), "operations")


async def test_unreadable_event_with_consumer_gets_no_dead_letter(database_url: str) -> None:
    thread = f"{uuid4()}.planner"
    fact = raw_message(f"{JournalEntryAdded.subject}.{thread}.{uuid4()}", b"{")
    request = raw_message(f"{EnvironmentRequested.subject}.{thread}.{uuid4()}", b"{")
    (letter,) = await dead_letters_for(database_url, fact, request)
    assert (letter.abandoned_subject, letter.reason) == (fact.subject, "bad_input")
