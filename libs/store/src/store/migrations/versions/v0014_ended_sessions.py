"""Sessions of browsers that ended before their time, which the gateway writes."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.schema import CreateSchema

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create schema and table."""
    op.execute(CreateSchema("sessions"))
    op.create_table(
        "ended",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_ended"),
        schema="sessions",
    )
