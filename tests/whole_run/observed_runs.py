"""A run on real servers whose telemetry is received by OTLP and scraped as Prometheus does."""

import asyncio
import logging
from collections.abc import AsyncIterator, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import httpx
from chassis.app import App
from chassis.observability.logs import exported_logs
from chassis.settings import BusSettings
from contracts.events.run import RunSucceeded
from gateway.app import GatewayApp
from prometheus_client.parser import text_string_to_metric_families

from tests.flows.complete_runs import CompleteRun, complete_run
from tests.gateway.gateway_client import ServerSentEvent, server_sent
from tests.support.clusters.cluster import ALL_SERVICES, Client, Endpoints, make_service, started
from tests.whole_run.otlp_receiver import OtlpReceiver, receiving

REQUEST = {"benchmark": "gravity-chute", "seed": 3, "model": "offline"}
TIMEOUT_S = 300.0
GATEWAY_SETTINGS: Mapping[str, Any] = {
    "gateway_port": 0,
    "gateway_requests_per_minute": 1_000_000,
    "gateway_linger_s": 20.0,
}


@dataclass(frozen=True)
class Series:
    """The series of one name in Prometheus."""

    labels: frozenset[str]
    """All labels that any of its values has."""
    values: Mapping[str, frozenset[str]]
    """The values of each label."""


@dataclass(frozen=True)
class ApiAnswers:
    """What a client of the API received, which requested the run, followed it live, and read it when it had ended."""

    live: tuple[ServerSentEvent, ...]
    run: dict[str, Any]
    """As JSON."""
    events: dict[str, Any]
    """Its first page of events, as JSON."""
    picture: httpx.Response
    """The first key frame of its film."""


@dataclass(frozen=True)
class ObservedRun:
    """A run that has ended, and what its services exported."""

    run: CompleteRun
    """As stream, Postgres and S3 have it."""
    answers: ApiAnswers
    received: OtlpReceiver
    series: Mapping[str, Series]
    """What all services' /metrics had at the end, by name."""
    scraped: Mapping[str, str]
    """The text of each service's /metrics."""
    refusals: tuple[str, ...] = ()
    """Lines of the broker's log about what it refused, before the run and during it."""

    @property
    def run_id(self) -> str:
        """Return the id of the run."""
        return str(self.run.request.run_id)


async def observe_run(endpoints: Endpoints) -> ObservedRun:
    """Request a run by the API, with every service and the gateway in this process."""
    with receiving() as received:
        own = {"otel_exporter_otlp_endpoint": received.url, "metrics_port": 0, "telemetry_every_s": 0.5}
        with logged(own):
            services = [make_service(name, {**endpoints.settings(name), **own}) for name in ALL_SERVICES]
            gateway = make_service("gateway", {**endpoints.settings("gateway"), **GATEWAY_SETTINGS, **own})
            assert isinstance(gateway, GatewayApp)
            async with started(*services, gateway), Client(endpoints, "cli") as client, asyncio.timeout(TIMEOUT_S):
                answers, run = await _run(gateway, client)
                scraped = {app.name: await _scrape(app) for app in (*services, gateway)}
    return ObservedRun(run, answers, received, parse_series(scraped.values()), scraped)


@contextmanager
def logged(settings: Mapping[str, Any]) -> Generator[None]:
    """Export what this process logs, as `chassis.process.run` does for a service."""
    root = logging.getLogger()
    level = root.level
    root.setLevel(logging.INFO)
    try:
        with exported_logs("tests", BusSettings(**settings)):
            yield
    finally:
        root.setLevel(level)


def parse_series(texts: Iterable[str]) -> dict[str, Series]:
    """Return the series of all texts in Prometheus' format."""
    found: dict[str, dict[str, set[str]]] = {}
    for text in texts:
        for sample in (sample for family in text_string_to_metric_families(text) for sample in family.samples):
            values = found.setdefault(sample.name, {})
            for label, value in sample.labels.items():
                values.setdefault(label, set()).add(value)
    return {
        name: Series(frozenset(values), {label: frozenset(each) for label, each in values.items()})
        for name, values in found.items()
    }


async def _run(gateway: GatewayApp, client: Client) -> tuple[ApiAnswers, CompleteRun]:
    async with httpx.AsyncClient(base_url=gateway.url, trust_env=False, timeout=60) as api:
        accepted = (await api.post("/runs", json=REQUEST)).raise_for_status().json()
        live = [event async for event in _followed(api, accepted["live"])]
        run = await complete_run(client, UUID(accepted["run"].rsplit("/", 1)[-1]))
        summary = (await api.get(accepted["run"])).raise_for_status().json()
        page = (await api.get(f"{accepted['run']}/events", params={"limit": "200"})).raise_for_status().json()
        (end,) = run.of_class(RunSucceeded)
        assert end.delivery.media is not None
        picture = await api.get(f"/artifacts/{end.delivery.media.key_frames[0].picture.sha256}")
    return ApiAnswers(tuple(live), summary, page, picture), run


async def _followed(api: httpx.AsyncClient, live: str) -> AsyncIterator[ServerSentEvent]:
    """Yield the events of a run until it is learned from."""
    async with api.stream("GET", live) as response:
        async for event in server_sent(response):
            yield event
            if event.name in {"SkillLearned", "SkillRejected"}:
                return


async def _scrape(app: App) -> str:
    assert app.metrics_url is not None
    async with httpx.AsyncClient(trust_env=False, timeout=60) as http:
        return (await http.get(app.metrics_url)).raise_for_status().text
