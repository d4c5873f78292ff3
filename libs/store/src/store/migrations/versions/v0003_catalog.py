"""The catalog of what is sold, and a database role that can read it and nothing else. `store.filling` fills it."""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

READER = "millwright_catalog_reader"

TABLES = """
CREATE TABLE catalog.meta (
    one boolean CONSTRAINT pk_meta PRIMARY KEY DEFAULT true CHECK (one),
    digest text NOT NULL,
    filled_at timestamptz NOT NULL DEFAULT now(),
    currency text NOT NULL
);
CREATE TABLE catalog.category (
    category_id integer CONSTRAINT pk_category PRIMARY KEY,
    name text NOT NULL CONSTRAINT uq_category_name UNIQUE
);
CREATE TABLE catalog.supplier (
    supplier_id integer CONSTRAINT pk_supplier PRIMARY KEY,
    name text NOT NULL CONSTRAINT uq_supplier_name UNIQUE,
    url text
);
CREATE TABLE catalog.part (
    part_id text CONSTRAINT pk_part PRIMARY KEY,
    aliases text[] NOT NULL,
    name text NOT NULL,
    category_id integer NOT NULL REFERENCES catalog.category,
    subcategory text NOT NULL,
    bbox_x_mm double precision CHECK (bbox_x_mm > 0),
    bbox_y_mm double precision CHECK (bbox_y_mm > 0),
    bbox_z_mm double precision CHECK (bbox_z_mm > 0),
    mass_g double precision NOT NULL CHECK (mass_g > 0),
    material_id text NOT NULL,
    recipe_module text,
    recipe_class text,
    recipe_args jsonb,
    is_exact boolean NOT NULL,
    figures jsonb NOT NULL,
    source text NOT NULL,
    confidence text NOT NULL,
    discontinued boolean NOT NULL DEFAULT false,
    record jsonb NOT NULL,
    words text NOT NULL,
    searched tsvector NOT NULL GENERATED ALWAYS AS (to_tsvector('english', words)) STORED
);
CREATE INDEX ix_part_searched ON catalog.part USING gin (searched);
CREATE INDEX ix_part_aliases ON catalog.part USING gin (aliases);
CREATE TABLE catalog.price (
    part_id text REFERENCES catalog.part ON DELETE CASCADE,
    supplier_id integer REFERENCES catalog.supplier,
    min_quantity integer CHECK (min_quantity >= 1),
    unit_usd double precision NOT NULL CHECK (unit_usd >= 0),
    confidence text NOT NULL,
    CONSTRAINT pk_price PRIMARY KEY (part_id, supplier_id, min_quantity)
);
CREATE TABLE catalog.motor (
    part_id text CONSTRAINT pk_motor PRIMARY KEY REFERENCES catalog.part ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('dc_gearmotor', 'rc_servo', 'stepper')),
    control text NOT NULL CHECK (control IN ('position', 'velocity', 'position_or_velocity')),
    voltage_v double precision NOT NULL CHECK (voltage_v > 0),
    stall_torque_n_m double precision NOT NULL CHECK (stall_torque_n_m > 0),
    continuous_torque_n_m double precision CHECK (continuous_torque_n_m > 0),
    no_load_speed_rad_s double precision NOT NULL CHECK (no_load_speed_rad_s > 0),
    stall_current_a double precision CHECK (stall_current_a > 0),
    gear_ratio double precision CHECK (gear_ratio > 0),
    range_deg double precision CHECK (range_deg > 0),
    shaft_d_mm double precision CHECK (shaft_d_mm > 0),
    step_deg double precision CHECK (step_deg > 0),
    rotor_inertia_kg_m2 double precision CHECK (rotor_inertia_kg_m2 >= 0)
);
CREATE TABLE catalog.fastener (
    part_id text CONSTRAINT pk_fastener PRIMARY KEY REFERENCES catalog.part ON DELETE CASCADE,
    standard text,
    d_mm double precision NOT NULL CHECK (d_mm > 0),
    pitch_mm double precision CHECK (pitch_mm > 0),
    length_mm double precision CHECK (length_mm > 0),
    head text NOT NULL,
    grade text,
    proof_stress_mpa double precision CHECK (proof_stress_mpa > 0)
);
CREATE TABLE catalog.bearing (
    part_id text CONSTRAINT pk_bearing PRIMARY KEY REFERENCES catalog.part ON DELETE CASCADE,
    code text NOT NULL,
    bore_mm double precision CHECK (bore_mm > 0),
    od_mm double precision CHECK (od_mm > bore_mm),
    width_mm double precision CHECK (width_mm > 0),
    dyn_load_n double precision CHECK (dyn_load_n > 0),
    max_force_n double precision CHECK (max_force_n > 0)
);
CREATE TABLE catalog.gear (
    part_id text CONSTRAINT pk_gear PRIMARY KEY REFERENCES catalog.part ON DELETE CASCADE,
    module_mm double precision NOT NULL CHECK (module_mm > 0),
    teeth integer NOT NULL CHECK (teeth >= 6),
    pitch_d_mm double precision NOT NULL CHECK (pitch_d_mm > 0),
    face_width_mm double precision NOT NULL CHECK (face_width_mm > 0),
    bore_mm double precision CHECK (bore_mm > 0)
);
CREATE TABLE catalog.interface (
    part_id text REFERENCES catalog.part ON DELETE CASCADE,
    name text,
    kind text NOT NULL CHECK (kind IN ('shaft', 'bolt_pattern', 'bore', 'face')),
    x_mm double precision NOT NULL,
    y_mm double precision NOT NULL,
    z_mm double precision NOT NULL,
    axis_x double precision NOT NULL,
    axis_y double precision NOT NULL,
    axis_z double precision NOT NULL,
    size_mm double precision CHECK (size_mm > 0),
    CONSTRAINT pk_interface PRIMARY KEY (part_id, name)
);
CREATE VIEW catalog.part_search AS
SELECT p.part_id, p.name, c.name AS category, p.subcategory, p.bbox_x_mm, p.bbox_y_mm, p.bbox_z_mm, p.mass_g,
       p.material_id, p.confidence, p.searched, min(r.unit_usd) AS from_usd
FROM catalog.part p JOIN catalog.category c USING (category_id) LEFT JOIN catalog.price r USING (part_id)
WHERE NOT p.discontinued
GROUP BY p.part_id, c.name;
"""

MAKE_ROLE = f"""
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = '{READER}') THEN
        CREATE ROLE {READER} NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT;
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; -- another database of this server was faster
END $$
"""
"""Roles belong to the whole server, so that it may be there already. Making one needs CREATEROLE; whoever migrates
without that has an administrator make it beforehand, and grant it."""

BECOME_MEMBER = f"""
DO $$
BEGIN
    IF NOT pg_catalog.pg_has_role(current_user, '{READER}', 'MEMBER') THEN
        GRANT {READER} TO CURRENT_USER;
    END IF;
END $$
"""


def upgrade() -> None:
    """Make schema, tables and role."""
    statements = [
        "CREATE SCHEMA IF NOT EXISTS catalog",
        *TABLES.strip().removesuffix(";").split(";\n"),
        MAKE_ROLE,
        BECOME_MEMBER,
        f"GRANT USAGE ON SCHEMA catalog TO {READER}",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA catalog TO {READER}",
    ]
    for statement in statements:
        op.get_bind().exec_driver_sql(statement)
