"""A schema for the checkpoints of the role that answers questions."""

from alembic import op
from sqlalchemy.schema import CreateSchema

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the schema."""
    op.execute(CreateSchema("checkpoints_spatial_agent"))
