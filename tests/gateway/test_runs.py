"""Runs and questions in the API: their lists in pages, filters, and one run."""

from collections.abc import Callable
from uuid import UUID, uuid4

import pytest
from chassis.app import App
from contracts.envelope import Event, answering
from contracts.events.question import QuestionAnswered, QuestionAsked, QuestionFailed
from contracts.events.run import EngineeringRequested
from store.log import EventLog

from tests.gateway.gateway_client import RunningGateway, problem_of
from tests.store.example_runs import EXAMPLES, log_entries, new_request, run_failure, run_success

Reserve = Callable[[int], int]


def request_of(model: str, benchmark: str = "gravity-chute") -> EngineeringRequested:
    request = new_request()
    variant = request.assignment.variant.model_copy(update={"benchmark": benchmark})
    assignment = request.assignment.model_copy(update={"variant": variant})
    return request.model_copy(update={"model": model, "assignment": assignment})


async def listed(gateway: RunningGateway, limit: int, **query: str) -> list[UUID]:
    """Return the runs of all pages."""
    found: list[UUID] = []
    after: str | None = None
    while True:
        parameters = {**query, "limit": str(limit), **({} if after is None else {"after": after})}
        page = (await gateway.client.get("/runs", params=parameters)).raise_for_status().json()
        assert len(page["runs"]) <= limit
        found += [UUID(each["run_id"]) for each in page["runs"]]
        after = page["next"]
        if after is None:
            return found


async def test_pages_of_a_model_hold_each_run_once_newest_first(
    gateway: RunningGateway, log: EventLog, next_sequence: Reserve
) -> None:
    model = f"openai:{uuid4()}"
    requests = [request_of(model) for _ in range(7)]
    await log.append(log_entries(*requests, first_sequence=next_sequence(7)))
    expected = [request.run_id for request in reversed(requests)]
    for limit in (1, 2, 3, 7, 200):
        assert await listed(gateway, limit, model=model) == expected


async def test_run_that_is_recorded_meanwhile_does_not_shift_later_pages(
    gateway: RunningGateway, log: EventLog, next_sequence: Reserve
) -> None:
    model = f"openai:{uuid4()}"
    requests = [request_of(model) for _ in range(4)]
    await log.append(log_entries(*requests, first_sequence=next_sequence(4)))
    query = {"model": model, "limit": "2"}
    first = (await gateway.client.get("/runs", params=query)).json()
    await log.append(log_entries(request_of(model), first_sequence=next_sequence(1)))
    second = (await gateway.client.get("/runs", params={**query, "after": first["next"]})).json()
    shown = [UUID(each["run_id"]) for page in (first, second) for each in page["runs"]]
    assert shown == [request.run_id for request in reversed(requests)]


async def test_filters_select_by_benchmark_and_outcome(
    gateway: RunningGateway, log: EventLog, next_sequence: Reserve
) -> None:
    model = f"openai:{uuid4()}"
    running, failed, solved = (request_of(model, benchmark) for benchmark in ("a", "b", "b"))
    events: list[Event] = [running, failed, run_failure(failed), solved, run_success(solved)]
    await log.append(log_entries(*events, first_sequence=next_sequence(5)))
    assert await listed(gateway, 5, model=model, benchmark="b") == [solved.run_id, failed.run_id]
    assert await listed(gateway, 5, model=model, outcome="failed") == [failed.run_id]
    assert await listed(gateway, 1, model=model, outcome="succeeded", benchmark="b") == [solved.run_id]
    assert await listed(gateway, 5, model=model, outcome="running") == [running.run_id]
    assert await listed(gateway, 5, model=model, outcome="succeeded", benchmark="a") == []


@pytest.mark.parametrize("cursor", ["x" * 34, "short", "A" * 33 + "=", "../../etc", "é" * 34])
async def test_foreign_cursor_is_a_problem(gateway: RunningGateway, cursor: str) -> None:
    response = await gateway.client.get("/runs", params={"after": cursor})
    assert response.status_code in {400, 422}
    problem_of(response, response.status_code)


async def test_cursor_of_events_is_refused_in_the_list_of_runs(
    gateway: RunningGateway, log: EventLog, next_sequence: Reserve
) -> None:
    request = new_request()
    await log.append(log_entries(request, first_sequence=next_sequence(1)))
    events = (await gateway.client.get(f"/runs/{request.run_id}/events")).json()["events"]
    response = await gateway.client.get("/runs", params={"after": events[0]["cursor"]})
    assert "after" in problem_of(response, 422)


async def test_run_shows_its_request_and_its_end(
    gateway: RunningGateway, log: EventLog, next_sequence: Reserve
) -> None:
    request = new_request()
    success = run_success(request)
    await log.append(log_entries(request, success, first_sequence=next_sequence(2)))
    run = (await gateway.client.get(f"/runs/{request.run_id}")).raise_for_status().json()
    assert run["summary"]["outcome"] == "succeeded"
    assert run["assignment"]["variant"]["benchmark"] == request.assignment.variant.benchmark
    assert run["end"]["bill"]["unit_price_usd"] == success.bill.unit_price_usd


