"""The read models; `millwright migrate` then fills them from the log."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.schema import CreateSchema

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

COLUMNS = {
    "runs": """
        run_id uuid NOT NULL, kind text NOT NULL, sequence bigint, benchmark text, title text, task text, seed
        bigint, level bigint, quantity bigint, model text, executor text, continues uuid, requested_at timestamptz,
        queued_at timestamptz, begun_at timestamptz, ended_at timestamptz, outcome text, reason text, detail text,
        verdict text, stability text, success_rate double precision, unit_price_usd double precision, mass_kg double
        precision, parts bigint, design text, picture text, events bigint NOT NULL, model_calls bigint NOT NULL,
        lost_replies bigint NOT NULL, input_tokens bigint NOT NULL, cached_input_tokens bigint NOT NULL,
        output_tokens bigint NOT NULL, cost_usd numeric NOT NULL, unpriced_calls bigint NOT NULL, cells bigint NOT
        NULL, simulations bigint NOT NULL, submissions bigint NOT NULL, rejections bigint NOT NULL, last_at
        timestamptz
    """,
    "conversations": """
        run_id uuid NOT NULL, role text NOT NULL, model text, calls bigint NOT NULL, rejected_replies bigint NOT
        NULL, lost_replies bigint NOT NULL, tool_answers bigint NOT NULL, input_tokens bigint NOT NULL,
        cached_input_tokens bigint NOT NULL, output_tokens bigint NOT NULL, cost_usd numeric NOT NULL, duration_s
        numeric NOT NULL, unpriced_calls bigint NOT NULL, last_step bigint, first_at timestamptz, last_at
        timestamptz
    """,
    "model_calls": """
        id uuid NOT NULL, run_id uuid NOT NULL, role text NOT NULL, sequence bigint NOT NULL, step bigint NOT NULL,
        purpose text NOT NULL, model text NOT NULL, ending text NOT NULL, prompt_digest text NOT NULL, occurred_at
        timestamptz, new_messages bigint NOT NULL, images bigint NOT NULL, tool_calls bigint NOT NULL, prompt_tokens
        bigint NOT NULL, input_tokens bigint NOT NULL, cached_input_tokens bigint NOT NULL, output_tokens bigint NOT
        NULL, duration_s double precision, cost_usd numeric, cause_id uuid
    """,
    "cells": """
        id uuid NOT NULL, run_id uuid NOT NULL, role text NOT NULL, sequence bigint, cause_id uuid, purpose text,
        code_chars bigint, requested_at timestamptz, completed_at timestamptz, status text, error_type text,
        error_message text, error_line bigint, elapsed_s double precision, output_chars bigint, variables bigint,
        images bigint, simulations bigint, epoch bigint, was_recovered boolean, ending text
    """,
    "files": """
        id uuid NOT NULL, run_id uuid NOT NULL, role text NOT NULL, sequence bigint, cause_id uuid, action text,
        path text, requested_at timestamptz, answered_at timestamptz, outcome text, reason text, size_bytes bigint,
        findings bigint
    """,
    "simulations": """
        id uuid NOT NULL, run_id uuid NOT NULL, role text NOT NULL, sequence bigint, purpose text, replicas bigint,
        seed bigint, requested_at timestamptz, ended_at timestamptz, verdict text, stability text, success_rate
        double precision, ending text, cause text, culprit text, decided_after_s double precision, peak_supply_w
        double precision, trajectory_digest text, failure_reason text
    """,
    "designs": """
        id uuid NOT NULL, run_id uuid NOT NULL, sequence bigint, digest text, submitted_at timestamptz, validated_at
        timestamptz, invalidated_at timestamptz, simulated_at timestamptz, findings bigint, quantity bigint,
        unit_price_usd double precision, mass_kg double precision, parts bigint, review_request_id uuid, verdict
        text, stability text, success_rate double precision
    """,
    "parts": """
        design_id uuid NOT NULL, number bigint NOT NULL, run_id uuid NOT NULL, source text NOT NULL, label text NOT
        NULL, method text, material_id text, catalog_id text, count bigint NOT NULL, mass_kg double precision,
        unit_price_usd double precision, material_usd double precision, machine_usd double precision, setup_usd
        double precision, tooling_usd double precision, margin_usd double precision
    """,
    "reviews": """
        id uuid NOT NULL, run_id uuid NOT NULL, sequence bigint NOT NULL, reviewed_id uuid, subject text NOT NULL,
        verdict text NOT NULL, review_md text NOT NULL, occurred_at timestamptz, evidence bigint, replicas bigint,
        reached bigint, success_rate double precision
    """,
    "journal_entries": """
        id uuid NOT NULL, run_id uuid NOT NULL, role text NOT NULL, sequence bigint NOT NULL, number bigint NOT
        NULL, about text NOT NULL, intent text NOT NULL, result text NOT NULL, reflection text NOT NULL, next_step
        text NOT NULL, occurred_at timestamptz, from_token bigint NOT NULL, to_token bigint NOT NULL
    """,
    "skills": """
        id uuid NOT NULL, run_id uuid NOT NULL, sequence bigint NOT NULL, name text NOT NULL, version bigint NOT
        NULL, for_role text NOT NULL, description text NOT NULL, digest text NOT NULL, learned_at timestamptz
    """,
    "skill_offers": """
        offer_id uuid NOT NULL, number bigint NOT NULL, run_id uuid NOT NULL, role text NOT NULL, name text NOT
        NULL, version bigint NOT NULL, offered_at timestamptz
    """,
    "failures": """
        event_id uuid NOT NULL, number bigint NOT NULL, run_id uuid NOT NULL, role text NOT NULL, sequence bigint
        NOT NULL, type text NOT NULL, reason text NOT NULL, label text NOT NULL, detail text NOT NULL, occurred_at
        timestamptz
    """,
}
KEYS = {
    "runs": "run_id",
    "conversations": "run_id, role",
    "parts": "design_id, number",
    "skill_offers": "offer_id, number",
    "failures": "event_id, number",
}
"""Of the other tables: id."""
INDEXES = {
    "runs": ("benchmark, sequence", "kind, sequence", "model, sequence", "outcome, sequence", "sequence, run_id"),
    "model_calls": ("run_id, sequence",),
    "cells": ("run_id, sequence",),
    "files": ("run_id, sequence",),
    "simulations": ("run_id, sequence",),
    "designs": ("run_id, sequence",),
    "parts": ("catalog_id", "run_id"),
    "reviews": ("run_id, sequence",),
    "journal_entries": ("run_id, sequence",),
    "skills": ("name, version", "run_id"),
    "skill_offers": ("name, version", "run_id"),
    "failures": ("run_id, sequence", "type, reason, sequence"),
}
UPDATED = ("runs", "conversations")
"""Tables whose rows many events change: free space in their pages spares the indexes."""
STEPS = """
CREATE VIEW read_models.steps AS
SELECT call.run_id, call.role, call.step, call.sequence, call.occurred_at, call.id AS model_call_id, call.model,
    call.input_tokens, call.output_tokens, call.cost_usd, call.ending AS reply_ending,
    CASE WHEN cell.id IS NOT NULL THEN 'cell' ELSE file.action END AS action,
    coalesce(cell.id, file.id) AS action_id,
    coalesce(cell.purpose, file.path) AS subject,
    coalesce(cell.status, file.outcome) AS outcome,
    coalesce(cell.error_type, file.reason) AS reason,
    coalesce(cell.completed_at, file.answered_at) AS answered_at
