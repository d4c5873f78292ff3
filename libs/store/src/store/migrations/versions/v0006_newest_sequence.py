"""An index for the newest recorded sequence, which every start and every batch of the recorder asks for."""

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the index."""
    op.create_index("ix_events_stream_sequence", "events", ["stream_sequence"], schema="log")
