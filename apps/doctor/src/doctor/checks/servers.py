"""NATS, Postgres and S3: whether they answer, let us in, and are recent enough."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from artifacts.inspection import S3State, S3TroubleError
from artifacts.inspection import inspect as inspect_s3
from artifacts.settings import S3Settings
from chassis.observability.inspection import BusState, BusTroubleError
from chassis.observability.inspection import inspect as inspect_bus
from chassis.settings import BusSettings
from local_stack.errors import UserError
from local_stack.readiness import address
from local_stack.server_settings import settings_from
from store.inspection import OLDEST_MAJOR, DatabaseState, DatabaseTroubleError
from store.inspection import inspect as inspect_database
from store.migrate import ENCODING
from store.settings import DatabaseSettings

from doctor.check import Check, failed, passed
from doctor.target import Target

ANSWER_S = 3.0
SKEW_S = 5.0
SLOW_S = 1.0
OLDEST_NATS = (2, 10)
NAMES = {"NATS_URL": "NATS", "DATABASE_URL": "Postgres", "S3_ENDPOINT": "S3"}
PROBLEMS: Mapping[str, str] = {
    "silent": "is reached, but does not answer",
    "refused": "cannot be reached",
    "not_let_in": "does not let us in",
    "no_jetstream": "answers, but its JetStream does not",
    "no_database": "answers, but has no such database",
    "corrupt": "does not give back what was stored",
    "broken": "answers with errors",
}


@dataclass(frozen=True)
class ServerInspection:
    """A check, and for those who ask further what was seen, if anything."""

    check: Check
    bus: BusState | None = None
    database: DatabaseState | None = None
    s3: S3State | None = None
    inspected_at: datetime | None = None


async def check_nats(patient: Target, timeout_s: float = ANSWER_S) -> ServerInspection:
    """Whether NATS answers with JetStream."""
    try:
        state = await inspect_bus(settings_from(BusSettings, patient.environment), timeout_s)
    except (BusTroubleError, UserError) as error:
        mends = {
            "not_let_in": patient.let_in("user and password in NATS_URL"),
            "no_jetstream": "start the server with -js, or with `jetstream {}` in its configuration",
        }
        return ServerInspection(_trouble(patient, "NATS_URL", error, mends))
    version = tuple(int(each) for each in state.version.split(".")[:2] if each.isdigit())
    if version < OLDEST_NATS:
        mend = "use nats-server 2.10 or newer; ours comes along when no variable names another"
        return ServerInspection(failed("servers", "NATS", "the server is too old", mend, state.version), bus=state)
    check = passed("servers", "NATS", f"nats-server {state.version} at {_place(patient, 'NATS_URL')}")
    return ServerInspection(check, bus=state, inspected_at=datetime.now(UTC))


async def check_postgres(patient: Target, timeout_s: float = ANSWER_S) -> ServerInspection:
    """Whether Postgres answers and is recent enough."""
    try:
        state = await inspect_database(settings_from(DatabaseSettings, patient.environment), timeout_s)
    except (DatabaseTroubleError, UserError) as error:
        mends = {
            "not_let_in": patient.let_in("user and password in DATABASE_URL"),
            "no_database": "create it (`createdb`), or set DATABASE_URL to one that exists; then `millwright migrate`",
        }
        return ServerInspection(_trouble(patient, "DATABASE_URL", error, mends))
    return ServerInspection(check_postgres_state(patient, state), database=state, inspected_at=datetime.now(UTC))


def check_postgres_state(patient: Target, state: DatabaseState) -> Check:
    """Whether it is recent enough, keeps text as text, and has connections left."""
    if state.major < OLDEST_MAJOR:
        mend = f"use Postgres {OLDEST_MAJOR} or newer; ours comes along when no variable names another"
        return failed("servers", "Postgres", "the server is too old", mend, state.version)
    if state.encoding != ENCODING:
        mend = f"make another (`createdb --template template0 --encoding {ENCODING} NAME`), and name it in DATABASE_URL"
        return failed("servers", "Postgres", f"the database's encoding is not {ENCODING}", mend, state.encoding)
    if state.connections > 0.9 * state.max_connections:
        measured = f"{state.connections} of {state.max_connections} connections"
        return failed(
            "servers",
            "Postgres",
            "hardly any connection is left",
            "end idle clients, or raise max_connections",
            measured,
        )
    return passed("servers", "Postgres", f"Postgres {state.version} at {_place(patient, 'DATABASE_URL')}")


async def check_s3(patient: Target, timeout_s: float = ANSWER_S) -> ServerInspection:
    """Whether S3 answers, in time, and gives back what it was given."""
    try:
        state = await inspect_s3(settings_from(S3Settings, patient.environment), timeout_s)
    except (S3TroubleError, UserError) as error:
        mends = {
            "not_let_in": patient.let_in("S3_ACCESS_KEY and S3_SECRET_KEY"),
            "corrupt": "see what stands between us and the server (proxy, cache), and check its disks",
            "broken": "read the server's log; is its disk full?",
        }
        return ServerInspection(_trouble(patient, "S3_ENDPOINT", error, mends))
    if state.round_trip_s is not None and state.round_trip_s > SLOW_S:
        measured = f"{state.round_trip_s:.1f} s for 4 kB there and back"
        mend = "relieve its disk or the network to it, or set S3_ENDPOINT to a nearer server"
        return ServerInspection(failed("servers", "S3", "is slow", mend, measured), s3=state)
    check = passed("servers", "S3", f"{state.server} at {_place(patient, 'S3_ENDPOINT')}")
    return ServerInspection(check, s3=state, inspected_at=datetime.now(UTC))


def check_clocks(clocks: Mapping[str, tuple[datetime | None, datetime | None]]) -> Check:
    """Whether the servers' clocks go as ours does; by server: its time, and ours at that moment."""
    skews = {name: (theirs - ours).total_seconds() for name, (theirs, ours) in clocks.items() if theirs and ours}
    wrong = {name: skew for name, skew in skews.items() if abs(skew) > SKEW_S}
    if wrong:
        told = "; ".join(
            f"{name} is {abs(skew):.0f} s {'ahead' if skew > 0 else 'behind'}" for name, skew in wrong.items()
        )
        mend = "set the clocks by NTP on both machines (`timedatectl set-ntp true`); deadlines and signatures need them"
        return failed("servers", "clocks", f"they differ by more than {SKEW_S:g} s", mend, told)
    return passed(
        "servers", "clocks", f"{len(skews)} servers go as this machine does" if skews else "nobody to compare with"
    )


def _trouble(patient: Target, variable: str, error: Exception, mends: Mapping[str, str]) -> Check:
    name = NAMES[variable]
    kind = error.kind if isinstance(error, BusTroubleError | DatabaseTroubleError | S3TroubleError) else None
    if kind is None:
        return failed("servers", name, f"{variable} cannot be used", f"set {variable} as it must be", str(error))
    mend = mends.get(kind, patient.start_again(variable))
    return failed("servers", name, f"{name} at {_place(patient, variable)} {PROBLEMS[kind]}", mend, str(error))


def _place(patient: Target, variable: str) -> str:
    """Return host and port: an address may hold a password."""
    host, port = address(variable, patient.environment[variable])
    return f"{host}:{port}"
