"""The catalog of bought parts. `store.catalog.reader_role` lets a role read it."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateSchema

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

PART_SEARCH = """
CREATE VIEW catalog.part_search AS
SELECT p.part_id, p.name, c.name AS category, p.subcategory, p.bbox_x_mm, p.bbox_y_mm, p.bbox_z_mm, p.mass_g,
       p.material_id, p.confidence, p.searched, min(r.unit_usd) AS from_usd
FROM catalog.part p JOIN catalog.category c USING (category_id) LEFT JOIN catalog.price r USING (part_id)
WHERE NOT p.discontinued
GROUP BY p.part_id, c.name
"""


def upgrade() -> None:
    """Create schema, tables and search view."""
    op.execute(CreateSchema("catalog", if_not_exists=True))
    _create_lists()
    _create_parts()
    _create_figures()
    _create_interfaces()
    op.execute(PART_SEARCH)


def _create(name: str, *columns: sa.schema.SchemaItem) -> None:
    op.create_table(name, *columns, schema="catalog")


def _text(name: str, *, required: bool = True) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=not required)


def _one_of(name: str, *values: str) -> sa.Column[str]:
    listed = ", ".join(f"'{value}'" for value in values)
    return sa.Column(name, sa.Text, sa.CheckConstraint(f"{name} IN ({listed})"), nullable=False)


def _number(name: str, condition: str = "> 0", *, required: bool = False) -> sa.Column[float]:
    return sa.Column(name, sa.Double, sa.CheckConstraint(f"{name} {condition}"), nullable=not required)


def _part_id() -> sa.Column[str]:
    reference = sa.ForeignKey("catalog.part.part_id", ondelete="CASCADE")
    return sa.Column("part_id", sa.Text, reference, primary_key=True)


def _create_lists() -> None:
    _create(
        "meta",
        sa.Column("one", sa.Boolean, sa.CheckConstraint("one"), primary_key=True, server_default=sa.text("true")),
        _text("digest"),
        sa.Column("filled_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.text("now()")),
        _text("currency"),
    )
    _create(
        "category",
        sa.Column("category_id", sa.Integer, primary_key=True, autoincrement=False),
        _text("name"),
        sa.UniqueConstraint("name"),
    )
    _create(
        "supplier",
        sa.Column("supplier_id", sa.Integer, primary_key=True, autoincrement=False),
        _text("name"),
        _text("url", required=False),
        sa.UniqueConstraint("name"),
    )


def _create_parts() -> None:
    search_vector = sa.Computed("to_tsvector('english', words)", persisted=True)
    _create(
        "part",
        sa.Column("part_id", sa.Text, primary_key=True),
        sa.Column("aliases", postgresql.ARRAY(sa.Text), nullable=False),
        _text("name"),
        sa.Column("category_id", sa.Integer, sa.ForeignKey("catalog.category.category_id"), nullable=False),
        _text("subcategory"),
        *(_number(f"bbox_{axis}_mm") for axis in "xyz"),
        _number("mass_g", required=True),
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
        sa.Column("searched", postgresql.TSVECTOR, search_vector, nullable=False),
    )
    for column in ("searched", "aliases"):
        op.create_index(f"ix_part_{column}", "part", [column], schema="catalog", postgresql_using="gin")
    _create(
        "price",
        _part_id(),
        sa.Column("supplier_id", sa.Integer, sa.ForeignKey("catalog.supplier.supplier_id"), primary_key=True),
        sa.Column("min_quantity", sa.Integer, sa.CheckConstraint("min_quantity >= 1"), primary_key=True),
        _number("unit_usd", ">= 0", required=True),
        _text("confidence"),
    )


def _create_figures() -> None:
    _create(
        "motor",
        _part_id(),
        _one_of("kind", "dc_gearmotor", "rc_servo", "stepper"),
        _one_of("control", "position", "velocity", "position_or_velocity"),
        _number("voltage_v", required=True),
        _number("stall_torque_n_m", required=True),
        _number("continuous_torque_n_m"),
        _number("no_load_speed_rad_s", required=True),
        *(_number(name) for name in ("stall_current_a", "gear_ratio", "range_deg", "shaft_d_mm", "step_deg")),
        _number("rotor_inertia_kg_m2", ">= 0"),
    )
    _create(
        "fastener",
        _part_id(),
        _text("standard", required=False),
        _number("d_mm", required=True),
        _number("pitch_mm"),
        _number("length_mm"),
        _text("head"),
        _text("grade", required=False),
        _number("proof_stress_mpa"),
    )
    bearing = (_number("bore_mm"), _number("od_mm", "> bore_mm"), _number("width_mm"))
    _create("bearing", _part_id(), _text("code"), *bearing, _number("dyn_load_n"), _number("max_force_n"))
    _create(
        "gear",
        _part_id(),
        _number("module_mm", required=True),
        sa.Column("teeth", sa.Integer, sa.CheckConstraint("teeth >= 6"), nullable=False),
        _number("pitch_d_mm", required=True),
        _number("face_width_mm", required=True),
        _number("bore_mm"),
    )


def _create_interfaces() -> None:
    coordinates = ("x_mm", "y_mm", "z_mm", "axis_x", "axis_y", "axis_z")
    _create(
        "interface",
        _part_id(),
        sa.Column("name", sa.Text, primary_key=True),
        _one_of("kind", "shaft", "bolt_pattern", "bore", "face"),
        *(sa.Column(name, sa.Double, nullable=False) for name in coordinates),
        _number("size_mm"),
    )
