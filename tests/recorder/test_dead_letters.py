"""What nobody else reads is complained about by the recorder, and by it alone."""

from uuid import UUID, uuid4

import pytest
from chassis.delivery.raw_reader import RawMessage
from chassis.testing import FakeBus
from contracts.events.conversation import JournalEntryAdded
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.run import EnvironmentRequested
from contracts.registry import BY_SUBJECT
from local_stack.service_apps import build_detached_apps
from recorder.dead_letters import UNHEARD
from recorder.handlers import record
from store.database import Database
from store.log import EventLog
from store.settings import DatabaseSettings

from tests.recorder.messages import recorded_as


async def letters_about(database_url: str, *messages: RawMessage) -> list[MessageAbandoned]:
    database, bus = Database(DatabaseSettings(database_url=database_url)), FakeBus()
    try:
        for _ in range(2):  # recorded again, it is said once
            await record(messages, EventLog(database.engine), bus)
    finally:
        await database.stop()
    return [event for event in bus.events if isinstance(event, MessageAbandoned)]


def test_it_writes_about_the_classes_that_no_service_reads() -> None:
    filters = {planned.config.filter_subject for app in build_detached_apps() for planned in app.reads}
    heard = {
        event for subject, event in BY_SUBJECT.items() if any(str(each).startswith(f"{subject}.") for each in filters)
    }
    by_session = {event for event in BY_SUBJECT.values() if event.subject.endswith(".requested")}
    assert set(BY_SUBJECT.values()) - heard - by_session == UNHEARD


async def test_an_unknown_type_gets_a_letter_in_its_run(database_url: str) -> None:
    run_id, message_id = uuid4(), uuid4()
    subject = f"mw.nonsense.said.{run_id}.engineer.{message_id}"
    (letter,) = await letters_about(database_url, recorded_as(subject, b"\0\xff"))
    assert (letter.run_id, letter.role, letter.causation_id) == (run_id, "engineer", message_id)
    assert (letter.reason, letter.producer, letter.consumer) == ("unknown_type", "recorder", "recorder-records")
    assert letter.abandoned_subject == subject


@pytest.mark.parametrize("subject", ["mw", "mw.nonsense", "mw.nonsense.said.no-run.engineer.1", "mw.a.b.c.d.e\0"])
async def test_what_names_no_run_gets_a_letter_among_operations(database_url: str, subject: str) -> None:
    (letter,) = await letters_about(database_url, recorded_as(subject, b"{}"))
    assert (letter.run_id, letter.kind) == (UUID(int=0), "operations")


async def test_an_unreadable_fact_that_nobody_hears_gets_one_and_a_request_does_not(database_url: str) -> None:
    place = f"{uuid4()}.planner"
    fact = recorded_as(f"{JournalEntryAdded.subject}.{place}.{uuid4()}", b"{")
    request = recorded_as(f"{EnvironmentRequested.subject}.{place}.{uuid4()}", b"{")
    (letter,) = await letters_about(database_url, fact, request)
    assert (letter.abandoned_subject, letter.reason) == (fact.subject, "bad_input")
