"""Read models of questions and of trials; `millwright migrate` then fills them from the log."""

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

COLUMNS = {
    "questions": """
        run_id uuid NOT NULL, sequence bigint, cause_id uuid, asked_by text, text text, answer_kind text, model text,
        vision_model text, executor text, is_planned boolean, frames bigint, is_video boolean, requested_at
        timestamptz, ended_at timestamptz, outcome text, ending text, answer text, reason text, detail text, steps
        bigint, cells bigint NOT NULL, perceptions bigint NOT NULL, looks bigint NOT NULL
    """,
    "trials": """
        run_id uuid NOT NULL, sequence bigint, name text, for_role text, version bigint, base_version bigint, model
        text, benchmarks text, target text, most_pairs bigint, requested_at timestamptz, ended_at timestamptz,
        verdict text, detail text, pairs bigint, current_runs bigint, current_solved bigint, proposed_runs bigint,
        proposed_solved bigint, current_failures_per_run double precision, current_target_failures_per_run double
        precision, proposed_failures_per_run double precision, proposed_target_failures_per_run double precision,
        solved_gain double precision, solved_low double precision, solved_high double precision, solved_confidence
        double precision, avoided_gain double precision, avoided_low double precision, avoided_high double
        precision, avoided_confidence double precision
    """,
    "trial_runs": "run_id uuid NOT NULL, trial_id uuid NOT NULL, arm text NOT NULL",
}
INDEXES = {
    "questions": ("sequence, run_id", "outcome, sequence"),
    "trials": ("name, version", "sequence, run_id"),
    "trial_runs": ("trial_id",),
}
UPDATED = ("questions",)
"""Tables whose rows many events change: free space in their pages spares the indexes."""


def upgrade() -> None:
    """Create the tables."""
    for name, columns in COLUMNS.items():
        options = " WITH (fillfactor = 70)" if name in UPDATED else ""
        op.execute(f"CREATE TABLE read_models.{name} ({columns}, CONSTRAINT pk_{name} PRIMARY KEY (run_id)){options}")
    for name, indexes in INDEXES.items():
        for index in indexes:
            op.create_index(f"ix_{name}_{index.replace(', ', '_')}", name, index.split(", "), schema="read_models")
