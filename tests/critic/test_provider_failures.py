"""A critic on a real bus, whose provider fails in every way that passes, and then answers at great length."""

import asyncio
import time
from dataclasses import replace

import critic.app
import critic.settings
from artifacts.settings import S3Settings
from chassis.bus import Bus
from contracts.envelope import Event, outcome_id
from contracts.events.conversation import ModelCalled, ReplyRejected
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.plan import PlanProposed, PlanRejected

from tests.agent.example_artifacts import store_example_artifacts
from tests.agent.role_harness import engineering_requested, plan_proposed
from tests.support.clusters.fake_provider import FakeProvider, HttpReply, completion, error

REVIEW = "VERDICT: REJECT\n\n" + "The wall is too löw. " * 10_000
GOOD = completion(REVIEW)
HTML = HttpReply(b"<html>", media_type="text/html")
PASSING = (
    error(500, "oh no"),
    replace(GOOD, claimed_bytes=len(GOOD.body) + 500),
    replace(GOOD, after_s=3.0),
    error(429, "slow down", retry_after="1"),
    HTML,  # a surprise: the message is delivered again
)


async def test_transient_failures_are_retried_and_a_long_answer_arrives(
    nats_url: str, database_url: str, s3_settings: S3Settings
) -> None:
    started_s = time.monotonic()
    outcome, events, requests = await _review(nats_url, database_url, s3_settings, *PASSING, completion("?"), GOOD)
    assert isinstance(outcome, PlanRejected)
    assert outcome.review_md.strip() == REVIEW.partition("\n\n")[2].strip()
    assert [type(event) for event in events] == [ModelCalled, ReplyRejected, ModelCalled]
    assert len(requests) == len(PASSING) + 2
    assert time.monotonic() - started_s > 1.0


async def test_unreadable_answers_lead_to_a_dead_letter(
    nats_url: str, database_url: str, s3_settings: S3Settings
) -> None:
    outcome, events, requests = await _review(nats_url, database_url, s3_settings, HTML)
    assert isinstance(outcome, MessageAbandoned)
    assert outcome.reason == "exhausted"
    assert "OpenAI-compatible" in outcome.detail
    assert events == []
    assert len(requests) == 3


async def _review(
    nats_url: str, database_url: str, s3: S3Settings, *wires: HttpReply
) -> tuple[Event, list[Event], list[object]]:
    """Return the outcome of a plan, the critic's calls and rejections, and the provider's requests."""
    with FakeProvider(*wires) as provider:
        servers = {"nats_url": nats_url, "database_url": database_url, "openai_base_url": provider.base_url}
        fields = s3.model_dump() | servers | {"openai_api_key": "of-no-value", "model_timeout_s": 1.0}
        fields |= {"bus_retry_delay_s": 0.05, "bus_max_deliver": 3}
        app = critic.app.make_app(critic.settings.Settings.model_validate(fields))
        await app.start()
        try:
            store_example_artifacts(s3)
            proposed = plan_proposed(engineering_requested(model="openai:fake"))
            await app.bus.publish(proposed)
            outcome = await _outcome(app.bus, proposed)
            history = await app.bus.history(proposed.run_id)
        finally:
            await app.stop()
        steps: list[Event] = [event for event in history if isinstance(event, ModelCalled | ReplyRejected)]
        return outcome, steps, [*provider.requests]


async def _outcome(bus: Bus, proposed: PlanProposed) -> Event:
    """Wait for the outcome or for the dead letter in its place."""
    async with asyncio.timeout(60):
        while True:
            outcome = await bus.find(proposed.run_id, proposed.role, outcome_id(proposed.id))
            found = outcome or await bus.latest(MessageAbandoned, proposed.run_id)
            if found is not None:
                return found
            await asyncio.sleep(0.05)
