"""`doctor --deployment` on a deployment with faults, injected one by one, and on one without any."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

from collections.abc import AsyncIterator

import pytest
from chassis.app import App
from chassis.delivery.attempt_stream import ATTEMPT_STREAM
from chassis.observability.health_server import HealthServer
from chassis.settings import BusSettings
from chassis.subjects import STREAM
from contracts.events.design import DesignValidated
from contracts.events.simulation import SimulationRequested
from doctor import Check, run_deployment_checks
from doctor.checks.deployment import check_probes
from local_stack.settings import CliSettings
from nats.js.api import ConsumerConfig

from tests.doctor.failure_golden import assert_failure
from tests.doctor.live_servers import Inject, LiveServers


async def checks(on: LiveServers, *probes: str) -> dict[str, Check]:
    given = {name.lower(): value for name, value in on.environment.items()}
    running = run_deployment_checks(CliSettings(**given), probes)  # pyright: ignore[reportArgumentType] - from text
    return {check.name: check async for check in running}


async def missing_attempt_stream(on: LiveServers) -> Check:
    js = await on.add_consumers()
    await js.delete_stream(ATTEMPT_STREAM)
    return (await checks(on))["other streams"]


async def left_over_consumer(on: LiveServers) -> Check:
    js = await on.add_consumers()
    await js.add_consumer(STREAM, config=ConsumerConfig(durable_name="engineer-hears-plan-blessed"))
    return (await checks(on))["left over"]


async def unready_service(on: LiveServers) -> Check:
    async def health() -> list[str]:
        return ["bucket millwright cannot be used"]

    server = HealthServer(health, list, 0, "127.0.0.1")
    await server.start()
    server.is_started = True
    on.cleanup.push_async_callback(server.stop)
    (check,) = await check_probes([f"http://127.0.0.1:{server.port}"])
    return check


async def dead_service(on: LiveServers) -> Check:
    (check,) = await check_probes(["http://127.0.0.1:1"])
    return check


async def unmigrated_database(on: LiveServers) -> Check:
    await on.add_consumers()
    return (await checks(on))["tables"]


FAULTS: dict[str, tuple[Inject, str, str]] = {
    "deployment_without_attempts": (missing_attempt_stream, "other streams", ATTEMPT_STREAM),
    "deployment_with_left_over_consumer": (left_over_consumer, "left over", "engineer-hears-plan-blessed"),
    "deployment_with_dead_service": (dead_service, "127.0.0.1:1", "refused"),
    "deployment_without_tables": (unmigrated_database, "tables", "is required"),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("fault", FAULTS)
async def test_fault_is_found_with_its_fix(fault: str, live_servers: LiveServers) -> None:
    inject, name, measured = FAULTS[fault]
    assert_failure(fault, await inject(live_servers), name, measured)


async def test_unready_service_is_quoted(live_servers: LiveServers) -> None:
    (failure,) = (await unready_service(live_servers)).failures
    assert failure.measured == "bucket millwright cannot be used"


async def test_services_that_read_nothing_are_named_with_what_waits(live_servers: LiveServers) -> None:
    js = await live_servers.add_consumers()
    await live_servers.publish(js, 2)
    failures = (await checks(live_servers))["services"].failures
    assert len(failures) == 11
    (critic,) = (each for each in failures if "of critic reads" in each.what)
    assert critic.measured == "2 messages wait"
    assert "app.kubernetes.io/name=critic" in critic.fix


@pytest.fixture
async def sim_worker(live_servers: LiveServers) -> AsyncIterator[App]:
    await live_servers.add_consumers()
    app = App("sim-worker", BusSettings(nats_url=live_servers.environment["NATS_URL"]))

    async def answer(request: SimulationRequested | DesignValidated) -> SimulationRequested:
        raise AssertionError("nothing is published here")

    app.answers(SimulationRequested, answer)
    await app.start()
    yield app
    await app.stop()


async def test_service_that_reads_and_streams_of_migrated_servers_are_not_named(
    live_servers: LiveServers, sim_worker: App
) -> None:
    found = await checks(live_servers)
    assert not any("of sim-worker reads" in each.what for each in found["services"].failures)
    assert found["other streams"].ok


async def test_incomplete_variables_are_named() -> None:
    (check,) = [each async for each in run_deployment_checks(CliSettings(nats_url="nats://127.0.0.1:1"))]
    assert check.failures[0].what == "only some servers are named"
