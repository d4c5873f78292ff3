"""The tables of the catalog as SQLAlchemy sees them: mm, g, N m, rad/s, A, V, N, USD."""

from sqlalchemy import (
    TIMESTAMP,
    Boolean,
    Column,
    Computed,
    Double,
    ForeignKey,
    Index,
    Integer,
    Text,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy import Table as CoreTable
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TSVECTOR

from store.tables import Table

SCHEMA = "catalog"
METADATA = Table.metadata


def _number(name: str, *, is_needed: bool = False) -> Column[float]:
    return Column(name, Double, nullable=not is_needed)


def _word(name: str, *, is_needed: bool = True) -> Column[str]:
    return Column(name, Text, nullable=not is_needed)


def _of_part() -> Column[str]:
    return Column("part_id", Text, ForeignKey("catalog.part.part_id", ondelete="CASCADE"), primary_key=True)


meta = CoreTable(
    "meta",
    METADATA,
    Column("one", Boolean, primary_key=True, server_default=text("true")),
    _word("digest"),
    Column("filled_at", TIMESTAMP(timezone=True), nullable=False, server_default=func.now()),
    _word("currency"),
    schema=SCHEMA,
)
"""One row: which data set the catalog holds (`parts_catalog.parts.digest`)."""

category = CoreTable(
    "category",
    METADATA,
    Column("category_id", Integer, primary_key=True, autoincrement=False),
    _word("name"),
    UniqueConstraint("name"),
    schema=SCHEMA,
)

supplier = CoreTable(
    "supplier",
    METADATA,
    Column("supplier_id", Integer, primary_key=True, autoincrement=False),
    _word("name"),
    _word("url", is_needed=False),
    UniqueConstraint("name"),
    schema=SCHEMA,
)

part = CoreTable(
    "part",
    METADATA,
    Column("part_id", Text, primary_key=True),
    Column("aliases", ARRAY(Text), nullable=False),
    _word("name"),
    Column("category_id", Integer, ForeignKey("catalog.category.category_id"), nullable=False),
    _word("subcategory"),
    *(_number(f"bbox_{axis}_mm") for axis in "xyz"),
    _number("mass_g", is_needed=True),
    _word("material_id"),
    _word("recipe_module", is_needed=False),
    _word("recipe_class", is_needed=False),
    Column("recipe_args", JSONB),
    Column("is_exact", Boolean, nullable=False),
    Column("figures", JSONB, nullable=False),
    _word("source"),
    _word("confidence"),
    Column("discontinued", Boolean, nullable=False, server_default=text("false")),
    Column("record", JSONB, nullable=False),
    _word("words"),
    Column("searched", TSVECTOR, Computed("to_tsvector('english'::regconfig, words)", persisted=True), nullable=False),
    Index("ix_part_searched", "searched", postgresql_using="gin"),
    Index("ix_part_aliases", "aliases", postgresql_using="gin"),
    schema=SCHEMA,
)
"""`record` is the whole `contracts.events.catalog.CatalogPart`; the other columns are there to search by."""

price = CoreTable(
    "price",
    METADATA,
    _of_part(),
    Column("supplier_id", Integer, ForeignKey("catalog.supplier.supplier_id"), primary_key=True),
    Column("min_quantity", Integer, primary_key=True, autoincrement=False),
    _number("unit_usd", is_needed=True),
    _word("confidence"),
    schema=SCHEMA,
)

motor = CoreTable(
    "motor",
    METADATA,
    _of_part(),
    _word("kind"),
    _word("control"),
    _number("voltage_v", is_needed=True),
    _number("stall_torque_n_m", is_needed=True),
    _number("continuous_torque_n_m"),
    _number("no_load_speed_rad_s", is_needed=True),
    *(_number(name) for name in ("stall_current_a", "gear_ratio", "range_deg", "shaft_d_mm", "step_deg")),
    _number("rotor_inertia_kg_m2"),
    schema=SCHEMA,
)

fastener = CoreTable(
    "fastener",
    METADATA,
    _of_part(),
    _word("standard", is_needed=False),
    _number("d_mm", is_needed=True),
    _number("pitch_mm"),
    _number("length_mm"),
    _word("head"),
    _word("grade", is_needed=False),
    _number("proof_stress_mpa"),
    schema=SCHEMA,
)

bearing = CoreTable(
    "bearing",
    METADATA,
    _of_part(),
    _word("code"),
    *(_number(name) for name in ("bore_mm", "od_mm", "width_mm", "dyn_load_n", "max_force_n")),
    schema=SCHEMA,
)

gear = CoreTable(
    "gear",
    METADATA,
    _of_part(),
    _number("module_mm", is_needed=True),
    Column("teeth", Integer, nullable=False),
    _number("pitch_d_mm", is_needed=True),
    _number("face_width_mm", is_needed=True),
    _number("bore_mm"),
    schema=SCHEMA,
)

sprocket = CoreTable(
    "sprocket",
    METADATA,
    _of_part(),
    _word("chain"),
    Column("teeth", Integer, nullable=False),
    *(_number(name, is_needed=True) for name in ("pitch_mm", "pitch_d_mm", "roller_d_mm", "tooth_width_mm")),
    _number("bore_mm"),
    schema=SCHEMA,
)

interface = CoreTable(
    "interface",
    METADATA,
    _of_part(),
    Column("name", Text, primary_key=True),
    _word("kind"),
    *(_number(name, is_needed=True) for name in ("x_mm", "y_mm", "z_mm", "axis_x", "axis_y", "axis_z")),
    _number("size_mm"),
    schema=SCHEMA,
)
