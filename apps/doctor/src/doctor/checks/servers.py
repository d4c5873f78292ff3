"""Checks of NATS, Postgres and S3: whether they answer, accept our credentials, and are recent enough."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from artifacts.inspection import S3State
from artifacts.inspection import inspect as inspect_s3
from artifacts.settings import S3Settings
from chassis.administration.inspection import BusState
from chassis.administration.inspection import inspect as inspect_bus
from chassis.settings import BusSettings
from contracts.settings import COMMAND, ServerInspectionError
from local_stack.errors import UserError
from local_stack.server_access import address, settings_from
from store.inspection import OLDEST_MAJOR, DatabaseState
from store.inspection import inspect as inspect_database
from store.migrate import ENCODING
from store.settings import DatabaseSettings

from doctor.check import Check, failed, passed
from doctor.target import Target

TIMEOUT_S = 10.0
MAX_SKEW_S = 5.0
SLOW_S = 1.0
OLDEST_NATS = (2, 10)
NAMES = {"NATS_URL": "NATS", "DATABASE_URL": "Postgres", "S3_ENDPOINT": "S3"}
PROBLEMS: Mapping[str, str] = {
    "no_answer": "accepts connections, but does not answer",
    "refused": "cannot be reached",
    "unauthorized": "refuses our credentials",
    "no_jetstream": "answers, but its JetStream does not",
    "no_database": "answers, but has no such database",
    "corrupt": "does not return what was stored",
    "broken": "answers with errors",
}


@dataclass(frozen=True)
class ServerInspection:
    """A check, and for further checks the server's state as far as it could be read."""

    check: Check
    bus: BusState | None = None
    database: DatabaseState | None = None
    s3: S3State | None = None
    inspected_at: datetime | None = None


async def check_nats(target: Target, timeout_s: float = TIMEOUT_S) -> ServerInspection:
    """Check that NATS answers with JetStream and is recent enough."""
    try:
        state = await inspect_bus(settings_from(BusSettings, target.environment), timeout_s)
    except (ServerInspectionError, UserError) as error:
        fixes = {
            "unauthorized": target.login_advice("user and password in NATS_URL"),
            "no_jetstream": "start the server with -js, or with `jetstream {}` in its configuration",
        }
        return ServerInspection(_failed_check(target, "NATS_URL", error, fixes))
    version = tuple(int(each) for each in state.version.split(".")[:2] if each.isdigit())
    if version < OLDEST_NATS:
        fix = "use nats-server 2.10 or newer; without server variables, millwright starts its own"
        return ServerInspection(failed("servers", "NATS", "the server is too old", fix, state.version), bus=state)
    check = passed("servers", "NATS", f"nats-server {state.version} at {_location(target, 'NATS_URL')}")
    return ServerInspection(check, bus=state, inspected_at=datetime.now(UTC))


async def check_postgres(target: Target, timeout_s: float = TIMEOUT_S) -> ServerInspection:
    """Check that Postgres answers and is fit for use."""
    try:
        state = await inspect_database(settings_from(DatabaseSettings, target.environment), timeout_s)
    except (ServerInspectionError, UserError) as error:
        fixes = {
            "unauthorized": target.login_advice("user and password in DATABASE_URL"),
            "no_database": f"create it (`createdb`), or set DATABASE_URL to one that exists; then `{COMMAND} migrate`",
        }
        return ServerInspection(_failed_check(target, "DATABASE_URL", error, fixes))
    return ServerInspection(check_postgres_state(target, state), database=state, inspected_at=datetime.now(UTC))


def check_postgres_state(target: Target, state: DatabaseState) -> Check:
    """Check version, encoding and free connections."""
    if state.major < OLDEST_MAJOR:
        fix = f"use Postgres {OLDEST_MAJOR} or newer; without server variables, millwright starts its own"
        return failed("servers", "Postgres", "the server is too old", fix, state.version)
    if state.encoding != ENCODING:
        fix = f"create another (`createdb --template template0 --encoding {ENCODING} NAME`), and set DATABASE_URL to it"
        return failed("servers", "Postgres", f"the database's encoding is not {ENCODING}", fix, state.encoding)
    if state.connections > 0.9 * state.max_connections:
        measured = f"{state.connections} of {state.max_connections} connections"
        fix = "end idle clients, or raise max_connections"
        return failed("servers", "Postgres", "almost all connections are in use", fix, measured)
    return passed("servers", "Postgres", f"Postgres {state.version} at {_location(target, 'DATABASE_URL')}")


async def check_s3(target: Target, timeout_s: float = TIMEOUT_S) -> ServerInspection:
    """Check that S3 answers in time and returns stored bytes."""
    try:
        state = await inspect_s3(settings_from(S3Settings, target.environment), timeout_s)
    except (ServerInspectionError, UserError) as error:
        fixes = {
            "unauthorized": target.login_advice("S3_ACCESS_KEY and S3_SECRET_KEY"),
            "corrupt": "look for a proxy or cache in front of the server, and check its disks",
            "broken": "read the server's log; is its disk full?",
        }
        return ServerInspection(_failed_check(target, "S3_ENDPOINT", error, fixes))
    if state.round_trip_s is not None and state.round_trip_s > SLOW_S:
        measured = f"{state.round_trip_s:.1f} s for a round trip of 4 kB"
        fix = "reduce the load on its disk or on the network, or set S3_ENDPOINT to a nearer server"
        return ServerInspection(failed("servers", "S3", "is slow", fix, measured), s3=state)
    check = passed("servers", "S3", f"{state.server} at {_location(target, 'S3_ENDPOINT')}")
    return ServerInspection(check, s3=state, inspected_at=datetime.now(UTC))


def check_clocks(clocks: Mapping[str, tuple[datetime | None, datetime | None]]) -> Check:
    """Check that the servers' clocks agree with ours; `clocks` has each server's time and ours at that moment."""
    skews = {name: (theirs - ours).total_seconds() for name, (theirs, ours) in clocks.items() if theirs and ours}
    wrong = {name: skew for name, skew in skews.items() if abs(skew) > MAX_SKEW_S}
    if wrong:
        measured = "; ".join(
            f"{name} is {abs(skew):.0f} s {'ahead' if skew > 0 else 'behind'}" for name, skew in wrong.items()
        )
        fix = "set the clocks by NTP on both machines (`timedatectl set-ntp true`); deadlines and signatures need them"
        return failed("servers", "clocks", f"the clocks differ by more than {MAX_SKEW_S:g} s", fix, measured)
    return passed("servers", "clocks", f"{len(skews)} servers agree with this machine" if skews else "none to compare")


def _failed_check(target: Target, variable: str, error: Exception, fixes: Mapping[str, str]) -> Check:
    name = NAMES[variable]
    kind = error.kind if isinstance(error, ServerInspectionError) else None
    if kind is None:
        return failed("servers", name, f"{variable} cannot be used", f"correct {variable}", str(error))
    fix = fixes.get(kind, target.restart_advice(variable))
    return failed("servers", name, f"{name} at {_location(target, variable)} {PROBLEMS[kind]}", fix, str(error))


def _location(target: Target, variable: str) -> str:
    """Return host and port alone: a URL may hold a password."""
    host, port = address(variable, target.environment[variable])
    return f"{host}:{port}"