async def test_run_is_shown_before_it_is_recorded(gateway: RunningGateway, publisher: App) -> None:
    request = new_request()
    await publisher.bus.publish(request)
    run = (await gateway.client.get(f"/runs/{request.run_id}")).raise_for_status().json()
    assert run["summary"]["outcome"] == "running"
    page = (await gateway.client.get(f"/runs/{request.run_id}/events")).raise_for_status().json()
    assert page == {"events": [], "next": None}


async def test_unknown_run_is_not_found(gateway: RunningGateway) -> None:
    for path in ("", "/events", "/events/live"):
        assert "there is no run" in problem_of(await gateway.client.get(f"/runs/{uuid4()}{path}"), 404)


async def test_answer_that_the_client_has_is_not_sent_again(
    gateway: RunningGateway, log: EventLog, next_sequence: Reserve
) -> None:
    request = new_request()
    await log.append(log_entries(request, first_sequence=next_sequence(2)))
    path = f"/runs/{request.run_id}"
    tag = (await gateway.client.get(path)).headers["etag"]
    again = await gateway.client.get(path, headers={"If-None-Match": f'"other", W/{tag}'})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    await log.append(log_entries(run_failure(request), first_sequence=next_sequence(1)))
    changed = await gateway.client.get(path, headers={"If-None-Match": tag})
    assert changed.status_code == 200
    assert changed.headers["etag"] != tag


def asked() -> QuestionAsked:
    run_id = uuid4()
    example = EXAMPLES[QuestionAsked]
    assert isinstance(example, QuestionAsked)
    return example.model_copy(update={"id": run_id, "run_id": run_id, "kind": "question"})


def answer_of(question: QuestionAsked) -> Event:
    example = EXAMPLES[QuestionAnswered]
    assert isinstance(example, QuestionAnswered)
    return QuestionAnswered(
        **answering(question, "spatial-agent"), answer=example.answer, ending="returned", steps=example.steps
    )


def failure_of(question: QuestionAsked) -> Event:
    return QuestionFailed(
        **answering(question, "spatial-agent"), reason="steps_exhausted", detail="30 steps are used up"
    )


async def test_questions_are_listed_newest_first_with_their_answers(
    gateway: RunningGateway, log: EventLog, next_sequence: Reserve
) -> None:
    first, second, third = asked(), asked(), asked()
    events = [first, second, third, answer_of(first), failure_of(second)]
    await log.append(log_entries(*events, first_sequence=next_sequence(5)))
    own = {str(each.run_id) for each in (first, second, third)}
    shown = (await gateway.client.get("/questions", params={"limit": 2})).raise_for_status().json()
    assert [each["run_id"] for each in shown["questions"]] == [str(third.run_id), str(second.run_id)]
    rest = (await gateway.client.get("/questions", params={"after": shown["next"]})).raise_for_status().json()
    assert rest["questions"][0]["run_id"] == str(first.run_id)
    for outcome, question in (("answered", first), ("failed", second), ("running", third)):
        page = (await gateway.client.get("/questions", params={"outcome": outcome})).raise_for_status().json()
        (found,) = [each for each in page["questions"] if each["run_id"] in own]
        assert (found["run_id"], found["outcome"]) == (str(question.run_id), outcome)
        assert found["text"] == question.question.text
        assert (found["answer"] is not None, found["reason"]) == (
            outcome == "answered",
            "steps_exhausted" if outcome == "failed" else None,
        )


async def test_cursor_of_runs_is_refused_in_the_list_of_questions(
    gateway: RunningGateway, log: EventLog, next_sequence: Reserve
) -> None:
    await log.append(log_entries(asked(), asked(), first_sequence=next_sequence(2)))
    cursor = (await gateway.client.get("/questions", params={"limit": 1})).json()["next"]
    assert "after" in problem_of(await gateway.client.get("/runs", params={"after": cursor}), 422)


@pytest.mark.parametrize("path", ["/runs/{}", "/runs/{}/events", "/pages/runs/{}", "/pages/compare?run={}&run={}"])
async def test_run_is_found_by_a_unique_beginning_of_its_id(
    path: str, gateway: RunningGateway, log: EventLog, next_sequence: Reserve
) -> None:
    shared = uuid4().hex[:12]
    ids = [UUID(shared + digit * 20) for digit in "12"]
    runs = [new_request().model_copy(update={"id": each, "run_id": each}) for each in ids]
    await log.append(log_entries(*runs, first_sequence=next_sequence(2)))
    assert (await gateway.client.get(path.format(f"{shared}1", f"{shared}1"))).status_code == 200
    several = await gateway.client.get(path.format(shared, shared))
    assert several.status_code == 409
    assert all(str(each) in several.text for each in ids)
    assert (await gateway.client.get(path.format(f"{shared}3", f"{shared}3"))).status_code == 404
