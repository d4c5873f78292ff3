"""Sixty noisy steps stay within the prompt budget; nothing disappears without a trace; the log tells every prompt."""

import re
from itertools import pairwise

import pytest
from agent.context.replay import seen_in
from agent.context.token_estimate import tokens_of_messages, tokens_of_tools
from contracts.events.dead_letters import WorkAbandoned
from contracts.models.conversation import Message
from engineer.action import TOOLS

from tests.support.noisy_session import STEPS, NoisySession

BUDGETS = pytest.mark.parametrize("budget_tokens", [60_000, 20_000, 9_000])


_FINISHED: dict[int | None, NoisySession] = {}


async def _finished(budget_tokens: int | None) -> NoisySession:
    """Return a session that has made its sixty steps; tests only look at it."""
    if budget_tokens not in _FINISHED:
        session = NoisySession(budget_tokens)
        await session.run()
        _FINISHED[budget_tokens] = session
    return _FINISHED[budget_tokens]


def _tokens(prompt: tuple[Message, ...]) -> int:
    return tokens_of_messages(prompt) + tokens_of_tools(TOOLS)


@BUDGETS
async def test_l5_sixty_noisy_steps_stay_under_the_cap_and_the_newest_observation_is_whole(budget_tokens: int) -> None:
    session = await _finished(budget_tokens)
    assert len(session.model.prompts) == STEPS
    for prompt, call in zip(session.model.prompts, session.calls, strict=True):
        assert _tokens(prompt) == call.prompt_tokens <= budget_tokens
        assert prompt[:2] == session.model.prompts[0]
        assert prompt[-1].text == call.new_messages[-1].text


async def test_without_a_budget_the_same_session_would_be_much_longer() -> None:
    assert (await _finished(None)).calls[-1].prompt_tokens > 1.5 * 60_000


@BUDGETS
async def test_every_step_leaves_a_trace(budget_tokens: int) -> None:
    session = await _finished(budget_tokens)
    for calls_before, prompt in enumerate(session.model.prompts):
        said = sum(message.author == "assistant" for message in prompt)
        text = "\n".join(message.text for message in prompt)
        told = {int(found) for found in re.findall(r"(?m)^- step (\d+):", text)}
        for first, last in re.findall(r"(?m)^- steps (\d+) to (\d+)[:,]", text):
            told |= set(range(int(first), int(last) + 1))
        assert told == set(range(1, calls_before - said + 1))


async def test_old_steps_keep_purpose_error_and_names_and_older_ones_a_line() -> None:
    session = await _finished(60_000)
    last, condensed = session.model.prompts[-1], session.calls[-1].condensed
    assert 0 < condensed.summarised_steps < condensed.shortened_steps < STEPS - 1
    assert any("\nnew: `part_" in message.text for message in last if message.text.startswith("try "))
    assert len([message for message in last if message.text.startswith("# Observation")]) >= 3
    told = "\n".join(prompt[2].text for prompt in (await _finished(20_000)).model.prompts[10:])
    assert "- step 1: try 1: ok\n" in told
    assert "- step 4: try 4: error, ValueError in line 7: trouble 4\n" in told
    assert "- step 5: `script.py` is written" in told
    assert "- steps 1 to 7, by entry 1 of the journal: try 7 → ok" in told


async def test_l5_of_errored_steps_code_that_was_not_reached_is_left_out_and_so_are_texts_of_files() -> None:
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
        asked = [call.call_id for message in prompt for call in message.tool_calls]
        assert asked == [message.tool_call_id for message in prompt if message.author == "tool"]


async def test_prompts_of_several_steps_begin_alike() -> None:
    """Else no provider's cache would ever be hit."""
    session = await _finished(60_000)
    prompts = session.model.prompts
    alike = [later[: len(prompt)] == prompt for prompt, later in pairwise(prompts)]
    assert sum(alike) > len(alike) / 2


async def test_a_memory_that_is_lost_after_every_step_sends_the_same_prompts() -> None:
    steady, forgetful = NoisySession(9_000), NoisySession(9_000)
    await steady.run(12)
    await forgetful.run(12, forgetful=True)
    assert forgetful.calls[-1].condensed.summarised_steps > 0
    assert forgetful.model.prompts == steady.model.prompts


async def test_the_log_tells_every_prompt_and_says_each_message_once() -> None:
    session = await _finished(20_000)
    for prompt, call in zip(session.model.prompts, session.calls, strict=True):
        assert seen_in(call, session.bus.events) == prompt
    assert [len(call.new_messages) for call in session.calls] == [2] + [1] * (STEPS - 1)


async def test_a_budget_too_small_for_prompt_and_task_ends_the_work_and_names_the_setting() -> None:
    session = NoisySession(1_500)
    with pytest.raises(AssertionError):  # there is no request to answer
        await session.run(1)
    (abandoned,) = [event for event in session.bus.events if isinstance(event, WorkAbandoned)]
    assert abandoned.reason == "model_failed"
    assert "MODEL_PROMPT_BUDGET_TOKENS allows 1500" in abandoned.detail
    assert session.model.prompts == []
