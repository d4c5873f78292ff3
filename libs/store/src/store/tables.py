"""The tables as SQLAlchemy sees them. The migrations make them; a test holds the two together."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, Index, LargeBinary, MetaData, UniqueConstraint, func
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from store.columns import SearchText, SearchTime

OWN_SCHEMA = "store"
"""Holds nothing but the number of the newest migration."""
SCHEMAS = (
    "log",
    "skills",
    "catalog",
    "checkpoints_planner",
    "checkpoints_engineer",
    "checkpoints_critic",
    "checkpoints_skill_learner",
    "checkpoints_catalog",
)
"""One per owner: recorder; skill-learner; catalog, whose tables stand in `catalog_tables`; and for each role what it
remembers, in tables that LangGraph's saver makes itself."""

NAMES = {
    "pk": "pk_%(table_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
}


class Table(DeclarativeBase):
    """What all tables share."""

    metadata = MetaData(naming_convention=NAMES)
    type_annotation_map = {str: SearchText, datetime: SearchTime}  # noqa: RUF012 - SQLAlchemy's own form


class EventRow(Table):
    """One event. `body` is the message as it was received; the other columns are copies to search by."""

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
    """Bytes, because text has no place for NUL and jsonb reorders what was said; the view `log.told` shows them."""

    __table_args__ = (
        Index(None, "run_id", "stream_sequence"),
        Index(None, "type", "stream_sequence"),
        {"schema": "log"},
    )


class UnreadableRow(Table):
    """One message that is no event of ours. The digest keeps two messages apart should a new stream count from 1."""

    __tablename__ = "unreadable"

    stream_sequence: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    digest: Mapped[str] = mapped_column(primary_key=True)
    """sha256 of `data`."""
    subject: Mapped[str]
    reason: Mapped[str]
    data: Mapped[bytes] = mapped_column(LargeBinary)
    recorded_at: Mapped[datetime] = mapped_column(server_default=func.now())

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

    __table_args__ = (UniqueConstraint("name", "digest"), {"schema": "skills"})
