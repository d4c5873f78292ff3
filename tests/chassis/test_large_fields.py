"""Large texts travel as artifacts, and nobody notices."""

import json
from collections.abc import Awaitable, Callable, Iterable
from uuid import UUID, uuid4

import pytest
from artifacts.port import reference
from artifacts.testing import FakeArtifacts
from chassis.app import App
from chassis.errors import EventTooLargeError, LargeFieldsError
from chassis.stream.json_pointers import put_text, texts_in
from chassis.stream.large_fields import HEAD_CHARS, LARGE_BYTES, LargeFields, artifacts_in
from chassis.stream.parser import MAX_EVENT_BYTES
from chassis.stream.subjects import STREAM
from chassis.testing import FakeBus
from contracts.envelope import Event, LargeField
from contracts.events.conversation import ModelCalled
from contracts.events.design import DesignValidated
from contracts.events.session import FileRefused, FileWriteRequested, FileWritten
from contracts.models.artifact import ArtifactRef
from contracts.models.conversation import Message
from contracts.registry import EVENTS, parse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nats.js import JetStreamContext
from pydantic import JsonValue, ValidationError

from tests.contracts.examples import full_examples

MakeApp = Callable[..., App]
Eventually = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]

EXAMPLES = full_examples()
LARGE = "ab" * LARGE_BYTES


class ReadyBlobs(FakeArtifacts):
    """Where blobs are said to lie that exist nowhere, such as those that the examples name."""

    async def wait_until_uploaded(self, refs: Iterable[ArtifactRef]) -> None:
        """Return at once."""


def filled(event: Event, texts: dict[str, str]) -> Event | None:
    """Return the event with these texts in place of its own; None if a field cannot hold such a text."""
    value: JsonValue = json.loads(event.model_dump_json())
    for pointer, text in texts.items():
        put_text(value, pointer, text)
    try:
        return type(event).model_validate_json(json.dumps(value))
    except ValidationError:
        return None


def places(event: Event) -> list[str]:
    """Return pointers to all texts of an event that may be of any length."""
    value: JsonValue = json.loads(event.model_dump_json())
    anywhere = (pointer for pointer, _ in texts_in(value) if pointer != "/type")
    return [place for place in anywhere if all(filled(event, {place: text}) is not None for text in ("", LARGE))]


def forged(event: Event, fields: list[tuple[str, ArtifactRef]]) -> Event:
    """Return an event that came over the wire with these large fields."""
    named = tuple(LargeField(pointer=pointer, artifact=ref) for pointer, ref in fields)
    return event.model_copy(update={"large_fields": named})


PLACES = {event_class: found for event_class in EVENTS if (found := places(EXAMPLES[event_class]))}


@pytest.mark.parametrize("event_class", PLACES, ids=lambda event_class: event_class.__name__)
async def test_every_text_of_every_event_may_be_large(event_class: type[Event]) -> None:
    event = EXAMPLES[event_class]
    for pointer in PLACES[event_class]:
        whole = filled(event, {pointer: LARGE})
        assert whole is not None
        large_fields = LargeFields(ReadyBlobs())
        data = await large_fields.travelling(whole)
        assert len(data) < LARGE_BYTES
        travelled = parse(whole.full_subject, data)
        assert [field.pointer for field in travelled.large_fields] == [pointer]
        restored = await large_fields.restored(travelled)
        assert restored == whole
        assert restored.large_fields == ()


LARGE_DATA = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example)

texts = st.one_of(
    st.sampled_from([LARGE_BYTES // 2, LARGE_BYTES // 3, LARGE_BYTES, LARGE_BYTES + 1, 3 * LARGE_BYTES]).flatmap(
        lambda size: st.sampled_from(["a", "é", "€", "😀", "\x00", '"', "\\", "\n~/"]).map(lambda part: part * size)
    ),
    st.text(max_size=50),
)


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=LARGE_DATA)
@given(data=st.data())
async def test_any_event_with_any_texts_comes_back_as_it_was(data: st.DataObject) -> None:
    event_class = data.draw(st.sampled_from(list(PLACES)))
    event = EXAMPLES[event_class]
    chosen = data.draw(st.lists(st.sampled_from(PLACES[event_class]), max_size=4, unique=True))
    whole = filled(event, {pointer: data.draw(texts) for pointer in chosen})
    assert whole is not None
    large_fields = LargeFields(ReadyBlobs())
    travelled = parse(whole.full_subject, await large_fields.travelling(whole))
    leaves = dict(texts_in(json.loads(travelled.model_dump_json())))
    assert all(len(text.encode()) <= LARGE_BYTES for text in leaves.values())
    assert await large_fields.restored(travelled) == whole


async def test_keys_may_hold_what_pointers_are_made_of() -> None:
    event = EXAMPLES[DesignValidated]
    assert isinstance(event, DesignValidated)
    keys = ("a/b", "a~1b", "~0", "/", "", "0", "~", "a~/b")
    steps = {key: reference(key.encode(), LARGE + key) for key in keys}
    delivery = event.delivery.model_copy(update={"part_steps": steps})
    whole = event.model_copy(update={"delivery": delivery})
    large_fields = LargeFields(ReadyBlobs())
    travelled = parse(whole.full_subject, await large_fields.travelling(whole))
    assert len({field.pointer for field in travelled.large_fields}) == len(keys)
    assert await large_fields.restored(travelled) == whole


