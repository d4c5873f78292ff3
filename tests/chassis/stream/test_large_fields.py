"""Large texts are stored as artifacts, unnoticed by handlers."""

import json
from collections.abc import Iterable
from uuid import UUID

import pytest
from artifacts.port import reference
from artifacts.testing import FakeArtifacts
from chassis.errors import EventTooLargeError, LargeFieldsError
from chassis.stream.large_fields import HEAD_CHARS, LARGE_BYTES, LargeFields, artifacts_in, put_text, texts_in
from chassis.stream.parser import MAX_EVENT_BYTES
from chassis.subjects import STREAM
from chassis.testing import FakeBus
from contracts.envelope import Event, LargeField, answering
from contracts.events.conversation import ModelCalled
from contracts.events.session import FileRefused, FileWriteRequested, FileWritten
from contracts.models.artifact import ArtifactRef
from contracts.models.conversation import Message
from contracts.registry import EVENTS, parse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nats.js import JetStreamContext
from pydantic import JsonValue, ValidationError

from tests.chassis.fixture_types import Eventually, MakeApp
from tests.chassis.stream.large_events import EXAMPLES, LARGE, with_large_fields, write_of


class UncheckedArtifacts(FakeArtifacts):
    """Takes every artifact for uploaded, also those that only the examples name."""

    async def wait_until_uploaded(self, refs: Iterable[ArtifactRef]) -> None:
        """Return at once."""


def with_texts(event: Event, texts: dict[str, str]) -> Event | None:
    """Return the event with these texts by JSON pointer; None if a field does not allow its text."""
    value: JsonValue = json.loads(event.model_dump_json())
    for pointer, text in texts.items():
        put_text(value, pointer, text)
    try:
        return type(event).model_validate_json(json.dumps(value))
    except ValidationError:
        return None


def free_texts(event: Event) -> list[str]:
    """Return the JSON pointers of all texts of an event that may have any length."""
    value: JsonValue = json.loads(event.model_dump_json())
    pointers = (pointer for pointer, _ in texts_in(value) if pointer != "/type")
    return [each for each in pointers if all(with_texts(event, {each: text}) is not None for text in ("", LARGE))]


FREE_TEXTS = {event_class: found for event_class in EVENTS if (found := free_texts(EXAMPLES[event_class]))}


@pytest.mark.parametrize("event_class", FREE_TEXTS, ids=lambda event_class: event_class.__name__)
async def test_every_text_of_every_event_can_be_large(event_class: type[Event]) -> None:
    event = EXAMPLES[event_class]
    for pointer in FREE_TEXTS[event_class]:
        whole = with_texts(event, {pointer: LARGE})
        assert whole is not None
        large_fields = LargeFields(UncheckedArtifacts())
        data = await large_fields.encode(whole)
        assert len(data) < LARGE_BYTES
        encoded = parse(whole.full_subject, data)
        assert [field.pointer for field in encoded.large_fields] == [pointer]
        restored = await large_fields.restore(encoded)
        assert restored == whole
        assert restored.large_fields == ()


LARGE_DATA = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example)

