"""The tables of event log, skills and generated benchmarks as SQLAlchemy models; a test compares them with migrations.

Text and time columns are copies to search by. They accept every value an event can have, so that no event can prevent
its own recording: a value that Postgres cannot store is changed, and only `EventRow.body` is exact.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from uuid import UUID

from contracts.envelope import ROLES, Role
from sqlalchemy import BigInteger, DateTime, Dialect, Index, LargeBinary, MetaData, Text, UniqueConstraint, func, text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import TypeDecorator

OWN_SCHEMA = "store"
"""Contains only the number of the newest migration."""
CHECKPOINTS: Mapping[Role, str] = {role: f"checkpoints_{role.replace('-', '_')}" for role in ROLES}
SCHEMAS = ("log", "skills", "catalog", *CHECKPOINTS.values(), "benchmarks", "read_models", "backups", "sessions")
"""One for each owner: recorder; skill-learner; catalog, with the tables in `catalog.tables`; benchmark-generator; and
for the checkpoints of each role, with tables that LangGraph's saver creates. `read_models` is the recorder's, too, and
`backups` and `sessions` the gateway's."""

NAMES = {
    "pk": "pk_%(table_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
}


def text_to_store(value: str) -> str:
    """Return a text that Postgres accepts: NUL and lone surrogates are escaped."""
    if value.isascii() and "\0" not in value:
        return value
    return value.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


def time_to_store(value: datetime) -> datetime:
    """Return a time that Postgres accepts, in UTC."""
    try:
        return value.astimezone(UTC)
    except OverflowError:
        return (datetime.min if value.year == 1 else datetime.max).replace(tzinfo=UTC)


class SearchText(TypeDecorator[str]):
    """Text in which NUL and lone surrogates are escaped."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Return a value that Postgres accepts."""
        del dialect
        return None if value is None else text_to_store(value)


class SearchTime(TypeDecorator[datetime]):
    """A time in the years 1 to 9999; times beyond them in UTC become the first or last representable time."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return a value that Postgres accepts."""
        del dialect
        return None if value is None else time_to_store(value)


class Table(DeclarativeBase):
    """Base class of all tables."""

    metadata = MetaData(naming_convention=NAMES)
    type_annotation_map = {str: SearchText, datetime: SearchTime}  # noqa: RUF012 - SQLAlchemy's own form


class EventRow(Table):
    """One event. `body` is the message as received; the other columns are copies to search by."""

    __tablename__ = "events"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    run_id: Mapped[UUID]
    kind: Mapped[str]
    role: Mapped[str]
    type: Mapped[str]
    subject: Mapped[str]
    stream_sequence: Mapped[int] = mapped_column(BigInteger)
    causation_id: Mapped[UUID | None]
    producer: Mapped[str]
    occurred_at: Mapped[datetime]
    recorded_at: Mapped[datetime] = mapped_column(server_default=func.now())
    schema_version: Mapped[int]
    traceparent: Mapped[str | None]
    body: Mapped[bytes] = mapped_column(LargeBinary)
    """Bytes, since text cannot store NUL and jsonb reorders fields; the view `log.told` shows them as text and JSON."""

    __table_args__ = (
        Index(None, "run_id", "stream_sequence"),
        Index(None, "type", "stream_sequence"),
        Index(None, "stream_sequence"),
        {"schema": "log"},
    )


class UnreadableRow(Table):
    """One message that is not a known event. The digest distinguishes messages if a new stream counts from 1 again."""

    __tablename__ = "unreadable"

    stream_sequence: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    digest: Mapped[str] = mapped_column(primary_key=True)
    """sha256 of `data`."""
    subject: Mapped[str]
    reason: Mapped[str]
    data: Mapped[bytes] = mapped_column(LargeBinary)
    recorded_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = ({"schema": "log"},)


class ArtifactNameRow(Table):
    """An artifact that an event names."""

    __tablename__ = "artifact_names"

    sha256: Mapped[str] = mapped_column(primary_key=True)
    media_type: Mapped[str]
    """As the first event that names it states it."""

    __table_args__ = ({"schema": "log"},)


