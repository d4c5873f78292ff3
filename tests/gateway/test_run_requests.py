"""Requests of runs by the API: new ones, continuations, cancellations."""

from collections.abc import Callable
from uuid import UUID, uuid4

import pytest
from artifacts.client import Artifacts
from artifacts.port import reference
from benchmarks.loader import CODE_TYPE
from chassis.app import App
from contracts.events.run import CancelRequested, EngineeringRequested
from contracts.events.session import CellCompleted
from contracts.models.benchmark import Limits
from gateway.settings import Settings
from store.log import EventLog

from tests.gateway.gateway_client import RunningGateway, problem_of
from tests.store.example_runs import EXAMPLES, log_entries, new_request, run_failure, with_code

Reserve = Callable[[int], int]
BENCHMARK = "gravity-chute"


async def published(publisher: App, run_id: UUID) -> EngineeringRequested:
    """Return the request of a run in the stream."""
    request = await publisher.bus.latest(EngineeringRequested, run_id)
    assert request is not None
    return request


async def test_requested_run_is_in_the_stream_with_all_that_was_given(gateway: RunningGateway, publisher: App) -> None:
    body = {
        "benchmark": BENCHMARK,
        "seed": 3,
        "model": "offline",
        "quantity": 7,
        "limits": {"max_parts": 12},
        "budget": {"max_steps": 5, "deadline_s": 60},
        "executor": "single_pass",
    }
    response = await gateway.client.post("/runs", json=body)
    assert response.status_code == 202
    accepted = response.json()
    assert response.headers["location"] == accepted["run"] == f"/runs/{accepted['run_id']}"
    request = await published(publisher, UUID(accepted["run_id"]))
    variant = request.assignment.variant
    assert (variant.benchmark, variant.seed, request.assignment.quantity) == (BENCHMARK, 3, 7)
    assert (request.assignment.limits.max_parts, request.budget.max_steps, request.budget.deadline_s) == (12, 5, 60)
    assert (request.executor, request.producer, request.model) == ("single_pass", "gateway", "offline")
    assert request.assignment.limits.max_mass_kg == (await benchmark_limits(gateway)).max_mass_kg


async def benchmark_limits(gateway: RunningGateway) -> Limits:
    shown = (await gateway.client.get(f"/benchmarks/{BENCHMARK}", params={"seed": "3"})).raise_for_status()
    return Limits.model_validate(shown.json()["limits"])


async def test_same_key_is_the_same_run(gateway: RunningGateway, publisher: App) -> None:
    headers = {"Idempotency-Key": str(uuid4())}
    first = await gateway.client.post("/runs", json={"benchmark": BENCHMARK, "seed": 1}, headers=headers)
    again = await gateway.client.post("/runs", json={"benchmark": BENCHMARK, "seed": 2}, headers=headers)
    assert first.json() == again.json()
    run_id = UUID(first.json()["run_id"])
    assert (await published(publisher, run_id)).assignment.variant.seed == 1
    assert len(await publisher.bus.history(run_id)) == 1


async def test_key_of_a_run_is_another_one_for_a_quote(gateway: RunningGateway) -> None:
    headers = {"Idempotency-Key": str(uuid4())}
    await gateway.client.post("/runs", json={"benchmark": BENCHMARK}, headers=headers)
    accepted = await gateway.client.post("/quotes", files={"file": ("part.step", b"")}, headers=headers)
    quote = await gateway.client.get(accepted.raise_for_status().json()["run"])
    assert quote.raise_for_status().json()["requested"]["name"] == "part.step"


@pytest.mark.sample(5)
@pytest.mark.parametrize(
    ("body", "status", "word"),
    [
        ({"benchmark": "no-such-benchmark"}, 404, "GET /benchmarks"),
        ({"benchmark": "../../etc"}, 422, "benchmark"),
        ({"benchmark": "/etc/passwd"}, 422, "benchmark"),
        ({"benchmark": BENCHMARK, "model": "unheard-of:model"}, 409, "unheard-of"),
        ({"benchmark": BENCHMARK, "seed": -1}, 422, "seed"),
        ({"benchmark": BENCHMARK, "seed": 2**70}, 422, "seed"),
        ({"benchmark": BENCHMARK, "limits": {"max_partz": 3}}, 422, "max_partz"),
        ({"benchmark": BENCHMARK, "budget": {"max_steps": 10**9}}, 422, "max_steps"),
        ({"benchmark": BENCHMARK, "budget": {"max_rejections": False}}, 422, "max_rejections"),
        ({"benchmark": BENCHMARK, "limits": {"max_parts": "3"}}, 422, "max_parts"),
        ({"benchmark": BENCHMARK, "seed": True}, 422, "seed"),
        ({"benchmark": BENCHMARK, "producer": "planner"}, 422, "producer"),
        ({}, 422, "benchmark"),
    ],
)
async def test_invalid_request_names_the_fault(
    gateway: RunningGateway, body: dict[str, object], status: int, word: str
) -> None:
    assert word in problem_of(await gateway.client.post("/runs", json=body), status)


