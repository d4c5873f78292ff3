"""Tests of two hundred steps with a prompt budget of 32 000 tokens."""

import asyncio
import re

import pytest
from agent.context.recorded_prompt import prompt_of_call
from agent.journal.reader import journal_of
from agent.token_estimate import tokens_of_messages, tokens_of_tools
from contracts.envelope import answering
from contracts.events.design import DesignSubmitted
from contracts.events.session import CellCompleted, CellRequested
from contracts.models.observation import Observation
from engineer.executors.code import CODE_TOOLS

from tests.agent.journal.assertions import assert_covered
from tests.contracts import example_values as values
from tests.support.noisy_session import NoisySession

WINDOW_TOKENS = 32_000
STEPS = 201
"""The last of them is a cell."""


@pytest.fixture(scope="module")
def session() -> NoisySession:
    """A session that has made its steps; tests only look at it."""
    session = NoisySession(WINDOW_TOKENS)
    asyncio.run(session.run(STEPS, output_chars=2_000))
    return session


@pytest.mark.full
def test_every_prompt_fits_the_window(session: NoisySession) -> None:
    assert len(session.model.prompts) == STEPS
    for prompt, call in zip(session.model.prompts, session.calls, strict=True):
        assert tokens_of_messages(prompt) + tokens_of_tools(CODE_TOOLS) == call.prompt_tokens <= WINDOW_TOKENS
    whole = journal_of(session.bus.events, "engineer").timeline.tokens
    assert whole > 5 * WINDOW_TOKENS, "the conversation itself is much longer"


def test_journal_covers_every_token(session: NoisySession) -> None:
    journal = journal_of(session.bus.events, "engineer")
    assert len({timed.step for timed in journal.timeline.messages}) == STEPS
    assert len(journal.entries) > 20
    assert_covered(journal)


def test_journal_replaces_folded_steps(session: NoisySession) -> None:
    text = session.model.prompts[-1][2].text
    assert session.calls[-1].condensed.folded_steps > STEPS / 2
    traced = set[int]()
    for first, last in re.findall(r"(?m)^- steps (\d+) to (\d+), by entry \d+ of the journal: try", text):
        traced |= set(range(int(first), int(last) + 1))
    traced |= {int(number) for number in re.findall(r"(?m)^- step (\d+):", text)}
    replies = sum(message.author == "assistant" for message in session.model.prompts[-1])
    assert traced == set(range(1, STEPS - replies))


def test_every_condensed_prompt_is_restored(session: NoisySession) -> None:
    for index in (0, 25, 90, 150, STEPS - 1):
        assert prompt_of_call(session.calls[index], session.bus.events) == session.model.prompts[index]
    recorded = [each.message for each in journal_of(session.bus.events, "engineer").timeline.messages]
    assert recorded[:-1] == [message for call in session.calls for message in (*call.new_messages, call.reply)][:-1]


async def test_last_step_submits(session: NoisySession) -> None:
    """The last of these tests: the session goes on."""
    last = [event for event in session.bus.events if isinstance(event, CellRequested)][-1]
    seen = Observation(status="ok")
    done = CellCompleted(**answering(last, "cad-worker"), observation=seen, ending=values.SUBMISSION)
    await session.bus.publish(done)
    (submitted,) = await session.threads.advance(done)
    assert isinstance(submitted, DesignSubmitted)
