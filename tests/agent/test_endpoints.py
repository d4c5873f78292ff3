"""Several servers of one model: runs spread over them, stay where they are, and leave one that fails."""

import json
from uuid import UUID, uuid4

import pytest
from agent.model.endpoints import FIRST_COOL_DOWN_S, Endpoints
from agent.model.failures import ModelAwayError, ModelRefusedError
from agent.model.providers import make_endpoints
from agent.model.role_model import RoleModel, check
from agent.settings import ModelSettings
from agent.testing import ScriptedChat
from contracts.models.conversation import Message
from pydantic import SecretStr, ValidationError

from tests.support.fake_provider import FakeProvider, completion, error

HELLO = [Message(author="user", text="hi")]
MODEL = "openai:fake"


class Clock:
    """A clock that is set by hand."""

    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def _endpoints(clock: Clock, *names: str) -> Endpoints:
    return Endpoints({name: ScriptedChat(script=[]) for name in names}, clock)


def _take(endpoints: Endpoints, run_id: UUID | None = None, failure: Exception | None = None) -> str:
    """Make one call, that fails or not, and return who was asked."""
    asked: list[str] = []
    try:
        with endpoints.taken(run_id) as endpoint:
            asked.append(endpoint.name)
            if failure is not None:
                raise failure
    except ModelAwayError:
        if not asked:
            raise
    return asked[0]


def test_the_one_with_the_fewest_calls_under_way_is_asked() -> None:
    endpoints = _endpoints(Clock(), "a", "b", "c")
    with endpoints.taken() as first, endpoints.taken() as second, endpoints.taken() as third:
        assert [first.name, second.name, third.name] == ["a", "b", "c"]
        with endpoints.taken() as fourth:
            assert (fourth.name, fourth.busy) == ("a", 2)
    assert _take(endpoints) == "b"  # all are idle; the one with the fewest calls so far


def test_a_run_keeps_its_server_and_runs_spread() -> None:
    endpoints = _endpoints(Clock(), "a", "b")
    runs = [uuid4() for _ in range(4)]
    asked = [[_take(endpoints, run) for run in runs] for _ in range(3)]
    assert asked == [["a", "b", "a", "b"]] * 3


def test_a_server_that_fails_is_left_alone_for_a_while_and_longer_each_time() -> None:
    clock, run = Clock(), uuid4()
    endpoints = _endpoints(clock, "a", "b")
    assert _take(endpoints, run, ModelAwayError("gone")) == "a"
    other = uuid4()
    assert [_take(endpoints, each) for each in (run, other, run)] == ["b", "b", "b"]
    clock.now_s += FIRST_COOL_DOWN_S
    assert _take(endpoints, failure=ModelAwayError("still gone")) == "a"
    clock.now_s += FIRST_COOL_DOWN_S
    assert _take(endpoints) == "b"
    clock.now_s += FIRST_COOL_DOWN_S
    assert _take(endpoints) == "a"
    assert _take(endpoints, run) == "b"  # the run stays where it has gone


def test_when_all_have_failed_the_one_that_failed_first_is_tried_again() -> None:
    clock = Clock()
    endpoints = _endpoints(clock, "a", "b")
    for _ in range(2):
        _take(endpoints, failure=ModelAwayError("gone"))
        clock.now_s += 1
    assert _take(endpoints) == "a"


def test_a_server_that_asks_to_be_left_alone_is_not_asked_even_if_it_is_the_only_one() -> None:
    clock = Clock()
    endpoints = _endpoints(clock, "a")
    assert _take(endpoints, failure=ModelAwayError("busy", rest_s=60)) == "a"
    with pytest.raises(ModelAwayError, match="a asked to be left alone for 60 s more"):
        _take(endpoints)
    clock.now_s += 60
    assert _take(endpoints) == "a"


def test_what_the_model_refuses_is_no_fault_of_its_server() -> None:
    endpoints, run = _endpoints(Clock(), "a", "b"), uuid4()
    with pytest.raises(ModelRefusedError), endpoints.taken(run):
        raise ModelRefusedError("no")
    assert _take(endpoints, run) == "a"


def _served_by(*servers: FakeProvider) -> ModelSettings:
    endpoints = [{"base_url": each.base_url, "api_key": f"key-of-{number}"} for number, each in enumerate(servers, 1)]
    return ModelSettings.model_validate({"model_endpoints": {MODEL: endpoints}, "openai_api_key": None})


async def test_a_run_goes_on_at_the_other_server_when_its_own_dies() -> None:
    run = uuid4()
    with FakeProvider(completion("first")) as first, FakeProvider(completion("second")) as second:
        models = RoleModel.configured(_served_by(first, second))
        said = [(await models.answer(MODEL, HELLO, (), run)).reply.text for _ in range(2)]
        first.stop()
        with pytest.raises(ModelAwayError):
            await models.answer(MODEL, HELLO, (), run)
        said += [(await models.answer(MODEL, HELLO, (), run)).reply.text for _ in range(2)]
    assert said == ["first", "first", "second", "second"]
    assert first.authorizations == ["Bearer key-of-1"] * 2
    assert second.authorizations == ["Bearer key-of-2"] * 2


async def test_a_server_that_is_too_busy_sends_its_runs_to_the_other_one_at_once() -> None:
    busy = error(429, "slow down", retry_after="3600")
    with FakeProvider(busy) as first, FakeProvider(completion("second")) as second:
        models = RoleModel.configured(_served_by(first, second))
        with pytest.raises(ModelAwayError):
            await models.answer(MODEL, HELLO, ())
        for _ in range(3):
            assert (await models.answer(MODEL, HELLO, ())).reply.text == "second"
    assert len(first.requests) == 1


def test_endpoints_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    told = {MODEL: [{"base_url": "http://one:1/v1"}, {"base_url": "http://user:secret@two/v1"}]}
    monkeypatch.setenv("MODEL_ENDPOINTS", json.dumps(told))
    settings = ModelSettings(openai_api_key=SecretStr("k"))
    with make_endpoints(MODEL, settings).taken() as one, make_endpoints(MODEL, settings).taken() as again:
        assert one.name == again.name == "one:1 (1)"
    endpoints = make_endpoints(MODEL, settings)
    with endpoints.taken(), endpoints.taken() as two:
        assert two.name == "two (2)"
    assert "nobody knows what" in str(check(MODEL, settings, priced=True))


@pytest.mark.parametrize(
    "told", [{MODEL: []}, {"anthropic:x": [{"base_url": "http://one/v1"}]}, {MODEL: [{"url": "http://one/v1"}]}]
)
def test_endpoints_that_make_no_sense_are_refused(told: object) -> None:
    with pytest.raises(ValidationError):
        ModelSettings.model_validate({"model_endpoints": told})