async def test_folder_with_a_benchmark_is_not_read(gateway: RunningGateway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("libs/benchmarks/src/benchmarks")
    problem_of(await gateway.client.get("/benchmarks/template"), 404)


async def test_cancellation_is_published_once(gateway: RunningGateway, publisher: App) -> None:
    request = new_request()
    await publisher.bus.publish(request)
    for _ in range(2):
        assert (await gateway.client.post(f"/runs/{request.run_id}/cancel")).status_code == 202
    cancelled = [each for each in await publisher.bus.history(request.run_id) if isinstance(each, CancelRequested)]
    assert [(each.causation_id, each.producer) for each in cancelled] == [(request.id, "gateway")]


async def test_run_that_has_ended_cannot_be_cancelled(gateway: RunningGateway, publisher: App) -> None:
    request = new_request()
    await publisher.bus.publish(request)
    await publisher.bus.publish(run_failure(request))
    assert "has ended" in problem_of(await gateway.client.post(f"/runs/{request.run_id}/cancel"), 409)
    problem_of(await gateway.client.post(f"/runs/{uuid4()}/cancel"), 404)


async def test_run_whose_files_are_lost_cannot_be_continued(
    gateway: RunningGateway, log: EventLog, next_sequence: Reserve
) -> None:
    lost = reference(uuid4().bytes, CODE_TYPE)  # no other test stores it
    earlier = with_code(new_request().model_copy(update={"continues": None}), lost)
    await log.append(log_entries(earlier, run_failure(earlier), first_sequence=next_sequence(2)))
    response = await gateway.client.post(f"/runs/{earlier.run_id}/continue", json={"instruction": "again"})
    assert "is not in bucket" in problem_of(response, 409)


async def test_continued_run_names_the_earlier_one(
    gateway: RunningGateway, publisher: App, log: EventLog, artifacts: Artifacts, next_sequence: Reserve
) -> None:
    code = await artifacts.put(b"# nothing\n", CODE_TYPE)
    earlier = with_code(new_request().model_copy(update={"continues": None}), code)
    body = {"instruction": "use fewer legs", "quantity": 3}
    path = f"/runs/{earlier.run_id}/continue"
    problem_of(await gateway.client.post(path, json=body), 404)
    await log.append(log_entries(earlier, first_sequence=next_sequence(2)))
    assert "has not ended" in problem_of(await gateway.client.post(path, json=body), 409)
    await log.append(log_entries(run_failure(earlier), first_sequence=next_sequence(1)))
    accepted = (await gateway.client.post(path, json=body)).raise_for_status().json()
    request = await published(publisher, UUID(accepted["run_id"]))
    assert request.continues is not None
    assert (request.continues.attempts, request.continues.says) == ((earlier.run_id,), "use fewer legs")
    assert (request.assignment.quantity, request.model) == (3, earlier.model)
    problem_of(await gateway.client.post(path, json={"instruction": "  "}), 422)


async def test_forked_run_goes_on_from_a_cell_of_a_run_that_has_not_ended(
    gateway: RunningGateway, publisher: App, log: EventLog, artifacts: Artifacts, next_sequence: Reserve
) -> None:
    code = await artifacts.put(b"# nothing\n", CODE_TYPE)
    earlier = with_code(new_request().model_copy(update={"continues": None}), code)
    cell = EXAMPLES[CellCompleted].model_copy(
        update={"id": uuid4(), "run_id": earlier.run_id, "role": "engineer", "ending": None}
    )
    await log.append(log_entries(earlier, cell, first_sequence=next_sequence(2)))
    path = f"/runs/{earlier.run_id}/forks"
    body = {"cell": 1, "instruction": "use fewer legs", "budget": {"max_steps": 7}}
    headers = {"Idempotency-Key": str(uuid4())}
    accepted = (await gateway.client.post(path, json=body, headers=headers)).raise_for_status().json()
    request = await published(publisher, UUID(accepted["run_id"]))
    assert request.continues is not None
    assert (request.continues.attempts, request.continues.after_cell) == ((earlier.run_id,), 1)
    assert (request.continues.says, request.budget.max_steps) == ("use fewer legs", 7)
    assert (await gateway.client.post(path, json=body, headers=headers)).json() == accepted
    assert "no cell 2" in problem_of(await gateway.client.post(path, json={**body, "cell": 2}), 409)
    for cell_number in (0, -1, 2**70, "one", None):
        problem_of(await gateway.client.post(path, json={**body, "cell": cell_number}), 422)
    problem_of(await gateway.client.post(f"/runs/{uuid4()}/forks", json=body), 404)


async def test_benchmarks_are_listed_and_shown(gateway: RunningGateway) -> None:
    listed = (await gateway.client.get("/benchmarks")).raise_for_status()
    names = [each["name"] for each in listed.json()["benchmarks"]]
    assert BENCHMARK in names
    again = await gateway.client.get("/benchmarks", headers={"If-None-Match": listed.headers["etag"]})
    assert again.status_code == 304
    shown = [(await gateway.client.get(f"/benchmarks/{BENCHMARK}?seed={seed}")).json()["variant"] for seed in (0, 1)]
    assert [each["seed"] for each in shown] == [0, 1]
    assert shown[0]["payload"] != shown[1]["payload"]


async def test_skills_are_listed(gateway: RunningGateway, settings: Settings) -> None:
    assert settings.gateway_port == 0
    assert isinstance((await gateway.client.get("/skills")).raise_for_status().json()["skills"], list)
