"""A model call is not made where its loss could not be recorded."""

import pytest
from agent.loop.lost_replies import LostReplies, StepCall
from agent.model.role_model import Answer
from chassis.errors import FutureVersionError
from chassis.testing import FakeBus

from tests.agent.role_harness import engineering_requested


async def test_losses_that_only_a_newer_version_can_read_are_met_before_the_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After it, each repetition would be charged and none recorded."""
    bus, calls = FakeBus(), list[int]()

    async def read_newer(*_: object) -> None:
        raise FutureVersionError("future_version", "schema version 9 is newer than 3")

    async def ask(patience: int) -> Answer:
        calls.append(patience)
        raise AssertionError("the call was made")

    monkeypatch.setattr(bus, "latest", read_newer)
    call = StepCall(engineering_requested(), 0, "a model", "act")
    with pytest.raises(FutureVersionError):
        await LostReplies(bus, "engineer").guard(call, ask)
    assert calls == []
