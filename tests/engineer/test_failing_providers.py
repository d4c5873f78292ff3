"""Whatever a provider does, the engineer's part ends as it should: no step is lost, and none hangs."""

import time
from dataclasses import replace

import pytest
from agent.model.failures import UnreadableAnswerError
from contracts.events.conversation import ReplyRejected
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.session import CellRequested

from tests.engineer.walking import cell
from tests.engineer.wired_walk import WiredWalk
from tests.support.fake_provider import HttpReply, completion, error, tool_call

GOOD = completion(cell("x = 1"))
HTML = HttpReply(b"<html>Sign in to the hotel's network</html>", media_type="text/html")
TOO_LONG = error(400, "This model's maximum context length is 8192 tokens.", "context_length_exceeded")
WENT_ON = ["ModelCalled", "CellRequested"]
ASKED_AGAIN = ["ModelCalled", "ReplyRejected", *WENT_ON]
GAVE_UP = [*["ModelCalled", "ReplyRejected"] * 2, "ModelCalled", "WorkAbandoned"]


async def test_a_good_reply_is_asked_for_once() -> None:
    with WiredWalk(GOOD) as walk:
        (request,) = await walk.begin()
    assert isinstance(request, CellRequested)
    assert request.code == "x = 1\n"
    assert walk.told() == WENT_ON
    assert len(walk.provider.requests) == 1


@pytest.mark.parametrize(
    ("wire", "problem"),
    [
        (completion("## Purpose\n\nlook"), "exactly the sections"),
        (completion(""), "empty"),
        (tool_call("write_file", '{"path": "script.py", "text": '), "Invalid JSON"),
        (tool_call("write_file", '["script.py"]'), "write_file"),
        (tool_call("write_file", "null"), "write_file"),
        (tool_call("write_file", ""), "write_file"),
        (tool_call("rm", "{}"), "There is no tool `rm`"),
        (completion(None, refusal="I will not build that."), "I will not build that."),
        (completion("", "content_filter"), "refused"),
        (completion(cell("x = 1"), "length"), "cut off"),
        (completion("half a character: \ud800"), "exactly the sections"),
    ],
)
async def test_what_cannot_be_used_is_recorded_told_to_the_model_and_asked_again(wire: HttpReply, problem: str) -> None:
    with WiredWalk(wire, GOOD) as walk:
        (request,) = await walk.begin()
    assert isinstance(request, CellRequested)
    assert walk.told() == ASKED_AGAIN
    (rejected,) = [event for event in walk.bus.events if isinstance(event, ReplyRejected)]
    assert problem in rejected.problem
    again = walk.provider.requests[1]["messages"]
    assert [message["role"] for message in again] == ["system", "user", "user"]
    assert rejected.problem in again[-1]["content"]
    first, second = await walk.calls()
    assert second.spent.input_tokens == 2 * first.usage.input_tokens


@pytest.mark.parametrize("wire", [completion("no sections"), completion(None, refusal="no"), completion("x", "length")])
async def test_what_can_never_be_used_ends_the_engineers_part(wire: HttpReply) -> None:
    with WiredWalk(wire) as walk:
        (abandoned,) = await walk.begin()
    assert isinstance(abandoned, WorkAbandoned)
    assert abandoned.reason == "model_failed"
    assert walk.told() == GAVE_UP


async def test_calls_that_are_no_objects_are_kept_as_they_were_written() -> None:
    with WiredWalk(tool_call("write_file", '["script.py"]'), GOOD) as walk:
        await walk.begin()
    (call,) = (await walk.calls())[0].reply.tool_calls
    assert (call.name, call.arguments_json) == ("write_file", '["script.py"]')


