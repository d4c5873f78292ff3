"""The catalog of bought parts, and a database role that may read only the catalog."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateSchema

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

READER = "millwright_catalog_reader"

PART_SEARCH = """
CREATE VIEW catalog.part_search AS
SELECT p.part_id, p.name, c.name AS category, p.subcategory, p.bbox_x_mm, p.bbox_y_mm, p.bbox_z_mm, p.mass_g,
       p.material_id, p.confidence, p.searched, min(r.unit_usd) AS from_usd
FROM catalog.part p JOIN catalog.category c USING (category_id) LEFT JOIN catalog.price r USING (part_id)
WHERE NOT p.discontinued
GROUP BY p.part_id, c.name
"""

CREATE_READER = f"""
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = '{READER}') THEN
        CREATE ROLE {READER} NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT;
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; -- a migration of another database created it first
END $$
"""
"""Roles belong to the whole server, so the role may exist. Creating it requires CREATEROLE; for a user without that, an
administrator creates the role beforehand and grants it."""

JOIN_READER = f"""
DO $$
BEGIN
    IF NOT pg_catalog.pg_has_role(current_user, '{READER}', 'MEMBER') THEN
        GRANT {READER} TO CURRENT_USER;
    END IF;
END $$
"""


def upgrade() -> None:
    """Create schema, tables, search view and role."""
    op.execute(CreateSchema("catalog", if_not_exists=True))
    _create_lists()
    _create_part()
    _create_price()
    _create_motor()
    _create_fastener()
    _create_bearing()
    _create_gear()
    _create_interface()
    for statement in (
        PART_SEARCH,
        CREATE_READER,
        JOIN_READER,
        f"GRANT USAGE ON SCHEMA catalog TO {READER}",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA catalog TO {READER}",
    ):
        op.execute(statement)


def _text(name: str, *, required: bool = True) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=not required)


def _positive(name: str, *, required: bool = False) -> sa.Column[float]:
    return sa.Column(name, sa.Double, sa.CheckConstraint(f"{name} > 0"), nullable=not required)


def _part_id() -> sa.Column[str]:
    reference = sa.ForeignKey("catalog.part.part_id", ondelete="CASCADE")
    return sa.Column("part_id", sa.Text, reference, primary_key=True)


def _create_lists() -> None:
    op.create_table(
        "meta",
        sa.Column("one", sa.Boolean, sa.CheckConstraint("one"), primary_key=True, server_default=sa.text("true")),
        _text("digest"),
        sa.Column("filled_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.text("now()")),
        _text("currency"),
        schema="catalog",
    )
    op.create_table(
        "category",
        sa.Column("category_id", sa.Integer, primary_key=True, autoincrement=False),
        _text("name"),
        sa.UniqueConstraint("name"),
        schema="catalog",
    )
    op.create_table(
        "supplier",
        sa.Column("supplier_id", sa.Integer, primary_key=True, autoincrement=False),
        _text("name"),
        _text("url", required=False),
        sa.UniqueConstraint("name"),
        schema="catalog",
    )


def _create_part() -> None:
    op.create_table(
        "part",
        sa.Column("part_id", sa.Text, primary_key=True),
        sa.Column("aliases", postgresql.ARRAY(sa.Text), nullable=False),
        _text("name"),
        sa.Column("category_id", sa.Integer, sa.ForeignKey("catalog.category.category_id"), nullable=False),
        _text("subcategory"),
        *(_positive(f"bbox_{axis}_mm") for axis in "xyz"),
        _positive("mass_g", required=True),
        _text("material_id"),
        _text("recipe_module", required=False),
        _text("recipe_class", required=False),
        sa.Column("recipe_args", postgresql.JSONB),
        sa.Column("is_exact", sa.Boolean, nullable=False),
        sa.Column("figures", postgresql.JSONB, nullable=False),
        _text("source"),
        _text("confidence"),
        sa.Column("discontinued", sa.Boolean, nullable=False, server_default=sa.text("false")),
        sa.Column("record", postgresql.JSONB, nullable=False),
        _text("words"),
        sa.Column(
            "searched",
            postgresql.TSVECTOR,
            sa.Computed("to_tsvector('english', words)", persisted=True),
            nullable=False,
        ),
        schema="catalog",
    )
    for column in ("searched", "aliases"):
        op.create_index(f"ix_part_{column}", "part", [column], schema="catalog", postgresql_using="gin")


def _create_price() -> None:
    op.create_table(
        "price",
        _part_id(),
        sa.Column("supplier_id", sa.Integer, sa.ForeignKey("catalog.supplier.supplier_id"), primary_key=True),
        sa.Column("min_quantity", sa.Integer, sa.CheckConstraint("min_quantity >= 1"), primary_key=True),
        sa.Column("unit_usd", sa.Double, sa.CheckConstraint("unit_usd >= 0"), nullable=False),
        _text("confidence"),
        schema="catalog",
    )


def _create_motor() -> None:
    kinds, controls = "'dc_gearmotor', 'rc_servo', 'stepper'", "'position', 'velocity', 'position_or_velocity'"
    op.create_table(
        "motor",
        _part_id(),
        sa.Column("kind", sa.Text, sa.CheckConstraint(f"kind IN ({kinds})"), nullable=False),
        sa.Column("control", sa.Text, sa.CheckConstraint(f"control IN ({controls})"), nullable=False),
        _positive("voltage_v", required=True),
        _positive("stall_torque_n_m", required=True),
        _positive("continuous_torque_n_m"),
        _positive("no_load_speed_rad_s", required=True),
        *(_positive(name) for name in ("stall_current_a", "gear_ratio", "range_deg", "shaft_d_mm", "step_deg")),
        sa.Column("rotor_inertia_kg_m2", sa.Double, sa.CheckConstraint("rotor_inertia_kg_m2 >= 0")),
        schema="catalog",
    )


def _create_fastener() -> None:
    op.create_table(
        "fastener",
        _part_id(),
        _text("standard", required=False),
        _positive("d_mm", required=True),
        _positive("pitch_mm"),
        _positive("length_mm"),
        _text("head"),
        _text("grade", required=False),
        _positive("proof_stress_mpa"),
        schema="catalog",
    )


def _create_bearing() -> None:
    op.create_table(
        "bearing",
        _part_id(),
        _text("code"),
        _positive("bore_mm"),
        sa.Column("od_mm", sa.Double, sa.CheckConstraint("od_mm > bore_mm")),
        _positive("width_mm"),
        _positive("dyn_load_n"),
        _positive("max_force_n"),
        schema="catalog",
    )


def _create_gear() -> None:
    op.create_table(
        "gear",
        _part_id(),
        _positive("module_mm", required=True),
        sa.Column("teeth", sa.Integer, sa.CheckConstraint("teeth >= 6"), nullable=False),
        _positive("pitch_d_mm", required=True),
        _positive("face_width_mm", required=True),
        _positive("bore_mm"),
        schema="catalog",
    )


def _create_interface() -> None:
    kinds = "'shaft', 'bolt_pattern', 'bore', 'face'"
    coordinates = ("x_mm", "y_mm", "z_mm", "axis_x", "axis_y", "axis_z")
    op.create_table(
        "interface",
        _part_id(),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, sa.CheckConstraint(f"kind IN ({kinds})"), nullable=False),
        *(sa.Column(name, sa.Double, nullable=False) for name in coordinates),
        _positive("size_mm"),
        schema="catalog",
    )
