"""Read models of skills that runs pin, and that roles open; `millwright migrate` then fills them from the log."""

from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

TABLES = {
    "pinned_skills": ("run_id uuid, for_role text, name text, version bigint NOT NULL", "run_id, for_role, name"),
    "skill_openings": ("id uuid, name text, run_id uuid NOT NULL, role text NOT NULL", "id, name"),
}


def upgrade() -> None:
    """Create the tables, which have an index by name of the skill."""
    for name, (columns, key) in TABLES.items():
        op.execute(f"CREATE TABLE read_models.{name} ({columns}, CONSTRAINT pk_{name} PRIMARY KEY ({key}))")
        op.create_index(f"ix_{name}_name", name, ["name"], schema="read_models")
