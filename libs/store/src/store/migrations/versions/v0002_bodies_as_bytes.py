"""Bodies as the bytes that were received, and a view that shows them as text and JSON."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

AS_JSON = """
CREATE FUNCTION log.as_json(told text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN told::jsonb;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    RETURN NULL;
END $$
"""
"""Only Postgres 16 and later can test whether a text is valid jsonb."""

READABLE_VIEW = r"""
CREATE VIEW log.told AS
WITH worded AS (SELECT *, convert_from(body, 'UTF8') AS text FROM log.events),
bent AS (SELECT *, regexp_replace(text, '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ufffd', 'g') AS bent FROM worded)
SELECT
    stream_sequence, occurred_at, run_id, role, type, producer, id, causation_id, recorded_at, traceparent, text,
    log.as_json(bent) AS json
FROM bent
"""
"""jsonb cannot represent an escaped NUL, which becomes U+FFFD, nor some numbers: for these `json` is null."""


def upgrade() -> None:
    """Convert the bodies that are stored as text, and create the view."""
    op.alter_column(
        "events",
        "body",
        schema="log",
        type_=sa.LargeBinary(),
        existing_nullable=False,
        postgresql_using="convert_to(body, 'UTF8')",
    )
    op.execute(sa.text(AS_JSON.replace(":", r"\:")))
    op.execute(sa.text(READABLE_VIEW.replace(":", r"\:")))
