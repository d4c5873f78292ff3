"""The artifacts that events name, so that one can be looked up by its digest; those of recorded events are added."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

RECORDED = r"""
INSERT INTO log.artifact_names (sha256, media_type)
SELECT DISTINCT ON (named.found[1]) named.found[1], named.found[2]
FROM (
    SELECT regexp_matches(
        convert_from(body, 'UTF8'), '"sha256":"([0-9a-f]{64})","media_type":"([\w/+.-]{1,100})"', 'g'
    ) AS found, stream_sequence
    FROM log.events
) AS named
ORDER BY named.found[1], named.stream_sequence
ON CONFLICT DO NOTHING
"""
"""References have this form in what our services publish."""


def upgrade() -> None:
    """Create the table and fill it."""
    op.create_table(
        "artifact_names",
        sa.Column("sha256", sa.Text, nullable=False),
        sa.Column("media_type", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("sha256", name="pk_artifact_names"),
        schema="log",
    )
    op.execute(sa.text(RECORDED.replace(":", r"\:")))
