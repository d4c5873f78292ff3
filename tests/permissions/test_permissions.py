"""The NATS server enforces what each service may publish and consume."""

# pyright: reportUnknownMemberType=false
# nats-py does not type some of its options.

from typing import get_args
from uuid import uuid4

import pytest
from chassis.administration.permissions import Permissions, all_permissions, authorization
from chassis.administration.provisioning import provision
from chassis.app import App
from chassis.delivery.reconciliation import PlannedConsumer
from chassis.errors import BusUnavailableError
from chassis.stream.connection import inbox_of
from chassis.stream.lag import measure_lag
from chassis.subjects import STREAM
from contracts.envelope import SERVICES, Event, Role, Service
from contracts.events.design import DesignApproved
from contracts.events.run import RunSucceeded
from contracts.events.session import CellCompleted
from contracts.publishers import may_publish, publishes_as
from contracts.registry import EVENTS
from local_stack.service_apps import build_detached_apps

from tests.support.guarded_server import GuardedServer, connected_as

APPS = {app.name: app for app in build_detached_apps()}
READS = {name: app.planned_consumers for name, app in APPS.items()}

every_service = pytest.mark.parametrize("service", SERVICES)


def subject_of(event: type[Event], role: Role = "engineer") -> str:
    """Return the full subject of an event with new ids."""
    return f"{event.subject}.{uuid4()}.{role}.{uuid4()}"


@every_service
async def test_service_may_publish_exactly_its_events(guarded_server: GuardedServer, service: Service) -> None:
    subjects = {subject_of(event, role): (event, role) for event in EVENTS for role in get_args(Role)}
    allowed = {
        subject
        for subject, (event, role) in subjects.items()
        if event in may_publish(service) and publishes_as(service, event) in {None, role}
    }
    assert allowed
    async with connected_as(guarded_server, service) as connection:
        assert set(subjects) - await connection.refused_publishing(subjects) == allowed


@pytest.mark.parametrize(
    ("service", "event"), [("sim-worker", RunSucceeded), ("engineer", DesignApproved), ("planner", CellCompleted)]
)
async def test_service_cannot_publish_outcomes_of_another(
    guarded_server: GuardedServer, service: Service, event: type[Event]
) -> None:
    subject = subject_of(event)
    async with connected_as(guarded_server, service) as connection:
        assert await connection.refused_publishing([subject]) == {subject}


@every_service
async def test_service_cannot_publish_other_subjects(guarded_server: GuardedServer, service: Service) -> None:
    subjects = {"mw", "mw.run", "mw.run.succeeded", "mw.nothing.known.a.b.c", "other", "attending.x.y", "$SYS.REQ.A"}
    async with connected_as(guarded_server, service) as connection:
        assert await connection.refused_publishing(subjects) == subjects


@every_service
async def test_service_cannot_subscribe_to_another_inbox(guarded_server: GuardedServer, service: Service) -> None:
    foreign = {f"{inbox_of(other)}.>" for other in (*SERVICES, "admin") if other != service}
    foreign |= {">", "*.>", "_INBOX.>", "$JS.>", "$SYS.>"}
    async with connected_as(guarded_server, service) as connection:
        assert await connection.refused_subscribing(foreign) == foreign
        assert await connection.refused_subscribing([f"{inbox_of(service)}.mine"]) == set()


@every_service
async def test_service_cannot_use_consumers_of_another(guarded_server: GuardedServer, service: Service) -> None:
    foreign = {
        subject for other, planned in READS.items() if other != service for each in planned for subject in _uses(each)
    }
    if service == "cli":  # it reports the recorder's lag
        foreign.remove(f"$JS.API.CONSUMER.INFO.{STREAM}.recorder-records")
    async with connected_as(guarded_server, service) as connection:
        assert await connection.refused_publishing(foreign) == foreign


async def test_cli_may_measure_the_recorder_lag(guarded_server: GuardedServer) -> None:
    assert (await measure_lag(guarded_server.settings("cli"))).recorded_up_to == 0


@every_service
async def test_service_cannot_change_the_stream(guarded_server: GuardedServer, service: Service) -> None:
    stream = {f"$JS.API.STREAM.{verb}.{STREAM}" for verb in ("CREATE", "UPDATE", "DELETE", "PURGE", "MSG.DELETE")}
    stream |= {f"$JS.API.STREAM.{verb}.{STREAM}" for verb in ("SNAPSHOT", "RESTORE", "LEADER.STEPDOWN", "PEER.REMOVE")}
    if service == "recorder":  # it purges recorded runs that have ended
        assert APPS[service].purges
        stream.remove(f"$JS.API.STREAM.PURGE.{STREAM}")
    stream |= {"$JS.API.STREAM.CREATE.OTHER", "$JS.API.STREAM.NAMES", "$JS.API.STREAM.MSG.GET.OTHER"}
    stream |= {f"$JS.API.CONSUMER.DELETE.{STREAM}.{each.durable}" for planned in READS.values() for each in planned}
    stream |= {f"$JS.API.CONSUMER.CREATE.{STREAM}", f"$JS.API.CONSUMER.DURABLE.CREATE.{STREAM}.mine"}
    async with connected_as(guarded_server, service) as connection:
        assert await connection.refused_publishing(stream) == stream


async def test_admin_may_provision_and_purge_the_stream(guarded_server: GuardedServer) -> None:
    assert await provision(guarded_server.settings("admin")) == []
    async with connected_as(guarded_server, "admin") as connection:
        assert await connection.js.purge_stream(STREAM, subject=subject_of(RunSucceeded))


async def test_wrong_password_is_reported_as_such(guarded_server: GuardedServer) -> None:
    settings = guarded_server.settings("planner").model_copy(
        update={"nats_url": guarded_server.url("planner").replace("secret", "wrong"), "bus_connect_timeout_s": 0.5}
    )
    with pytest.raises(BusUnavailableError, match="password in NATS_URL"):
        await App("planner", settings).start()


def test_each_service_has_a_user_with_its_own_password(permissions: dict[str, Permissions]) -> None:
    assert set(permissions) == {*SERVICES, "admin"}
    assert len({each.password_variable for each in permissions.values()}) == len(permissions)
    text = authorization(list(permissions.values()))
    assert all(f"password: ${each.password_variable}\n" in text for each in permissions.values())


def test_permissions_are_deterministic(permissions: dict[str, Permissions]) -> None:
    assert authorization(all_permissions(build_detached_apps())) == authorization(list(permissions.values()))


def _uses(planned: PlannedConsumer) -> tuple[str, ...]:
    """Return the subjects of all operations on a consumer."""
    stream, durable = planned.stream, planned.durable
    return (
        f"$JS.API.CONSUMER.CREATE.{stream}.{durable}",
        f"$JS.API.CONSUMER.CREATE.{stream}.{durable}.{planned.config.filter_subject}",
        f"$JS.API.CONSUMER.CREATE.{stream}.{durable}.mw.cell.requested.a.engineer.b",
        f"$JS.API.CONSUMER.DURABLE.CREATE.{stream}.{durable}",
        f"$JS.API.CONSUMER.INFO.{stream}.{durable}",
        f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{durable}",
        f"$JS.API.CONSUMER.PAUSE.{stream}.{durable}",
        f"$JS.API.CONSUMER.UNPIN.{stream}.{durable}",
        f"$JS.ACK.{stream}.{durable}.1.1.1.1.0",
    )
