"""Tests of the summarizer: summaries are recorded, counted, and restored exactly."""

import asyncio
from collections.abc import Sequence

import pytest
from agent.context.recorded_prompt import prompt_of_call
from agent.journal.reader import journal_of
from agent.model.role_model import Answer, CallSettings
from agent.token_estimate import tokens_of_messages
from agent.token_prices import spent_by_role, total_of
from chassis.testing import FakeBus
from contracts.envelope import Event, answering
from contracts.events.conversation import ModelCalled
from contracts.events.session import CellCompleted, CellRequested
from contracts.models.conversation import Message, Usage
from contracts.models.observation import Observation

from tests.agent.answering_model import AnsweringModel
from tests.agent.journal.journaling_role import JournalingRole
from tests.agent.role_harness import engineering_requested, threads_of

BUDGET_TOKENS = 8_000
STEPS = 60
SUMMARY = "The wall must be 30 mm high; legs of 20 mm failed."


class SummarizingModel(AnsweringModel):
    """Writes long cells and summaries, and records its prompts."""

    def __init__(self) -> None:
        super().__init__(CallSettings(prompt_budget_tokens=BUDGET_TOKENS, summarizes=True))
        self.refuses = False

    def reply(self, messages: Sequence[Message]) -> Answer:
        """Return the next reply with the usage of this call."""
        is_summary = "Context Extraction Assistant" in messages[0].text
        text = f"{SUMMARY} ({len(self.prompts)})" if is_summary else f"{self._does()}\n" + "x = 1\n" * 150
        usage = Usage(input_tokens=tokens_of_messages(messages), output_tokens=10, cost_usd=0.01)
        return Answer(
            Message(author="assistant", text=text), usage, "refused" if is_summary and self.refuses else "complete"
        )

    def _does(self) -> str:
        return "note" if len(self.prompts) % 7 == 0 else "act"


class Episode:
    """A role with this model, and the outcomes of its requests."""

    def __init__(self) -> None:
        self.model, self.bus = SummarizingModel(), FakeBus()
        self.threads = threads_of(JournalingRole(), self.model, self.bus)
        self.opening = engineering_requested()

    async def run(self, steps: int = STEPS, *, forgetful: bool = False) -> None:
        """Make this many steps; if `forgetful`, the thread state is lost twice."""
        event: Event = self.opening
        for step in range(steps):
            await self.bus.publish(event)
            if forgetful and step in {30, 46}:
                await self.threads.forget(event)
            request = (await self.threads.advance(event))[-1]
            assert isinstance(request, CellRequested)
            seen = Observation(status="ok", output=f"line {step}\n" * 60)
            event = CellCompleted(**answering(request, "cad-worker"), observation=seen)

    @property
    def calls(self) -> list[ModelCalled]:
        """The recorded calls of the model."""
        return [event for event in self.bus.events if isinstance(event, ModelCalled)]


@pytest.fixture(scope="module")
def episode() -> Episode:
    """A finished episode, read-only."""
    episode = Episode()
    asyncio.run(episode.run())
    return episode


async def test_summary_call_is_recorded_and_counted_outside_the_conversation(episode: Episode) -> None:
    summaries = [call for call in episode.calls if call.purpose == "memory"]
    assert 1 <= len(summaries) < STEPS / 4, "one call for many steps, not one for each"
    assert len(episode.calls) == STEPS + len(summaries)
    spent = (await spent_by_role(episode.bus, episode.opening.run_id))["engineer"]
    assert spent.input_tokens == sum(call.usage.input_tokens for call in episode.calls)
    assert spent.output_tokens == 10 * len(episode.calls)
    assert abs((spent.cost_usd or 0) - 0.01 * len(episode.calls)) < 1e-9
    assert total_of({"engineer": spent}) == spent
    journal = journal_of(episode.bus.events, "engineer")
    assert all("Context Extraction" not in timed.message.text for timed in journal.timeline.messages)


def test_summary_replaces_folded_steps_and_prompts_are_restored(episode: Episode) -> None:
    assert SUMMARY in episode.model.prompts[-1][2].text
    assert (
        f"Steps 1 to {episode.calls[-1].condensed.recollected_steps}, as you summed them up"
        in episode.model.prompts[-1][2].text
    )
    for prompt, call in zip(episode.model.prompts, episode.calls, strict=True):
        assert prompt_of_call(call, episode.bus.events) == prompt
        assert tokens_of_messages(prompt) == call.prompt_tokens <= BUDGET_TOKENS


async def test_lost_state_is_restored_without_another_summary() -> None:
    steady, forgetful = Episode(), Episode()
    await steady.run(48)
    await forgetful.run(48, forgetful=True)
    assert [call.purpose for call in forgetful.calls] == [call.purpose for call in steady.calls]
    assert [len(prompt) for prompt in forgetful.model.prompts] == [len(prompt) for prompt in steady.model.prompts]
    assert "memory" in {call.purpose for call in steady.calls}


async def test_refused_summary_leaves_the_journal_and_is_paid() -> None:
    episode = Episode()
    episode.model.refuses = True
    await episode.run()
    last = episode.calls[-1]
    assert last.condensed.recollected_steps == 0
    assert "by entry 1 of the journal: try → seen" in episode.model.prompts[-1][2].text
    assert last.spent.output_tokens == 10 * len(episode.calls) > 10 * STEPS
