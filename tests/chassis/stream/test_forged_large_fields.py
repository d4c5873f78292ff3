"""Large fields of a forged message cannot overwrite other fields."""

from uuid import UUID

import pytest
from artifacts.port import ArtifactMissingError, reference
from artifacts.testing import FakeArtifacts
from chassis.errors import UnreadableError
from chassis.stream.large_fields import RESTORED_BYTES, LargeFields
from contracts.events.conversation import ModelCalled
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.session import FileWriteRequested, FileWritten
from contracts.models.artifact import ArtifactRef
from nats.js import JetStreamContext

from tests.chassis.fixture_types import MakeApp
from tests.chassis.stream.large_events import EXAMPLES, LARGE, with_large_fields, write_of

WRONG_POINTERS = (
    *("", "text", "/", "/nothing", "/text/0", "/large_fields", "/step", "/new_messages", "/usage/cost_usd"),
    *("/new_messages/-1/text", "/new_messages/01/text", "/new_messages/1/text", "/new_messages/-/text"),
    *(f"/new_messages/{'9' * 5000}/text", "/new_messages/0/__class__", "/__dict__/model", "/new_messages/0"),
)


@pytest.mark.parametrize("pointer", WRONG_POINTERS, ids=lambda pointer: pointer[:30])
async def test_forged_pointer_is_refused(pointer: str) -> None:
    blobs = FakeArtifacts()
    event = with_large_fields(EXAMPLES[ModelCalled], [(pointer, await blobs.put(LARGE.encode(), "text/plain"))])
    with pytest.raises(UnreadableError) as caught:
        await LargeFields(blobs).restore(event)
    assert caught.value.reason == "bad_input"


@pytest.mark.parametrize("pointer", ["/id", "/run_id", "/role", "/occurred_at", "/new_messages/0/text", "/type"])
async def test_text_replaces_only_its_own_beginning(pointer: str) -> None:
    blobs = FakeArtifacts()
    event = with_large_fields(EXAMPLES[ModelCalled], [(pointer, await blobs.put(LARGE.encode(), "text/plain"))])
    with pytest.raises(UnreadableError, match="not the beginning"):
        await LargeFields(blobs).restore(event)


async def test_text_with_the_right_beginning_cannot_change_the_id() -> None:
    blobs = FakeArtifacts()
    event = EXAMPLES[ModelCalled]
    ref = await blobs.put(f"{event.id} and more".encode(), "text/plain")
    with pytest.raises(UnreadableError, match="id: Input should be a valid UUID"):
        await LargeFields(blobs).restore(with_large_fields(event, [("/id", ref)]))


async def test_artifact_that_is_not_utf8_is_refused() -> None:
    blobs = FakeArtifacts()
    event = with_large_fields(write_of("a"), [("/text", await blobs.put(b"a\xff", "text/plain"))])
    with pytest.raises(UnreadableError, match="utf-8"):
        await LargeFields(blobs).restore(event)


async def test_large_fields_above_the_memory_limit_are_refused() -> None:
    huge = ArtifactRef(sha256="0" * 64, media_type="text/plain", size_bytes=RESTORED_BYTES)
    event = with_large_fields(write_of("a"), [("/text", huge), ("/path", huge)])
    with pytest.raises(UnreadableError, match=str(RESTORED_BYTES)):
        await LargeFields(FakeArtifacts()).restore(event)


async def test_missing_artifact_is_not_bad_input() -> None:
    event = with_large_fields(write_of("a"), [("/text", reference(b"abc", "text/plain"))])
    with pytest.raises(ArtifactMissingError):
        await LargeFields(FakeArtifacts()).restore(event)


async def test_forged_message_is_abandoned(make_app: MakeApp, js: JetStreamContext, run_id: UUID) -> None:
    blobs = FakeArtifacts()
    asker, owner = make_app("engineer"), make_app("cad-worker")

    async def answer(request: FileWriteRequested) -> FileWritten:
        raise AssertionError(f"{request} reached the handler")

    owner.answers(FileWriteRequested, answer)
    for app in (asker, owner):
        app.stores_large_fields_in(blobs)
        await app.start()
    bad = with_large_fields(write_of("a", run_id), [("/producer", await blobs.put(LARGE.encode(), "text/plain"))])
    await js.publish(bad.full_subject, bad.model_dump_json().encode())
    async for event in asker.bus.follow(run_id):
        assert isinstance(event, MessageAbandoned)
        assert (event.reason, event.consumer) == ("bad_input", "cad-worker-file_write-requested")
        break