FROM read_models.model_calls AS call
LEFT JOIN read_models.cells AS cell
    ON cell.run_id = call.run_id AND cell.role = call.role AND cell.cause_id = call.cause_id
LEFT JOIN read_models.files AS file
    ON file.run_id = call.run_id AND file.role = call.role AND file.cause_id = call.cause_id
WHERE call.purpose = 'act'
"""
"""A step: one model call with the cell or file that the role decided on."""


def upgrade() -> None:
    """Create the tables and the view."""
    op.execute(CreateSchema("read_models", if_not_exists=True))
    for name, columns in COLUMNS.items():
        key = KEYS.get(name, "id")
        options = " WITH (fillfactor = 70)" if name in UPDATED else ""
        op.execute(f"CREATE TABLE read_models.{name} ({columns}, CONSTRAINT pk_{name} PRIMARY KEY ({key})){options}")
    for name, indexes in INDEXES.items():
        for columns in indexes:
            op.create_index(f"ix_{name}_{columns.replace(', ', '_')}", name, columns.split(", "), schema="read_models")
    op.create_index(
        "ix_runs_open", "runs", ["sequence"], schema="read_models", postgresql_where=sa.text("ended_at IS NULL")
    )
    op.create_table(
        "state",
        sa.Column("one", sa.Boolean, nullable=False, server_default=sa.text("true")),
        sa.Column("version", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("one", name="pk_state"),
        schema="read_models",
    )
    op.execute(STEPS)