class SkillRow(Table):
    """One version of a skill."""

    __tablename__ = "skill"

    name: Mapped[str] = mapped_column(primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    for_role: Mapped[str]
    description: Mapped[str]
    digest: Mapped[str]
    artifact: Mapped[str]
    """JSON of the `ArtifactRef` of SKILL.md."""
    learned_from: Mapped[UUID]
    """The run."""
    learned_at: Mapped[datetime] = mapped_column(server_default=func.now())
    status: Mapped[str] = mapped_column(server_default="adopted")
    base_version: Mapped[int | None]
    """The version that was changed."""
    files: Mapped[str | None]
    """JSON of the `ArtifactRef` of a zip with the folder's other files."""
    diff: Mapped[str] = mapped_column(server_default="")
    adopted_at: Mapped[datetime | None]

    __table_args__ = (UniqueConstraint("name", "digest"), {"schema": "skills"})


class TrialRow(Table):
    """One trial of a version."""

    __tablename__ = "trial"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    name: Mapped[str]
    for_role: Mapped[str]
    version: Mapped[int]
    request: Mapped[str]
    """JSON of the `TrialRequested`."""
    pinned: Mapped[str]
    """JSON of the learned skills that all its runs are offered, besides the one on trial."""
    verdict: Mapped[str | None]
    """None while it is not completed."""
    outcome: Mapped[str | None]
    """JSON of the `TrialCompleted`."""
    requested_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (Index(None, "name", "version"), {"schema": "skills"})


class TrialRunRow(Table):
    """One run of a trial that has ended."""

    __tablename__ = "trial_run"

    run_id: Mapped[UUID] = mapped_column(primary_key=True)
    trial_id: Mapped[UUID]
    pair: Mapped[int]
    arm: Mapped[str]
    is_solved: Mapped[bool]
    failures: Mapped[int]
    target_failures: Mapped[int]

    __table_args__ = (Index(None, "trial_id"), {"schema": "skills"})


class OfferRow(Table):
    """The skills that one role of a run was offered first, and keeps."""

    __tablename__ = "offer"

    run_id: Mapped[UUID] = mapped_column(primary_key=True)
    role: Mapped[str] = mapped_column(primary_key=True)
    skills: Mapped[str]
    """JSON of the `SkillsOffered`."""
    offered_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = ({"schema": "skills"},)


class FailedRunRow(Table):
    """A run that failed, since the last success on its benchmark."""

    __tablename__ = "failed_run"

    run_id: Mapped[UUID] = mapped_column(primary_key=True)
    benchmark: Mapped[str]
    place: Mapped[int]
    """Its number among these failures, from 1."""

    __table_args__ = (Index(None, "benchmark"), {"schema": "skills"})


class BenchmarkRow(Table):
    """A generated benchmark."""

    __tablename__ = "benchmark"

    name: Mapped[str] = mapped_column(primary_key=True)
    run_id: Mapped[UUID]
    """The run that generated it."""
    title: Mapped[str]
    level: Mapped[int]
    task: Mapped[str]
    """What the user ordered."""
    model: Mapped[str]
    digest: Mapped[str]
    """Of what makes the benchmark, without name and description."""
    has_motion: Mapped[bool]
    artifact: Mapped[str]
    """JSON of the `ArtifactRef` of the zip with its files."""
    published_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (UniqueConstraint("run_id"), UniqueConstraint("digest"), {"schema": "benchmarks"})


class BackupRequestRow(Table):
    """A request of a backup."""

    __tablename__ = "request"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    state: Mapped[str] = mapped_column(server_default="requested")
    requested_at: Mapped[datetime] = mapped_column(server_default=func.now())
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    name: Mapped[str | None]
    problem: Mapped[str | None]

    __table_args__ = (
        Index(None, "state", unique=True, postgresql_where=text("state = 'requested'")),
        {"schema": "backups"},
    )


class EndedSessionRow(Table):
    """A session of a browser that ended before its time."""

    __tablename__ = "ended"

    id: Mapped[str] = mapped_column(primary_key=True)
    expires_at: Mapped[datetime]

    __table_args__ = ({"schema": "sessions"},)
