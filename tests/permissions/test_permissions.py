"""What each service may say and read is held by the server, whatever the service believes."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

from typing import get_args
from uuid import uuid4

import pytest
from chassis.app import App
from chassis.delivery.reconciliation import PlannedConsumer
from chassis.errors import BusUnavailableError
from chassis.observability.lag import measure_lag
from chassis.stream.connection import inbox_of
from chassis.stream.permissions import Permissions, all_permissions, authorization
from chassis.stream.provisioning import provision
from chassis.stream.subjects import STREAM
from contracts.envelope import Event, Role
from contracts.events.design import DesignApproved
from contracts.events.run import RunSucceeded
from contracts.events.session import CellCompleted
from contracts.publishers import SERVICES, Service, may_publish, publishes_as
from contracts.registry import EVENTS
from local_stack.service_apps import build_detached_apps

from tests.permissions.guarded_server import Guarded, visiting

APPS = {app.name: app for app in build_detached_apps()}
READS = {name: app.reads for name, app in APPS.items()}

every_service = pytest.mark.parametrize("service", SERVICES)


def subject_of(event: type[Event], role: Role = "engineer") -> str:
    """Return a full subject of a run and an event that nobody has ever heard of."""
    return f"{event.subject}.{uuid4()}.{role}.{uuid4()}"


@every_service
async def test_a_service_may_say_what_the_language_lets_it_say_and_nothing_else(
    guarded: Guarded, service: Service
) -> None:
    places = {subject_of(event, role): (event, role) for event in EVENTS for role in get_args(Role)}
    may = {
        subject
        for subject, (event, role) in places.items()
        if event in may_publish(service) and publishes_as(service, event) in {None, role}
    }
    assert may
    async with visiting(guarded, service) as visitor:
        assert set(places) - await visitor.refused_publishing(places) == may


@pytest.mark.parametrize(
    ("service", "event"), [("sim-worker", RunSucceeded), ("engineer", DesignApproved), ("planner", CellCompleted)]
)
async def test_nobody_answers_in_the_place_of_another(guarded: Guarded, service: Service, event: type[Event]) -> None:
    subject = subject_of(event)
    async with visiting(guarded, service) as visitor:
        assert await visitor.refused_publishing([subject]) == {subject}


@every_service
async def test_what_is_no_event_at_all_is_refused(guarded: Guarded, service: Service) -> None:
    subjects = {"mw", "mw.run", "mw.run.succeeded", "mw.nothing.known.a.b.c", "other", "attending.x.y", "$SYS.REQ.A"}
    async with visiting(guarded, service) as visitor:
        assert await visitor.refused_publishing(subjects) == subjects


@every_service
async def test_nobody_listens_at_anothers_inbox(guarded: Guarded, service: Service) -> None:
    foreign = {f"{inbox_of(other)}.>" for other in (*SERVICES, "admin") if other != service}
    foreign |= {">", "*.>", "_INBOX.>", "$JS.>", "$SYS.>"}
    async with visiting(guarded, service) as visitor:
        assert await visitor.refused_subscribing(foreign) == foreign
        assert await visitor.refused_subscribing([f"{inbox_of(service)}.mine"]) == set()


@every_service
async def test_nobody_touches_anothers_consumers(guarded: Guarded, service: Service) -> None:
    foreign = {
        subject for other, planned in READS.items() if other != service for each in planned for subject in _uses(each)
    }
    if service == "cli":  # tells how far the recorder is behind
        foreign.remove(f"$JS.API.CONSUMER.INFO.{STREAM}.recorder-records")
    async with visiting(guarded, service) as visitor:
        assert await visitor.refused_publishing(foreign) == foreign


async def test_the_command_may_ask_how_far_the_recorder_is_behind(guarded: Guarded) -> None:
    """With an empty stream and no consumer, which is what is here, nothing is."""
    assert (await measure_lag(guarded.settings("cli"))).recorded_up_to == 0


@every_service
async def test_nobody_but_admin_changes_the_stream_or_deletes_from_it(guarded: Guarded, service: Service) -> None:
    stream = {f"$JS.API.STREAM.{verb}.{STREAM}" for verb in ("CREATE", "UPDATE", "DELETE", "PURGE", "MSG.DELETE")}
    stream |= {f"$JS.API.STREAM.{verb}.{STREAM}" for verb in ("SNAPSHOT", "RESTORE", "LEADER.STEPDOWN", "PEER.REMOVE")}
    if service == "recorder":  # takes out what is over and recorded
        assert APPS[service].purges
        stream.remove(f"$JS.API.STREAM.PURGE.{STREAM}")
    stream |= {"$JS.API.STREAM.CREATE.OTHER", "$JS.API.STREAM.NAMES", "$JS.API.STREAM.MSG.GET.OTHER"}
    stream |= {f"$JS.API.CONSUMER.DELETE.{STREAM}.{each.durable}" for planned in READS.values() for each in planned}
    stream |= {f"$JS.API.CONSUMER.CREATE.{STREAM}", f"$JS.API.CONSUMER.DURABLE.CREATE.{STREAM}.mine"}
    async with visiting(guarded, service) as visitor:
        assert await visitor.refused_publishing(stream) == stream


async def test_admin_may_do_what_migrating_and_rebuilding_need(guarded: Guarded) -> None:
    assert await provision(guarded.settings("admin")) == []
    async with visiting(guarded, "admin") as visitor:
        assert await visitor.js.purge_stream(STREAM, subject=subject_of(RunSucceeded))


async def test_a_wrong_password_is_told_from_a_server_that_is_not_there(guarded: Guarded) -> None:
    settings = guarded.settings("planner").model_copy(
        update={"nats_url": guarded.url("planner").replace("secret", "wrong"), "bus_connect_timeout_s": 0.5}
    )
    with pytest.raises(BusUnavailableError, match="check user and password in NATS_URL"):
        await App("planner", settings).start()


def test_the_table_has_one_user_for_each_service_and_a_password_of_its_own(table: dict[str, Permissions]) -> None:
    assert set(table) == {*SERVICES, "admin"}
    assert len({each.password_variable for each in table.values()}) == len(table)
    text = authorization(list(table.values()))
    assert all(f"password: ${each.password_variable}\n" in text for each in table.values())


def test_permissions_are_the_same_each_time(table: dict[str, Permissions]) -> None:
    assert authorization(all_permissions(build_detached_apps())) == authorization(list(table.values()))


def _uses(planned: PlannedConsumer) -> tuple[str, ...]:
    """Return all that can be done with a consumer, or to it."""
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
