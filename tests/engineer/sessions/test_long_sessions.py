"""Tests of sixty noisy steps: prompts fit the budget, show every step, and are restored from the log."""

import re

import pytest
from agent.token_estimate import tokens_of_messages, tokens_of_tools
from contracts.events.dead_letters import WorkAbandoned
from contracts.models.conversation import Message
from engineer.executors.code import CODE_TOOLS

from tests.support.noisy_session import STEPS, NoisySession

BUDGETS = pytest.mark.parametrize("budget_tokens", [60_000, 20_000, 15_000])


_FINISHED: dict[int | None, NoisySession] = {}


async def _finished(budget_tokens: int | None) -> NoisySession:
    """Return a session that has made its sixty steps; tests only look at it."""
    if budget_tokens not in _FINISHED:
        session = NoisySession(budget_tokens)
        await session.run()
        _FINISHED[budget_tokens] = session
    return _FINISHED[budget_tokens]


def _tokens(prompt: tuple[Message, ...]) -> int:
    return tokens_of_messages(prompt) + tokens_of_tools(CODE_TOOLS)


@pytest.mark.sample(1)
@BUDGETS
async def test_sixty_noisy_steps_fit_the_budget(budget_tokens: int) -> None:
    session = await _finished(budget_tokens)
    assert len(session.model.prompts) == STEPS
    for prompt, call in zip(session.model.prompts, session.calls, strict=True):
        assert _tokens(prompt) == call.prompt_tokens <= budget_tokens
        assert prompt[:2] == session.model.prompts[0]
        assert prompt[-1].text == call.new_messages[-1].text


async def test_session_without_a_budget_is_much_longer() -> None:
    assert (await _finished(None)).calls[-1].prompt_tokens > 1.5 * 60_000


@pytest.mark.sample(2)
@BUDGETS
async def test_every_step_leaves_a_trace_in_the_prompt(budget_tokens: int) -> None:
    session = await _finished(budget_tokens)
    for calls_before, prompt in enumerate(session.model.prompts):
        replies = sum(message.author == "assistant" for message in prompt)
        text = "\n".join(message.text for message in prompt)
        shown = {int(found) for found in re.findall(r"(?m)^- step (\d+):", text)}
        for first, last in re.findall(r"(?m)^- steps (\d+) to (\d+)[:,]", text):
            shown |= set(range(int(first), int(last) + 1))
        assert shown == set(range(1, calls_before - replies + 1))


async def test_old_steps_keep_purpose_error_and_names() -> None:
    session = await _finished(60_000)
    last, condensed = session.model.prompts[-1], session.calls[-1].condensed
    assert 0 < condensed.summarised_steps < condensed.shortened_steps < STEPS - 1
    assert any("\nnew: `part_" in message.text for message in last if message.text.startswith("try "))
    assert len([message for message in last if message.text.startswith("# Observation")]) >= 3
    text = "\n".join(prompt[2].text for prompt in (await _finished(26_000)).model.prompts[10:])
    assert "- step 1: try 1: ok\n" in text
    assert "- step 4: try 4: error, ValueError in line 7: trouble 4\n" in text
    assert "- step 5: `script.py` is written" in text
    assert "- steps 1 to 7, by entry 1 of the journal: try 7 → ok" in text


async def test_unreached_code_and_file_texts_are_left_out() -> None:
    session = NoisySession(60_000)
    await session.run(24)
    condensed = session.calls[-1].condensed
    assert condensed.shortened_steps >= 5
    assert condensed.summarised_steps == 0
    failed, written = [message for message in session.model.prompts[-1] if message.author == "assistant"][3:5]
    assert "# line 7\n# … it stopped here; 53 more lines are left out\n```" in failed.text
    assert len(written.tool_calls[0].arguments_json) < 200


async def test_every_tool_call_keeps_its_answer() -> None:
    session = await _finished(20_000)
    for prompt in session.model.prompts:
        called = [call.call_id for message in prompt for call in message.tool_calls]
        assert called == [message.tool_call_id for message in prompt if message.author == "tool"]


async def test_too_small_budget_abandons_the_work() -> None:
    session = NoisySession(1_500)
    with pytest.raises(AssertionError):  # no request is open
        await session.run(1)
    (abandoned,) = [event for event in session.bus.events if isinstance(event, WorkAbandoned)]
    assert abandoned.reason == "model_failed"
    assert "MODEL_PROMPT_BUDGET_TOKENS allows 1500" in abandoned.detail
    assert session.model.prompts == []
