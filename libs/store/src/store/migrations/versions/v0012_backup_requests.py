"""Requests of backups, which the gateway writes."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.schema import CreateSchema

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create schema and table; at most one request waits."""
    op.execute(CreateSchema("backups"))
    op.create_table(
        "request",
        sa.Column("id", sa.Uuid, nullable=False),
        sa.Column("state", sa.Text, nullable=False, server_default="requested"),
        sa.Column("requested_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.text("now()")),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("name", sa.Text, nullable=True),
        sa.Column("problem", sa.Text, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_request"),
        schema="backups",
    )
    waiting = sa.text("state = 'requested'")
    op.create_index("ix_request_state", "request", ["state"], unique=True, schema="backups", postgresql_where=waiting)
