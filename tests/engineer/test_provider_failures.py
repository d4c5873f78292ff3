"""Tests of provider failures: no step of the engineer is lost, and none hangs."""

import time
from dataclasses import replace

import pytest
from agent.model.failures import UnreadableAnswerError
from agent.token_prices import spent_by_role
from contracts.events.conversation import ReplyLost, ReplyRejected
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.session import CellRequested

from tests.engineer.engineer_harness import cell_reply
from tests.engineer.provider_harness import ProviderHarness
from tests.support.clusters.fake_provider import HttpReply, completion, error, streamed, tool_call

GOOD = completion(cell_reply("x = 1"))
HTML = HttpReply(b"<html>Sign in to the hotel's network</html>", media_type="text/html")
TOO_LONG = error(400, "This model's maximum context length is 8192 tokens.", "context_length_exceeded")
COMMENT: dict[str, str] = {}
WENT_ON = ["ModelCalled", "CellRequested"]
ASKED_AGAIN = ["ModelCalled", "ReplyRejected", *WENT_ON]


@pytest.mark.parametrize(
    ("wire", "problem"),
    [
        (completion("## Purpose\n\nlook"), "no code to run"),
        (completion(""), "empty"),
        (tool_call("write_file", '{"path": "script.py", "text": '), "Invalid JSON"),
        (tool_call("write_file", '["script.py"]'), "write_file"),
        (tool_call("write_file", "null"), "write_file"),
        (tool_call("write_file", ""), "write_file"),
        (tool_call("rm", "{}"), "The tool `rm` does not exist"),
        (completion(None, refusal="I will not build that."), "I will not build that."),
        (completion("", "content_filter"), "refused"),
        (completion(cell_reply("x = 1"), "length"), "cut off"),
        (completion("half a character: \ud800"), "no code to run"),
    ],
)
async def test_unusable_reply_is_recorded_and_asked_again(wire: HttpReply, problem: str) -> None:
    with ProviderHarness(wire, GOOD) as harness:
        (request,) = await harness.start()
    assert isinstance(request, CellRequested)
    assert harness.reply_events() == ASKED_AGAIN
    (rejected,) = [event for event in harness.bus.events if isinstance(event, ReplyRejected)]
    assert problem in rejected.problem
    again = harness.provider.requests[1]["messages"]
    (*head, answer), shown = again, [each for each in again if each["role"] == "assistant"]
    assert [each["role"] for each in head if each["role"] not in {"assistant", "tool"}] == ["system", "user"]
    assert answer["role"] == "user"
    assert all(each["content"] or each.get("tool_calls") for each in shown)
    assert rejected.problem in answer["content"]
    first, second = await harness.calls()
    assert second.spent.input_tokens == 2 * first.usage.input_tokens


@pytest.mark.parametrize(
    "wire",
    [
        error(429, "slow down"),
        error(500, "oh no"),
        error(503, "busy"),
        error(408, "you were slow"),
    ],
)
async def test_refused_call_is_retried_and_not_recorded(wire: HttpReply) -> None:
    with ProviderHarness(wire, GOOD, model_timeout_s=0.5) as harness:
        (request,) = await harness.start()
    assert isinstance(request, CellRequested)
    assert harness.reply_events() == WENT_ON
    assert len(harness.provider.requests) == 2


@pytest.mark.parametrize(
    ("wire", "reason"),
    [
        (replace(GOOD, claimed_bytes=len(GOOD.body) + 500), "broken"),  # in the middle
        (replace(GOOD, body=GOOD.body[:40], claimed_bytes=len(GOOD.body)), "broken"),
        (replace(GOOD, after_s=3.0), "silence"),  # nothing comes
        (replace(GOOD, byte_every_s=0.2), "silence"),  # bytes come all the time, and never a piece of the reply
        (streamed({"content": "x"}, *[COMMENT] * 10, every_s=0.1), "silence"),  # comments keep the connection alive
    ],
)
async def test_lost_reply_is_recorded_with_its_estimated_cost_and_called_again(wire: HttpReply, reason: str) -> None:
    with ProviderHarness(wire, GOOD, model_timeout_s=0.5) as harness:
        (request,) = await harness.start()
    assert isinstance(request, CellRequested)
    assert harness.reply_events() == ["ReplyLost", *WENT_ON]
    assert len(harness.provider.requests) == 2
    (lost,) = [event for event in harness.bus.events if isinstance(event, ReplyLost)]
    (called,) = await harness.calls()
    assert (lost.reason, lost.attempt, lost.step) == (reason, 1, called.step)
    assert lost.usage.input_tokens >= called.prompt_tokens > 0
    assert lost.usage.output_tokens >= 0
    spent = await spent_by_role(harness.bus, lost.run_id)
    assert spent["engineer"].input_tokens == lost.spent.input_tokens + called.spent.input_tokens