texts = st.one_of(
    st.sampled_from([LARGE_BYTES // 2, LARGE_BYTES // 3, LARGE_BYTES, LARGE_BYTES + 1, 3 * LARGE_BYTES]).flatmap(
        lambda size: st.sampled_from(["a", "é", "€", "😀", "\x00", '"', "\\", "\n~/"]).map(lambda part: part * size)
    ),
    st.text(max_size=50),
)


@settings(max_examples=30, deadline=None, derandomize=True, suppress_health_check=LARGE_DATA)
@given(data=st.data())
async def test_any_event_with_any_texts_is_restored(data: st.DataObject) -> None:
    event_class = data.draw(st.sampled_from(list(FREE_TEXTS)))
    event = EXAMPLES[event_class]
    chosen = data.draw(st.lists(st.sampled_from(FREE_TEXTS[event_class]), max_size=4, unique=True))
    whole = with_texts(event, {pointer: data.draw(texts) for pointer in chosen})
    assert whole is not None
    large_fields = LargeFields(UncheckedArtifacts())
    encoded = parse(whole.full_subject, await large_fields.encode(whole))
    leaves = dict(texts_in(json.loads(encoded.model_dump_json())))
    assert all(len(text.encode()) <= LARGE_BYTES for text in leaves.values())
    assert await large_fields.restore(encoded) == whole


def test_keys_with_pointer_syntax_are_escaped() -> None:
    keys = ("a/b", "a~1b", "~0", "/", "", "0", "~", "a~/b")
    whole: JsonValue = {"texts": {key: f"text of {key}" for key in keys}}
    restored: JsonValue = {"texts": dict.fromkeys(keys, "")}
    for pointer, text in texts_in(whole):
        put_text(restored, pointer, text)
    assert restored == whole


async def test_encoded_event_has_the_beginning_and_the_artifact() -> None:
    blobs = FakeArtifacts()
    whole = write_of(LARGE)
    encoded = parse(whole.full_subject, await LargeFields(blobs).encode(whole))
    assert isinstance(encoded, FileWriteRequested)
    assert encoded.text == LARGE[:HEAD_CHARS]
    assert encoded.large_fields == (LargeField(pointer="/text", artifact=reference(LARGE.encode(), "text/plain")),)
    assert blobs.blobs == {encoded.large_fields[0].artifact.sha256: LARGE.encode()}


async def test_restoring_without_a_store_names_the_remedy() -> None:
    event = with_large_fields(write_of("a"), [("/text", reference(b"abc", "text/plain"))])
    with pytest.raises(LargeFieldsError, match="stores_large_fields_in"):
        await LargeFields().restore(event)


async def test_event_with_large_fields_cannot_be_published() -> None:
    event = with_large_fields(write_of("a"), [("/text", reference(b"abc", "text/plain"))])
    with pytest.raises(LargeFieldsError, match="names large fields"):
        await LargeFields(FakeArtifacts()).encode(event)


async def test_publishing_waits_for_every_artifact_of_an_event() -> None:
    awaited: list[ArtifactRef] = []

    class AwaitedArtifacts(FakeArtifacts):
        async def wait_until_uploaded(self, refs: Iterable[ArtifactRef]) -> None:
            awaited.extend(refs)

    for event in EXAMPLES.values():
        awaited.clear()
        await LargeFields(AwaitedArtifacts()).encode(event)
        named = {text for pointer, text in texts_in(json.loads(event.model_dump_json())) if pointer.endswith("/sha256")}
        assert {ref.sha256 for ref in awaited} == {ref.sha256 for ref in artifacts_in(event)}
        assert {ref.sha256 for ref in awaited} <= named


async def test_fake_bus_stores_large_texts_as_artifacts() -> None:
    bus = FakeBus(FakeArtifacts())
    whole = write_of(LARGE)
    await bus.publish(whole)
    assert bus.events[0].large_fields
    assert await bus.find(whole.run_id, whole.role, whole.id) == whole
    assert await bus.latest(FileWriteRequested, whole.run_id) == whole
    assert await bus.history(whole.run_id) == [whole]
    async for followed in bus.follow(whole.run_id):
        assert followed == whole
        break


async def test_handlers_get_large_texts_that_the_stream_lacks(
    make_app: MakeApp, js: JetStreamContext, run_id: UUID
) -> None:
    blobs = FakeArtifacts()
    asker, owner = make_app("engineer"), make_app("cad-worker")
    seen: list[FileWriteRequested] = []

    async def make_outcome(request: FileWriteRequested) -> FileRefused:
        seen.append(request)
        return FileRefused(
            **answering(request, "cad-worker"), path=request.path, reason="read_only", detail=LARGE[::-1]
        )

    owner.answers(FileWriteRequested, make_outcome)
    for app in (asker, owner):
        app.stores_large_fields_in(blobs)
        await app.start()
    asked = write_of(LARGE, run_id)
    outcome = await asker.bus.ask(asked)
    assert isinstance(outcome, FileRefused)
    assert outcome.detail == LARGE[::-1]
    assert seen == [asked]
    assert await asker.bus.history(run_id) == [asked, outcome]
    assert await asker.bus.latest(FileRefused, run_id) == outcome
    for event in (asked, outcome):
        message = await js.get_last_msg(STREAM, event.full_subject)
        assert len(message.data or b"") < 2 * HEAD_CHARS


async def test_late_artifact_costs_attempts_but_no_dead_letter(
    make_app: MakeApp, run_id: UUID, eventually: Eventually
) -> None:
    here, there = FakeArtifacts(), FakeArtifacts()
    asker, owner = make_app("engineer"), make_app("cad-worker", bus_max_deliver=1000)

    async def answer(request: FileWriteRequested) -> FileWritten:
        text = request.text.encode()
        return FileWritten(**answering(request, "cad-worker"), path="a", size_bytes=len(text), sha256="0" * 64)

    owner.answers(FileWriteRequested, answer)
    asker.stores_large_fields_in(here)
    owner.stores_large_fields_in(there)
    await asker.start()
    asked = write_of(LARGE, run_id)
    await asker.bus.publish(asked)
    await owner.start()

    async def was_tried_twice() -> bool:
        return attempts >= 2

    attempts = 0
    get_stored = there.get

    async def get(ref: ArtifactRef) -> bytes:
        nonlocal attempts
        attempts += 1
        return await get_stored(ref)

    there.get = get  # pyright: ignore[reportAttributeAccessIssue] - to count the attempts
    await eventually(was_tried_twice)
    there.blobs.update(here.blobs)
    outcome = await asker.bus.ask(asked)
    assert isinstance(outcome, FileWritten)
    assert outcome.size_bytes == len(LARGE)


async def test_many_texts_just_below_the_limit_do_not_fit(make_app: MakeApp, run_id: UUID) -> None:
    app = make_app("engineer")
    app.stores_large_fields_in(FakeArtifacts())
    await app.start()
    messages = tuple(Message(author="tool", text="x" * LARGE_BYTES) for _ in range(MAX_EVENT_BYTES // LARGE_BYTES))
    event = EXAMPLES[ModelCalled].model_copy(update={"new_messages": messages, "run_id": run_id})
    with pytest.raises(EventTooLargeError, match="ModelCalled"):
        await app.bus.publish(event)
