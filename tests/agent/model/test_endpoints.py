"""Tests of endpoints: how runs are distributed over several servers of one model."""

import json
from uuid import UUID, uuid4

import pytest
from agent.model.endpoints import FIRST_COOL_DOWN_S, Endpoints
from agent.model.failures import ModelRefusedError, ProviderOutageError
from agent.model.providers import make_endpoints
from agent.model.role_model import RoleModel, model_problem
from agent.settings import ModelSettings
from agent.testing import ScriptedChat
from contracts.models.conversation import Message
from pydantic import SecretStr, ValidationError

from tests.support.clusters.fake_provider import FakeProvider, completion, error
from tests.support.manual_clock import ManualClock

HELLO = [Message(author="user", text="hi")]
MODEL = "openai:fake"


def _endpoints(clock: ManualClock, *names: str) -> Endpoints:
    return Endpoints({name: ScriptedChat(script=[]) for name in names}, clock)


def _take(endpoints: Endpoints, run_id: UUID | None = None, failure: Exception | None = None) -> str:
    """Make one call, which may fail, and return the called endpoint."""
    called: list[str] = []
    try:
        with endpoints.borrow(run_id) as endpoint:
            called.append(endpoint.name)
            if failure is not None:
                raise failure
    except ProviderOutageError:
        if not called:
            raise
    return called[0]


def test_endpoint_with_fewest_active_calls_is_chosen() -> None:
    endpoints = _endpoints(ManualClock(100.0), "a", "b", "c")
    with endpoints.borrow() as first, endpoints.borrow() as second, endpoints.borrow() as third:
        assert [first.name, second.name, third.name] == ["a", "b", "c"]
        with endpoints.borrow() as fourth:
            assert (fourth.name, fourth.busy) == ("a", 2)
    assert _take(endpoints) == "b"  # all are idle; the one with the fewest calls so far


def test_run_keeps_its_endpoint_and_runs_spread() -> None:
    endpoints = _endpoints(ManualClock(100.0), "a", "b")
    runs = [uuid4() for _ in range(4)]
    called = [[_take(endpoints, run) for run in runs] for _ in range(3)]
    assert called == [["a", "b", "a", "b"]] * 3


def test_failed_endpoint_is_avoided_with_growing_pauses() -> None:
    clock, run = ManualClock(100.0), uuid4()
    endpoints = _endpoints(clock, "a", "b")
    assert _take(endpoints, run, ProviderOutageError("gone")) == "a"
    other = uuid4()
    assert [_take(endpoints, each) for each in (run, other, run)] == ["b", "b", "b"]
    clock.now_s += FIRST_COOL_DOWN_S
    assert _take(endpoints, failure=ProviderOutageError("still gone")) == "a"
    clock.now_s += FIRST_COOL_DOWN_S
    assert _take(endpoints) == "b"
    clock.now_s += FIRST_COOL_DOWN_S
    assert _take(endpoints) == "a"
    assert _take(endpoints, run) == "b"  # the run stays where it has gone


def test_first_failed_endpoint_is_retried_when_all_failed() -> None:
    clock = ManualClock(100.0)
    endpoints = _endpoints(clock, "a", "b")
    for _ in range(2):
        _take(endpoints, failure=ProviderOutageError("gone"))
        clock.now_s += 1
    assert _take(endpoints) == "a"


def test_resting_endpoint_is_not_called_even_if_alone() -> None:
    clock = ManualClock(100.0)
    endpoints = _endpoints(clock, "a")
    assert _take(endpoints, failure=ProviderOutageError("busy", pause_s=60)) == "a"
    with pytest.raises(ProviderOutageError, match="pause of 60 s"):
        _take(endpoints)
    clock.now_s += 60
    assert _take(endpoints) == "a"


def test_refusal_does_not_count_as_endpoint_failure() -> None:
    endpoints, run = _endpoints(ManualClock(100.0), "a", "b"), uuid4()
    with pytest.raises(ModelRefusedError), endpoints.borrow(run):
        raise ModelRefusedError("no")
    assert _take(endpoints, run) == "a"


def _served_by(*servers: FakeProvider) -> ModelSettings:
    endpoints = [{"base_url": each.base_url, "api_key": f"key-of-{number}"} for number, each in enumerate(servers, 1)]
    return ModelSettings.model_validate({"model_endpoints": {MODEL: endpoints}, "openai_api_key": None})


async def test_run_moves_to_another_endpoint_when_its_own_dies() -> None:
    run = uuid4()
    with FakeProvider(completion("first")) as first, FakeProvider(completion("second")) as second:
        models = RoleModel.configured(_served_by(first, second))
        replies = [(await models.answer(MODEL, HELLO, (), run)).reply.text for _ in range(2)]
        first.stop()
        with pytest.raises(ProviderOutageError):
            await models.answer(MODEL, HELLO, (), run)
        replies += [(await models.answer(MODEL, HELLO, (), run)).reply.text for _ in range(2)]
    assert replies == ["first", "first", "second", "second"]
    assert first.authorizations == ["Bearer key-of-1"] * 2
    assert second.authorizations == ["Bearer key-of-2"] * 2


async def test_rate_limited_endpoint_loses_its_runs_at_once() -> None:
    busy = error(429, "slow down", retry_after="3600")
    with FakeProvider(busy) as first, FakeProvider(completion("second")) as second:
        models = RoleModel.configured(_served_by(first, second))
        with pytest.raises(ProviderOutageError):
            await models.answer(MODEL, HELLO, ())
        for _ in range(3):
            assert (await models.answer(MODEL, HELLO, ())).reply.text == "second"
    assert len(first.requests) == 1


def test_endpoints_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    endpoints_json = {MODEL: [{"base_url": "http://one:1/v1"}, {"base_url": "http://user:secret@two/v1"}]}
    monkeypatch.setenv("MODEL_ENDPOINTS", json.dumps(endpoints_json))
    settings = ModelSettings(openai_api_key=SecretStr("k"))
    with make_endpoints(MODEL, settings).borrow() as one, make_endpoints(MODEL, settings).borrow() as again:
        assert one.name == again.name == "one:1 (1)"
    endpoints = make_endpoints(MODEL, settings)
    with endpoints.borrow(), endpoints.borrow() as two:
        assert two.name == "two (2)"
    assert "MODEL_PRICES" in str(model_problem(MODEL, settings, priced=True))


@pytest.mark.parametrize(
    "endpoints", [{MODEL: []}, {"anthropic:x": [{"base_url": "http://one/v1"}]}, {MODEL: [{"url": "http://one/v1"}]}]
)
def test_invalid_endpoints_are_rejected(endpoints: object) -> None:
    with pytest.raises(ValidationError):
        ModelSettings.model_validate({"model_endpoints": endpoints})
