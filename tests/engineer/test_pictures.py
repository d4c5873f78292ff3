"""What a cell shows reaches the engineer's model, through the log and the store, whatever is lost on the way."""

from base64 import b64encode
from collections.abc import Iterable
from typing import Any

import pytest
from agent.model.role_model import RoleModel, Vision
from agent.settings import ModelSettings
from artifacts.client import Artifacts
from artifacts.port import ArtifactStore, ArtifactsUnavailableError
from artifacts.testing import FakeArtifacts
from chassis.testing import FakeBus
from contracts.envelope import Role
from contracts.events.conversation import ModelCalled
from contracts.events.session import CellCompleted
from contracts.models.artifact import ArtifactRef
from contracts.models.observation import ShownImage
from engineer.app import make_app
from engineer.settings import Settings

from tests.engineer.engineer_harness import EngineerHarness, cell_reply

SEES = "show(part)"


class FlakyArtifacts(FakeArtifacts):
    """Unavailable while `is_away` is set."""

    is_away = False

    async def get(self, ref: ArtifactRef) -> bytes:
        if self.is_away:
            raise ArtifactsUnavailableError("the bucket", "no answer")
        return await super().get(ref)


class TrustingArtifacts(FakeArtifacts):
    """Believes that what the examples name was uploaded."""

    async def wait_until_uploaded(self, refs: Iterable[ArtifactRef]) -> None:
        """Wait for nothing."""


async def _shown(artifacts: FakeArtifacts, *labels: str) -> tuple[ShownImage, ...]:
    return tuple(
        [
            ShownImage(
                label=label,
                artifact=await artifacts.put(f"png of {label}".encode(), "image/png"),
                width_px=960,
                height_px=720,
            )
            for label in labels
        ]
    )


def _blocks(content: str | list[Any]) -> list[str]:
    """Return a message's blocks: text as it is, a picture as its base64."""
    assert isinstance(content, list), content
    return [block["text"] if block["type"] == "text" else block["base64"] for block in content]


def _calls(bus: FakeBus) -> list[ModelCalled]:
    return [event for event in bus.events if isinstance(event, ModelCalled)]


async def test_pictures_follow_the_observation_in_order() -> None:
    artifacts = FakeArtifacts()
    harness = EngineerHarness(cell_reply(SEES), cell_reply("next"), vision=Vision(artifacts, takes_images=True))
    (request,) = await harness.start()
    await harness.complete_cell(request, "done", images=await _shown(artifacts, "bracket", "hinge"))
    text, *pictures = _blocks(harness.chat.conversations[-1][-1].content)
    assert text.startswith("# Observation of cell 1\n\n**The cell ran**")
    assert "- 1. `bracket`, 960 x 720 pixels\n- 2. `hinge`, 960 x 720 pixels" in text
    assert pictures == [
        "Picture 1 of 2: bracket",
        b64encode(b"png of bracket").decode(),
        "Picture 2 of 2: hinge",
        b64encode(b"png of hinge").decode(),
    ]


async def test_events_name_pictures_without_bytes() -> None:
    artifacts = FakeArtifacts()
    harness = EngineerHarness(cell_reply(SEES), cell_reply("next"), vision=Vision(artifacts, takes_images=True))
    shown = await _shown(artifacts, "bracket")
    await harness.complete_cell((await harness.start())[0], images=shown)
    (message,) = _calls(harness.bus)[-1].new_messages
    (image,) = message.images
    assert (image.caption, image.artifact, image.width_px, image.height_px) == (
        "bracket",
        shown[0].artifact,
        960,
        720,
    )
    assert "showed: `bracket`" in message.gist.splitlines()
    logged = "".join(event.model_dump_json() for event in harness.bus.events)
    assert b64encode(b"png of bracket").decode() not in logged


async def test_unavailable_store_costs_no_call() -> None:
    artifacts = FlakyArtifacts()
    harness = EngineerHarness(cell_reply(SEES), cell_reply("next"), vision=Vision(artifacts, takes_images=True))
    (request,) = await harness.start()
    artifacts.is_away = True
    with pytest.raises(ArtifactsUnavailableError):
        await harness.complete_cell(request, images=await _shown(artifacts, "bracket"))
    assert (harness.chat.calls, len(_calls(harness.bus))) == (1, 1)
    artifacts.is_away = False
    completed = next(event for event in harness.bus.events if isinstance(event, CellCompleted))
    assert await harness.consume(completed)
    assert (harness.chat.calls, len(_calls(harness.bus))) == (2, 2)
    assert len(_blocks(harness.chat.conversations[-1][-1].content)) == 3


async def test_large_model_call_keeps_its_pictures() -> None:
    artifacts = TrustingArtifacts()
    harness = EngineerHarness(
        cell_reply(SEES),
        cell_reply("# " + "x" * 100_000),
        bus=FakeBus(artifacts),
        vision=Vision(artifacts, takes_images=True),
    )
    await harness.complete_cell((await harness.start())[0], images=await _shown(artifacts, "first"))
    stored = _calls(harness.bus)[-1]
    assert stored.large_fields
    found = await harness.bus.find(stored.run_id, "engineer", stored.id)
    assert isinstance(found, ModelCalled)
    assert found.new_messages[-1].images == stored.new_messages[-1].images
    assert len(found.reply.text) > 100_000


def test_engineer_app_has_an_artifact_store(monkeypatch: pytest.MonkeyPatch) -> None:
    configured, stores, roles = RoleModel.configured, list[ArtifactStore | None](), list[Role | None]()

    def noted(
        settings: ModelSettings, artifacts: ArtifactStore | None = None, *, role: Role | None = None, **others: Any
    ) -> RoleModel:
        stores.append(artifacts)
        roles.append(role)
        return configured(settings, artifacts, role=role, **others)

    monkeypatch.setattr(RoleModel, "configured", noted)
    servers = {"database_url": "postgresql://nowhere/x", "s3_endpoint": "nowhere:1", "s3_secret_key": "k"}
    make_app(Settings.model_validate({**servers, "s3_access_key": "k"}))
    assert [type(store) for store in stores] == [Artifacts]
    assert roles == ["engineer"]
