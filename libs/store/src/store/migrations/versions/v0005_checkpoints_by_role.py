"""A schema of checkpoints for each role, so that no role can change another role's checkpoints.

The schema that roles shared is dropped: a checkpoint is a cache, and a thread without one is restored from the event
log without calling a model. LangGraph's saver creates the tables.
"""

from alembic import op
from sqlalchemy.schema import CreateSchema, DropSchema

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

ROLES = ("planner", "engineer", "critic", "skill_learner", "catalog")


def upgrade() -> None:
    """Create a schema for each role, and drop the shared one."""
    for role in ROLES:
        op.execute(CreateSchema(f"checkpoints_{role}"))
    op.execute(DropSchema("checkpoints", cascade=True))
