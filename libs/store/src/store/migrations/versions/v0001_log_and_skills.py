"""The event log, the skills, and a schema for the checkpoints."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.schema import CreateSchema

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

NOW = sa.text("now()")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create one schema per owner, and their tables."""
    for schema in ("log", "checkpoints", "skills"):
        op.execute(CreateSchema(schema, if_not_exists=True))
    _create_events()
    _create_unreadable()
    _create_skills()


def _create_events() -> None:
    op.create_table(
        "events",
        sa.Column("id", sa.Uuid, nullable=False),
        sa.Column("run_id", sa.Uuid, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("type", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("stream_sequence", sa.BigInteger, nullable=False),
        sa.Column("causation_id", sa.Uuid),
        sa.Column("producer", sa.Text, nullable=False),
        sa.Column("occurred_at", TIME, nullable=False),
        sa.Column("recorded_at", TIME, nullable=False, server_default=NOW),
        sa.Column("schema_version", sa.Integer, nullable=False),
        sa.Column("traceparent", sa.Text),
        sa.Column("body", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
        schema="log",
    )
    for first in ("run_id", "type"):
        columns = [first, "stream_sequence"]
        op.create_index(f"ix_events_{first}_stream_sequence", "events", columns, schema="log")


def _create_unreadable() -> None:
    op.create_table(
        "unreadable",
        sa.Column("stream_sequence", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.Column("recorded_at", TIME, nullable=False, server_default=NOW),
        sa.PrimaryKeyConstraint("stream_sequence", "digest", name="pk_unreadable"),
        schema="log",
    )


def _create_skills() -> None:
    op.create_table(
        "skill",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("for_role", sa.Text, nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("artifact", sa.Text, nullable=False),
        sa.Column("learned_from", sa.Uuid, nullable=False),
        sa.Column("learned_at", TIME, nullable=False, server_default=NOW),
        sa.PrimaryKeyConstraint("name", "version", name="pk_skill"),
        sa.UniqueConstraint("name", "digest", name="uq_skill_name_digest"),
        schema="skills",
    )
