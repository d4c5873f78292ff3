"""What comes over the wire may name anything as its large fields: none of it writes where it must not."""

from collections.abc import Callable
from uuid import UUID

import pytest
from artifacts.port import ArtifactMissingError, reference
from artifacts.testing import FakeArtifacts
from chassis.app import App
from chassis.errors import UnreadableError
from chassis.stream.large_fields import RESTORED_BYTES, LargeFields
from contracts.events.conversation import ModelCalled
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.session import FileWriteRequested, FileWritten
from contracts.models.artifact import ArtifactRef
from nats.js import JetStreamContext

from tests.chassis.test_large_fields import EXAMPLES, LARGE, forged, write_of

MakeApp = Callable[..., App]

ELSEWHERE = (
    *("", "text", "/", "/nothing", "/text/0", "/large_fields", "/step", "/new_messages", "/usage/cost_usd"),
    *("/new_messages/-1/text", "/new_messages/01/text", "/new_messages/1/text", "/new_messages/-/text"),
    *(f"/new_messages/{'9' * 5000}/text", "/new_messages/0/__class__", "/__dict__/model", "/new_messages/0"),
)


@pytest.mark.parametrize("pointer", ELSEWHERE, ids=lambda pointer: pointer[:30])
async def test_a_forged_pointer_writes_nowhere(pointer: str) -> None:
    blobs = FakeArtifacts()
    event = forged(EXAMPLES[ModelCalled], [(pointer, await blobs.put(LARGE.encode(), "text/plain"))])
    with pytest.raises(UnreadableError) as caught:
        await LargeFields(blobs).restore(event)
    assert caught.value.reason == "bad_input"


@pytest.mark.parametrize("pointer", ["/id", "/run_id", "/role", "/occurred_at", "/new_messages/0/text", "/type"])
async def test_a_text_goes_only_where_its_beginning_stands(pointer: str) -> None:
    blobs = FakeArtifacts()
    event = forged(EXAMPLES[ModelCalled], [(pointer, await blobs.put(LARGE.encode(), "text/plain"))])
    with pytest.raises(UnreadableError, match="not the beginning of its text"):
        await LargeFields(blobs).restore(event)


async def test_not_even_a_text_that_begins_like_it_makes_another_event_of_it() -> None:
    blobs = FakeArtifacts()
    event = EXAMPLES[ModelCalled]
    ref = await blobs.put(f"{event.id} and more".encode(), "text/plain")
    with pytest.raises(UnreadableError, match="id: Input should be a valid UUID"):
        await LargeFields(blobs).restore(forged(event, [("/id", ref)]))


async def test_bytes_that_are_no_text_are_refused() -> None:
    blobs = FakeArtifacts()
    event = forged(write_of("a"), [("/text", await blobs.put(b"a\xff", "text/plain"))])
    with pytest.raises(UnreadableError, match="utf-8"):
        await LargeFields(blobs).restore(event)


async def test_nobody_is_made_to_read_more_than_he_can_hold() -> None:
    huge = ArtifactRef(sha256="0" * 64, media_type="text/plain", size_bytes=RESTORED_BYTES)
    event = forged(write_of("a"), [("/text", huge), ("/path", huge)])
    with pytest.raises(UnreadableError, match="more than"):
        await LargeFields(FakeArtifacts()).restore(event)


async def test_a_missing_text_is_no_fault_of_the_message() -> None:
    event = forged(write_of("a"), [("/text", reference(b"abc", "text/plain"))])
    with pytest.raises(ArtifactMissingError):
        await LargeFields(FakeArtifacts()).restore(event)


async def test_a_forged_message_is_abandoned_at_once(make_app: MakeApp, raw: JetStreamContext, run_id: UUID) -> None:
    blobs = FakeArtifacts()
    asker, owner = make_app("engineer"), make_app("cad-worker")

    async def answer(request: FileWriteRequested) -> FileWritten:
        raise AssertionError(f"nobody may see {request}")

    owner.answers(FileWriteRequested, answer)
    for app in (asker, owner):
        app.stores_large_fields_in(blobs)
        await app.start()
    bad = forged(write_of("a", run_id), [("/producer", await blobs.put(LARGE.encode(), "text/plain"))])
    await raw.publish(bad.full_subject, bad.model_dump_json().encode())
    async for event in asker.bus.follow(run_id):
        assert isinstance(event, MessageAbandoned)
        assert (event.reason, event.consumer) == ("bad_input", "cad-worker-file_write-requested")
        break
