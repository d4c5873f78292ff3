"""Tests of sixty steps with large pictures: prompts fit the budget and are restored from the log."""

import re
from itertools import pairwise

import pytest
from agent.context.recorded_prompt import prompt_of_call
from agent.token_estimate import tokens_of_image, tokens_of_messages, tokens_of_tools
from contracts.models.conversation import Message, Picture
from engineer.executors.code import CODE_TOOLS

from tests.support.noisy_session import STEPS, NoisySession

MOST = 6
BUDGETS = pytest.mark.parametrize("budget_tokens", [60_000, 20_000, 15_000])

_FINISHED: dict[tuple[int | None, int], NoisySession] = {}


async def _finished(budget_tokens: int | None, most_images: int = MOST) -> NoisySession:
    """Return a session of sixty steps, three pictures a cell; tests only look at it."""
    key = (budget_tokens, most_images)
    if key not in _FINISHED:
        _FINISHED[key] = NoisySession(budget_tokens, pictures=3, most_images=most_images)
        await _FINISHED[key].run()
    return _FINISHED[key]


def _images(prompt: tuple[Message, ...]) -> list[Picture]:
    return [image for message in prompt for image in message.images]


@pytest.mark.sample(1)
@BUDGETS
async def test_sixty_steps_with_pictures_fit_the_budget(budget_tokens: int) -> None:
    session = await _finished(budget_tokens)
    assert len(session.model.prompts) == STEPS
    for prompt, call in zip(session.model.prompts, session.calls, strict=True):
        assert tokens_of_messages(prompt) + tokens_of_tools(CODE_TOOLS) == call.prompt_tokens <= budget_tokens
        assert sum(map(tokens_of_image, _images(prompt))) < call.prompt_tokens


@pytest.mark.sample(2)
@BUDGETS
async def test_only_the_newest_pictures_are_sent(budget_tokens: int) -> None:
    session = await _finished(budget_tokens)
    shown: list[Picture] = []
    for prompt, call in zip(session.model.prompts, session.calls, strict=True):
        shown += _images(call.new_messages)
        sent = _images(prompt)
        assert len(sent) <= MOST
        assert sent == shown[len(shown) - len(sent) :]
        if budget_tokens > 15_000:
            assert _images(prompt[-1:]) == _images(call.new_messages), "a new observation has its pictures"


async def test_pictures_are_limited_without_a_budget() -> None:
    session = await _finished(None)
    assert max(len(_images(prompt)) for prompt in session.model.prompts) == MOST
    assert all(
        prompt_of_call(call, session.bus.events) == prompt
        for prompt, call in zip(session.model.prompts, session.calls, strict=True)
    )


async def test_older_pictures_become_captions() -> None:
    session = await _finished(60_000)
    prompt = session.model.prompts[-1]
    sent = {image.caption.partition(": ")[2] for image in _images(prompt)}
    captions = re.findall(r"`(?:picture-\d+: )?(view \d+-\d)`", "\n".join(message.text for message in prompt))
    assert sent <= set(captions)
    assert len(set(captions) - sent) >= 9
    gists = [message.text for message in prompt if "\nshowed: `picture-" in message.text]
    assert gists
    aged = [message for message in prompt if "Pictures that are only named here" in message.text]
    assert aged
    assert not _images(tuple(aged))


async def test_model_without_vision_gets_captions() -> None:
    session = await _finished(60_000, most_images=0)
    for prompt in session.model.prompts:
        assert _images(prompt) == []
    assert session.calls[-1].condensed.captions_only
    shown = [call for call in session.calls if _images(call.new_messages)]
    assert len(shown) > STEPS / 2
    for call in shown:
        captions = ", ".join(f"`{image.caption}`" for image in _images(call.new_messages))
        prompt = session.model.prompts[session.calls.index(call)]
        assert prompt[-1].text.endswith(f"You cannot be sent pictures. Their captions: {captions}.")


@pytest.mark.sample(2)
@BUDGETS
async def test_every_prompt_is_restored_with_its_pictures(budget_tokens: int) -> None:
    session = await _finished(budget_tokens)
    for prompt, call in zip(session.model.prompts, session.calls, strict=True):
        assert prompt_of_call(call, session.bus.events) == prompt


async def test_lost_states_send_the_same_pictures() -> None:
    steady, forgetful = (NoisySession(20_000, pictures=3, most_images=MOST) for _ in range(2))
    await steady.run(12)
    await forgetful.run(12, forgetful=True)
    assert forgetful.calls[-1].condensed.captioned_images > 0
    assert forgetful.model.prompts == steady.model.prompts


async def test_prompt_prefixes_are_shared_with_pictures() -> None:
    session = NoisySession(None, pictures=1, most_images=8)
    await session.run(40)
    prompts = session.model.prompts
    alike = [later[: len(prompt)] == prompt for prompt, later in pairwise(prompts)]
    assert sum(alike) > len(alike) * 2 / 3
