"""Tests that a long model call of one run delays no other run in the same process."""

import asyncio
import threading
from collections.abc import Sequence

import critic.app
import critic.settings
from agent.model.providers import offline_chat
from artifacts.settings import S3Settings
from contracts.events.plan import PlanApproved, PlanRejected
from langchain_core.messages import AIMessage, BaseMessage

from tests.agent.example_artifacts import store_example_artifacts
from tests.agent.role_harness import engineering_requested, plan_proposed
from tests.support.clusters.fake_provider import expert_provider

RUNS = 3


async def test_model_calls_of_several_runs_overlap(nats_url: str, database_url: str, s3_settings: S3Settings) -> None:
    together = threading.Barrier(RUNS, timeout=60)

    def answer(messages: Sequence[BaseMessage], _: str) -> AIMessage:
        """Wait until every run's call is here: one after the other, none would ever be answered."""
        together.wait()
        return offline_chat().reply_to(messages)

    with expert_provider({"slow": answer}) as server:
        settings = s3_settings.model_dump() | {
            "nats_url": nats_url,
            "database_url": database_url,
            "openai_api_key": "k",
            "openai_base_url": server.base_url,
        }
        app = critic.app.make_app(critic.settings.Settings.model_validate(settings))
        await app.start()
        try:
            await asyncio.to_thread(store_example_artifacts, s3_settings)
            outcomes = await asyncio.gather(
                *(app.bus.ask(plan_proposed(engineering_requested(model="openai:slow"))) for _ in range(RUNS))
            )
        finally:
            await app.stop()
    assert all(isinstance(outcome, PlanApproved | PlanRejected) for outcome in outcomes)
    assert server.calls == RUNS
