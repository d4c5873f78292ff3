"""The generated benchmarks, and a schema for the checkpoints of the role that generates them."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.schema import CreateSchema

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create both schemas and the table."""
    for schema in ("checkpoints_benchmark_generator", "benchmarks"):
        op.execute(CreateSchema(schema))
    op.create_table(
        "benchmark",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("run_id", sa.Uuid, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("level", sa.Integer, nullable=False),
        sa.Column("task", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("has_motion", sa.Boolean, nullable=False),
        sa.Column("artifact", sa.Text, nullable=False),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.text("now()")),
        sa.PrimaryKeyConstraint("name", name="pk_benchmark"),
        sa.UniqueConstraint("run_id", name="uq_benchmark_run_id"),
        sa.UniqueConstraint("digest", name="uq_benchmark_digest"),
        schema="benchmarks",
    )
