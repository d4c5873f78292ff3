"""The tables of the catalog in SQLAlchemy; units are mm, g, N m, rad/s, A, V, N and USD."""

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
from sqlalchemy.schema import SchemaItem

from store.tables import Table

SCHEMA = "catalog"


def _table(name: str, *items: SchemaItem) -> CoreTable:
    return CoreTable(name, Table.metadata, *items, schema=SCHEMA)


def _number(name: str, *, required: bool = False) -> Column[float]:
    return Column(name, Double, nullable=not required)


def _text(name: str, *, required: bool = True) -> Column[str]:
    return Column(name, Text, nullable=not required)


def _part_id() -> Column[str]:
    return Column("part_id", Text, ForeignKey("catalog.part.part_id", ondelete="CASCADE"), primary_key=True)


meta = _table(
    "meta",
    Column("one", Boolean, primary_key=True, server_default=text("true")),
    _text("digest"),
    Column("filled_at", TIMESTAMP(timezone=True), nullable=False, server_default=func.now()),
    _text("currency"),
)
"""One row: the digest of the data set in the catalog (`parts_catalog.parts.digest`)."""

category = _table(
    "category",
    Column("category_id", Integer, primary_key=True, autoincrement=False),
    _text("name"),
    UniqueConstraint("name"),
)

supplier = _table(
    "supplier",
    Column("supplier_id", Integer, primary_key=True, autoincrement=False),
    _text("name"),
    _text("url", required=False),
    UniqueConstraint("name"),
)

part = _table(
    "part",
    Column("part_id", Text, primary_key=True),
    Column("aliases", ARRAY(Text), nullable=False),
    _text("name"),
    Column("category_id", Integer, ForeignKey("catalog.category.category_id"), nullable=False),
    _text("subcategory"),
    *(_number(f"bbox_{axis}_mm") for axis in "xyz"),
    _number("mass_g", required=True),
    _text("material_id"),
    _text("recipe_module", required=False),
    _text("recipe_class", required=False),
    Column("recipe_args", JSONB),
    Column("is_exact", Boolean, nullable=False),
    Column("figures", JSONB, nullable=False),
    _text("source"),
    _text("confidence"),
    Column("discontinued", Boolean, nullable=False, server_default=text("false")),
    Column("record", JSONB, nullable=False),
    _text("words"),
    Column("searched", TSVECTOR, Computed("to_tsvector('english'::regconfig, words)", persisted=True), nullable=False),
    Index("ix_part_searched", "searched", postgresql_using="gin"),
    Index("ix_part_aliases", "aliases", postgresql_using="gin"),
)
"""`record` is the whole `contracts.models.catalog.CatalogPart`; the other columns are copies to search by."""

price = _table(
    "price",
    _part_id(),
    Column("supplier_id", Integer, ForeignKey("catalog.supplier.supplier_id"), primary_key=True),
    Column("min_quantity", Integer, primary_key=True, autoincrement=False),
    _number("unit_usd", required=True),
    _text("confidence"),
)

motor = _table(
    "motor",
    _part_id(),
    _text("kind"),
    _text("control"),
    _number("voltage_v", required=True),
    _number("stall_torque_n_m", required=True),
    _number("continuous_torque_n_m"),
    _number("no_load_speed_rad_s", required=True),
    *(_number(name) for name in ("stall_current_a", "gear_ratio", "range_deg", "shaft_d_mm", "step_deg")),
    _number("rotor_inertia_kg_m2"),
)

fastener = _table(
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

bearing = _table(
    "bearing",
    _part_id(),
    _text("code"),
    *(_number(name) for name in ("bore_mm", "od_mm", "width_mm", "dyn_load_n", "max_force_n")),
)

gear = _table(
    "gear",
    _part_id(),
    _number("module_mm", required=True),
    Column("teeth", Integer, nullable=False),
    _number("pitch_d_mm", required=True),
    _number("face_width_mm", required=True),
    _number("bore_mm"),
)

sprocket = _table(
    "sprocket",
    _part_id(),
    _text("chain"),
    Column("teeth", Integer, nullable=False),
    *(_number(name, required=True) for name in ("pitch_mm", "pitch_d_mm", "roller_d_mm", "tooth_width_mm")),
    _number("bore_mm"),
)

interface = _table(
    "interface",
    _part_id(),
    Column("name", Text, primary_key=True),
    _text("kind"),
    *(_number(name, required=True) for name in ("x_mm", "y_mm", "z_mm", "axis_x", "axis_y", "axis_z")),
    _number("size_mm"),
)