async def test_model_too_slow_for_one_step_is_paid_twice_and_named() -> None:
    with ProviderHarness(replace(GOOD, after_s=20.0), model_timeout_s=1.0) as harness:
        (abandoned,) = await harness.start()
    assert isinstance(abandoned, WorkAbandoned)
    assert abandoned.reason == "model_failed"
    assert "MODEL_TIMEOUT_S" in abandoned.detail
    assert "waited 3 s in all, the last one twice as long" in abandoned.detail
    assert harness.reply_events() == ["ReplyLost", "ReplyLost", "WorkAbandoned"]
    assert len(harness.provider.requests) == 2


async def test_stream_may_take_longer_than_its_silence_limit() -> None:
    pieces = [cell_reply("x = 1")[start : start + 12] for start in range(0, len(cell_reply("x = 1")), 12)]
    wire = streamed(*({"content": piece} for piece in pieces), every_s=0.1)
    with ProviderHarness(wire, model_timeout_s=0.4) as harness:
        (request,) = await harness.start()
    assert isinstance(request, CellRequested)
    assert request.code == "x = 1\n"
    (called,) = await harness.calls()
    assert called.usage.duration_s > 0.4
    assert (called.usage.input_tokens, called.usage.output_tokens) == (10, 5)


async def test_streamed_tool_calls_and_reasoning_are_put_together() -> None:
    deltas = [
        {"role": "assistant", "content": None, "reasoning_content": "I will "},
        {"reasoning_content": "look."},
        {"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "write_file", "arguments": '["scr'}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": 'ipt.py"]'}}]},
    ]
    with ProviderHarness(streamed(*deltas, finish_reason="tool_calls"), GOOD) as harness:
        await harness.start()
    called = (await harness.calls())[0]
    (call,) = called.reply.tool_calls
    assert (call.call_id, call.name, call.arguments_json) == ("c1", "write_file", '["script.py"]')
    assert "I will look." in "".join(called.reply.reasoning)


async def test_retry_after_is_respected() -> None:
    with ProviderHarness(error(429, "slow down", retry_after="1"), GOOD) as harness:
        started_s = time.monotonic()
        await harness.start()
        took_s = time.monotonic() - started_s
    assert 1.0 <= took_s < 4.0
    assert harness.reply_events() == WENT_ON
    assert len(harness.provider.requests) == 2


@pytest.mark.parametrize(
    "wire", [HTML, replace(GOOD, body=GOOD.body[:40]), HttpReply(b'{"choices": []}'), HttpReply(b"null")]
)
async def test_unreadable_body_raises_and_counts_attempts(wire: HttpReply) -> None:
    with ProviderHarness(GOOD, wire, GOOD) as harness:
        first = await harness.start()
        with pytest.raises(UnreadableAnswerError, match=r"openai:fake at 127\.0\.0\.1"):
            await harness.complete_cell(first)
        assert harness.reply_events() == WENT_ON
        (second,) = await harness.complete_cell(first)
    assert isinstance(second, CellRequested)
    assert harness.reply_events() == [*WENT_ON, *WENT_ON]


@pytest.mark.parametrize("refusal", [TOO_LONG, error(413, "Payload Too Large")])
async def test_rejected_long_prompt_is_shortened(refusal: HttpReply) -> None:
    with ProviderHarness(*[GOOD] * 7, refusal, refusal, GOOD) as harness:
        decided = await harness.start()
        for _ in range(7):
            decided = await harness.complete_cell(decided, "noise " * 9_000)
    assert isinstance(decided[0], CellRequested)
    assert harness.reply_events() == WENT_ON * 8
    *_, whole, shorter, shortest = harness.sent_chars()
    assert shortest < shorter < whole
    last = (await harness.calls())[-1]
    assert last.condensed.shortened_steps > 0
    assert "noise" in last.new_messages[-1].text


async def test_prompt_that_cannot_shrink_abandons_the_work() -> None:
    with ProviderHarness(TOO_LONG) as harness:
        (abandoned,) = await harness.start()
    assert isinstance(abandoned, WorkAbandoned)
    assert "maximum context length is 8192 tokens" in abandoned.detail
    whole, short = (request["messages"][0]["content"] for request in harness.provider.requests)
    assert len(short) < len(whole)
