"""Benchmarks generated through all services: by the rule-based author, and by a scripted model that fails twice.

Only the provider is fake; the bus, the services, the sandbox and physics are real.
"""

import asyncio
import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

import pytest
from benchmarks.loader import CODE, FILE, WITNESS
from chassis.administration.permissions import all_permissions
from contracts.envelope import Event
from contracts.events.benchmark import (
    BenchmarkDrafted,
    BenchmarkPublished,
    BenchmarkRequested,
    BenchmarkSessionRequested,
    DraftCertified,
    DraftRefused,
)
from contracts.events.conversation import ModelCalled, ToolAnswered
from contracts.events.session import CellCompleted, SessionOpened
from local_stack.service_apps import build_detached_apps
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine
from store.settings import DatabaseSettings

from tests.benchmark_generator.generator_harness import TEXTS, benchmark_requested, calls, plan_call
from tests.flows.guarded_endpoints import EndpointsWithPermissions
from tests.flows.scripted_runs import Case, ScriptedEndpoints, ScriptedModels
from tests.support.clusters.cluster import Client, Endpoints, in_process
from tests.support.clusters.fake_provider import FakeProvider, HttpReply, reply_of
from tests.support.guarded_server import started_guarded_server

RUN_S = 400.0
MODEL = "author"
BROKEN = 'raise RuntimeError("no floor")\n'
IDLE = """\
from build123d import Box, Compound, Pos
from utils import ManufacturingMethod, bond_contacts

block = Pos(benchmark.payload.start_mm[0], benchmark.payload.start_mm[1], 5.01) * Box(60, 60, 10)
block.label = "block"
block.metadata = {"manufacturing_method": ManufacturingMethod.PRINTING_3D, "material_id": "pla"}
assembly = Compound(label="machine", children=[block])
assembly.metadata = {"mechanism": [*bond_contacts(block, to=environment)]}
"""
SETTLE = """\
from utils import create

print(create().is_sound)
for item in todo.items:
    todo.check(item.id)
"""
SUBMIT: tuple[str, dict[str, str]] = ("submit_for_review", {})


LOOK: tuple[str, dict[str, str]] = ("run_cell", {"code": SETTLE, "purpose": "tick off what is done"})


def written(**texts: str) -> HttpReply:
    """Return a reply that writes these files, by `yaml`, `environment` and `witness`, and submits."""
    paths = {"yaml": FILE, "environment": CODE, "witness": WITNESS}
    files = [("write_file", {"path": paths[key], "text": each}) for key, each in texts.items()]
    return reply_of(calls(*files, LOOK, SUBMIT))


async def generated(client: Client, request: BenchmarkRequested) -> list[Event]:
    """Return all events of a run, once it has ended."""
    await client.bus.publish(request)
    async with asyncio.timeout(RUN_S):
        return [event async for event in client.bus.follow(request.run_id)]


async def rows_of(endpoints: Endpoints, run_id: UUID) -> Sequence[tuple[str, int, bool]]:
    """Return name, level and motion of what a run has published, as Postgres has them."""
    engine = create_async_engine(DatabaseSettings(database_url=endpoints.database_url).asyncpg_url)
    query = text("SELECT name, level, has_motion FROM benchmarks.benchmark WHERE run_id = :run")
    try:
        async with engine.connect() as connection:
            return [tuple(row) for row in await connection.execute(query, {"run": run_id})]
    finally:
        await engine.dispose()


async def generated_archive(endpoints: Endpoints, request: BenchmarkRequested) -> tuple[Event, zipfile.ZipFile]:
    """Return the end of a run, and what it has published."""
    async with in_process(endpoints) as client:
        end = (await generated(client, request))[-1]
        assert isinstance(end, BenchmarkPublished), end
        return end, zipfile.ZipFile(io.BytesIO(await client.artifacts.get(end.files)))


def test_offline_author_publishes_a_benchmark_with_something_that_moves(real_servers: Endpoints, tmp_path: Path):
    """Each service has a user of its own of the broker, with the rights that follow from the contracts."""
    brief = {"task": "a ball must pass a swinging gate", "seed": 1, "level": 1, "replicas": 29}
    request = benchmark_requested(**brief).model_copy(update={"model": "offline"})
    with started_guarded_server(tmp_path, all_permissions(build_detached_apps())) as server:
        guarded = EndpointsWithPermissions("", real_servers.database_url, real_servers.s3, server)
        published, archive = asyncio.run(generated_archive(guarded, request))
        refusals = [line for line in server.violations() if "never.allowed" not in line]
    assert refusals == []
    assert isinstance(published, BenchmarkPublished)
    assert published.has_motion
    assert [world.seed for world in published.worlds] == [0, 1, 2, 3]
    assert all(world.success_rate >= 0.9 and world.replicas == 29 for world in published.worlds)
    assert archive.namelist() == [FILE, CODE, WITNESS]
    assert f"name: {published.name}".encode() in archive.read(FILE)
    rows = asyncio.run(rows_of(real_servers, request.run_id))
    assert rows == [(published.name, 1, True)]


@pytest.mark.full
async def test_author_whose_drafts_are_refused_twice_publishes_the_third(real_servers: Endpoints):
    name = "name: a-gap"
    yaml = TEXTS[FILE].replace(name, f"name: gap-{benchmark_requested().run_id.hex[:8]}")
    script = (
        reply_of(plan_call()),
        written(yaml=yaml, environment=BROKEN, witness=TEXTS[WITNESS]),
        written(environment=TEXTS[CODE], witness=IDLE),
        written(witness=TEXTS[WITNESS]),
    )
    models = ScriptedModels({MODEL: Case({"benchmark-generator": script})})
    request = benchmark_requested(replicas=29).model_copy(update={"model": f"openai:{MODEL}"})
    with FakeProvider(respond=models) as provider:
        servers = real_servers
        endpoints = ScriptedEndpoints(servers.nats_url, servers.database_url, servers.s3, provider.base_url)
        async with in_process(endpoints) as client:
            events = await generated(client, request)
    published = events[-1]
    assert isinstance(published, BenchmarkPublished), published
    assert published.drafts == 3
    refused = [event for event in events if isinstance(event, DraftRefused)]
    assert [(each.findings[0].stage, each.producer) for each in refused] == [
        ("environment", "cad-worker"),
        ("simulation", "sim-worker"),
    ]
    assert "no floor" in refused[0].findings[0].detail
    prompts = [str(exchange.messages) for exchange in models.exchanges(MODEL, "benchmark-generator")]
    assert len(prompts) == 4
    assert "no floor" in prompts[2]
    assert "does not solve it robustly" in prompts[3]
    counts = {kind: sum(isinstance(event, kind) for event in events) for kind in (BenchmarkDrafted, DraftCertified)}
    assert counts == {BenchmarkDrafted: 3, DraftCertified: 1}
    roles = {event.role for event in events if isinstance(event, ModelCalled | ToolAnswered)}
    assert roles == {"benchmark-generator", "critic"}
    kernels = [event for event in events if isinstance(event, BenchmarkSessionRequested | SessionOpened)]
    steps = (BenchmarkSessionRequested, SessionOpened)
    wanted = [(step, role) for role in ("benchmark-generator", "critic") for step in steps]
    assert [(type(each), each.role) for each in kernels] == wanted
    seen = [event.observation.output for event in events if isinstance(event, CellCompleted)]
    assert "no floor" in seen[0]
    assert any(output.endswith("True\n") for output in seen)