@pytest.mark.parametrize(
    "wire",
    [
        error(429, "slow down"),
        error(500, "oh no"),
        error(503, "busy"),
        error(408, "you were slow"),
        replace(GOOD, claimed_bytes=len(GOOD.body) + 500),  # the connection breaks in the middle
        replace(GOOD, body=GOOD.body[:40], claimed_bytes=len(GOOD.body)),
        replace(GOOD, after_s=3.0),  # nothing comes
        replace(GOOD, byte_every_s=0.2),  # something comes all the time, and never all of it
    ],
)
async def test_what_may_pass_is_waited_for_and_leaves_no_trace(wire: HttpReply) -> None:
    with WiredWalk(wire, GOOD, model_timeout_s=0.5) as walk:
        (request,) = await walk.begin()
    assert isinstance(request, CellRequested)
    assert walk.told() == WENT_ON
    assert len(walk.provider.requests) == 2


async def test_a_provider_is_left_alone_for_as_long_as_it_asks() -> None:
    with WiredWalk(error(429, "slow down", retry_after="1"), GOOD) as walk:
        started_s = time.monotonic()
        await walk.begin()
        took_s = time.monotonic() - started_s
    assert 1.0 <= took_s < 4.0
    assert walk.told() == WENT_ON
    assert len(walk.provider.requests) == 2


@pytest.mark.parametrize(
    "wire", [HTML, replace(GOOD, body=GOOD.body[:40]), HttpReply(b'{"choices": []}'), HttpReply(b"null")]
)
async def test_what_is_no_answer_at_all_is_a_surprise_whose_tries_count(wire: HttpReply) -> None:
    with WiredWalk(GOOD, wire, GOOD) as walk:
        first = await walk.begin()
        with pytest.raises(UnreadableAnswerError, match=r"openai:fake at 127\.0\.0\.1"):
            await walk.observe(first)
        assert walk.told() == WENT_ON
        (second,) = await walk.observe(first)
    assert isinstance(second, CellRequested)
    assert walk.told() == [*WENT_ON, *WENT_ON]


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 422])
async def test_a_provider_that_says_no_ends_the_engineers_part_in_its_words(status: int) -> None:
    with WiredWalk(GOOD, error(status, "the moon is too near")) as walk:
        (abandoned,) = await walk.observe(await walk.begin())
    assert isinstance(abandoned, WorkAbandoned)
    assert abandoned.reason == "model_failed"
    assert "the moon is too near" in abandoned.detail
    assert walk.told() == [*WENT_ON, "WorkAbandoned"]
    assert len(walk.provider.requests) == 2


async def test_an_answer_of_200_kb_is_kept_whole() -> None:
    code = "x = 1  # " + "ü" * 100_000
    with WiredWalk(completion(cell(code))) as walk:
        (request,) = await walk.begin()
    assert isinstance(request, CellRequested)
    assert request.code == code + "\n"
    (call,) = await walk.calls()
    assert code in call.reply.text
    assert len(call.reply.text.encode()) > 200_000


@pytest.mark.parametrize("refusal", [TOO_LONG, error(413, "Payload Too Large")])
async def test_a_prompt_that_is_too_long_after_all_is_shortened_and_the_work_goes_on(refusal: HttpReply) -> None:
    with WiredWalk(*[GOOD] * 7, refusal, refusal, GOOD) as walk:
        decided = await walk.begin()
        for _ in range(7):
            decided = await walk.observe(decided, "noise " * 9_000)
    assert isinstance(decided[0], CellRequested)
    assert walk.told() == WENT_ON * 8
    *_, whole, shorter, shortest = walk.sent_chars()
    assert shortest < shorter < whole
    last = (await walk.calls())[-1]
    assert last.condensed.shortened_steps > 0
    assert "noise" in last.new_messages[-1].text


async def test_a_prompt_of_which_nothing_can_be_left_out_ends_the_engineers_part() -> None:
    with WiredWalk(TOO_LONG) as walk:
        (abandoned,) = await walk.begin()
    assert isinstance(abandoned, WorkAbandoned)
    assert "maximum context length is 8192 tokens" in abandoned.detail
    assert len(walk.provider.requests) == 1