def write_of(text: str, run_id: UUID | None = None) -> FileWriteRequested:
    """Return a request that carries a text."""
    return FileWriteRequested(
        id=uuid4(), run_id=run_id or uuid4(), role="engineer", producer="engineer", path="script.py", text=text
    )


async def test_what_travels_shows_the_beginning_and_names_the_whole() -> None:
    blobs = FakeArtifacts()
    whole = write_of(LARGE)
    travelled = parse(whole.full_subject, await LargeFields(blobs).travelling(whole))
    assert isinstance(travelled, FileWriteRequested)
    assert travelled.text == LARGE[:HEAD_CHARS]
    assert travelled.large_fields == (LargeField(pointer="/text", artifact=reference(LARGE.encode(), "text/plain")),)
    assert blobs.blobs == {travelled.large_fields[0].artifact.sha256: LARGE.encode()}


async def test_an_app_without_blobs_says_what_it_lacks() -> None:
    event = forged(write_of("a"), [("/text", reference(b"abc", "text/plain"))])
    with pytest.raises(LargeFieldsError, match="stores_large_fields_in"):
        await LargeFields().restored(event)


async def test_nobody_but_the_chassis_names_large_fields() -> None:
    event = forged(write_of("a"), [("/text", reference(b"abc", "text/plain"))])
    with pytest.raises(LargeFieldsError, match="leave that to the chassis"):
        await LargeFields(FakeArtifacts()).travelling(event)


async def test_every_artifact_that_an_event_names_is_waited_for() -> None:
    asked: list[ArtifactRef] = []

    class Asked(FakeArtifacts):
        async def wait_until_uploaded(self, refs: Iterable[ArtifactRef]) -> None:
            asked.extend(refs)

    for event in EXAMPLES.values():
        asked.clear()
        await LargeFields(Asked()).travelling(event)
        named = {text for pointer, text in texts_in(json.loads(event.model_dump_json())) if pointer.endswith("/sha256")}
        assert {ref.sha256 for ref in asked} == {ref.sha256 for ref in artifacts_in(event)}
        assert {ref.sha256 for ref in asked} <= named


async def test_the_bus_in_memory_does_the_same() -> None:
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


async def test_handlers_and_askers_see_whole_texts_and_the_stream_sees_none(
    make_app: MakeApp, raw: JetStreamContext, run_id: UUID
) -> None:
    blobs = FakeArtifacts()
    asker, owner = make_app("engineer"), make_app("cad-worker")
    seen: list[FileWriteRequested] = []

    async def refuse(request: FileWriteRequested) -> FileRefused:
        seen.append(request)
        return FileRefused.answering(request, "cad-worker", path=request.path, reason="read_only", detail=LARGE[::-1])

    owner.answers(FileWriteRequested, refuse)
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
        message = await raw.get_last_msg(STREAM, event.full_subject)
        assert len(message.data or b"") < 2 * HEAD_CHARS


async def test_a_text_that_is_late_costs_tries_and_no_letter(
    make_app: MakeApp, run_id: UUID, eventually: Eventually
) -> None:
    here, there = FakeArtifacts(), FakeArtifacts()
    asker, owner = make_app("engineer"), make_app("cad-worker", bus_max_deliver=1000)

    async def answer(request: FileWriteRequested) -> FileWritten:
        text = request.text.encode()
        return FileWritten.answering(request, "cad-worker", path="a", size_bytes=len(text), sha256="0" * 64)

    owner.answers(FileWriteRequested, answer)
    asker.stores_large_fields_in(here)
    owner.stores_large_fields_in(there)
    await asker.start()
    asked = write_of(LARGE, run_id)
    await asker.bus.publish(asked)
    await owner.start()

    async def was_tried() -> bool:
        return any("try 2" in problem for problem in tried)

    tried: list[str] = []
    got = there.get

    async def get(ref: ArtifactRef) -> bytes:
        tried.append(f"try {len(tried) + 1}")
        return await got(ref)

    there.get = get  # pyright: ignore[reportAttributeAccessIssue] - to count the tries
    await eventually(was_tried)
    there.blobs.update(here.blobs)
    outcome = await asker.bus.ask(asked)
    assert isinstance(outcome, FileWritten)
    assert outcome.size_bytes == len(LARGE)


async def test_an_event_of_many_texts_that_are_not_quite_large_does_not_fit(make_app: MakeApp, run_id: UUID) -> None:
    app = make_app("engineer")
    app.stores_large_fields_in(FakeArtifacts())
    await app.start()
    messages = tuple(Message(author="tool", text="x" * LARGE_BYTES) for _ in range(MAX_EVENT_BYTES // LARGE_BYTES))
    event = EXAMPLES[ModelCalled].model_copy(update={"new_messages": messages, "run_id": run_id})
    with pytest.raises(EventTooLargeError, match="ModelCalled"):
        await app.bus.publish(event)
