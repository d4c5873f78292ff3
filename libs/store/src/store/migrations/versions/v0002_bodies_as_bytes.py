"""Bodies as the bytes that were received, and a view for those who want to read them."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

TOLD = r"""
CREATE VIEW log.told AS SELECT
    stream_sequence, occurred_at, run_id, role, type, producer, id, causation_id, recorded_at, traceparent,
    convert_from(body, 'UTF8') AS text,
    regexp_replace(convert_from(body, 'UTF8'), '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ufffd', 'g')::jsonb AS json
FROM log.events
"""
"""jsonb has no place for an escaped NUL, so there, and only there, it becomes U+FFFD."""


def upgrade() -> None:
    """Convert what is there; a body that was stored as text is UTF-8."""
    op.alter_column(
        "events",
        "body",
        schema="log",
        type_=sa.LargeBinary(),
        existing_nullable=False,
        postgresql_using="convert_to(body, 'UTF8')",
    )
    op.execute(sa.text(TOLD.replace(":", r"\:")))
