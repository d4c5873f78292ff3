"""Each role remembers in a schema of its own, so that none can rewrite another's memory.

What lay in the schema that they shared is dropped: a checkpoint is a cache, and a thread that finds none is told again
from the log (decision 0010), without asking a model. LangGraph's saver makes its tables itself.
"""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

ROLES = ("planner", "engineer", "critic", "skill_learner", "catalog")


def upgrade() -> None:
    """Make a schema for each role, and drop the one for all."""
    for role in ROLES:
        op.execute(f"CREATE SCHEMA checkpoints_{role}")
    op.execute("DROP SCHEMA checkpoints CASCADE")
