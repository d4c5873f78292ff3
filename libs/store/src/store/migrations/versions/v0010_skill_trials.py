"""Status and lineage of skills, their trials, what runs were offered, and runs that failed in a row."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

NOW = sa.text("now()")


def upgrade() -> None:
    """Create columns and tables; every version that exists is adopted."""
    for column in (
        sa.Column("status", sa.Text, nullable=False, server_default="adopted"),
        sa.Column("base_version", sa.Integer, nullable=True),
        sa.Column("files", sa.Text, nullable=True),
        sa.Column("diff", sa.Text, nullable=False, server_default=""),
        sa.Column("adopted_at", sa.DateTime(timezone=True), nullable=True),
    ):
        op.add_column("skill", column, schema="skills")
    op.execute(sa.text("UPDATE skills.skill SET adopted_at = learned_at"))
    _create_trials()
    op.create_table(
        "offer",
        sa.Column("run_id", sa.Uuid, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("skills", sa.Text, nullable=False),
        sa.Column("offered_at", sa.DateTime(timezone=True), nullable=False, server_default=NOW),
        sa.PrimaryKeyConstraint("run_id", "role", name="pk_offer"),
        schema="skills",
    )
    op.create_table(
        "failed_run",
        sa.Column("run_id", sa.Uuid, nullable=False),
        sa.Column("benchmark", sa.Text, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("run_id", name="pk_failed_run"),
        schema="skills",
    )
    op.create_index("ix_failed_run_benchmark", "failed_run", ["benchmark"], schema="skills")


def _create_trials() -> None:
    op.create_table(
        "trial",
        sa.Column("id", sa.Uuid, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("for_role", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("request", sa.Text, nullable=False),
        sa.Column("pinned", sa.Text, nullable=False),
        sa.Column("verdict", sa.Text, nullable=True),
        sa.Column("outcome", sa.Text, nullable=True),
        sa.Column("requested_at", sa.DateTime(timezone=True), nullable=False, server_default=NOW),
        sa.PrimaryKeyConstraint("id", name="pk_trial"),
        schema="skills",
    )
    op.create_index("ix_trial_name_version", "trial", ["name", "version"], schema="skills")
    op.create_table(
        "trial_run",
        sa.Column("run_id", sa.Uuid, nullable=False),
        sa.Column("trial_id", sa.Uuid, nullable=False),
        sa.Column("pair", sa.Integer, nullable=False),
        sa.Column("arm", sa.Text, nullable=False),
        sa.Column("is_solved", sa.Boolean, nullable=False),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("target_failures", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("run_id", name="pk_trial_run"),
        schema="skills",
    )
    op.create_index("ix_trial_run_trial_id", "trial_run", ["trial_id"], schema="skills")
