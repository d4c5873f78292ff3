"""A table for sprockets; and a search sees the price of one, now that prices fall with the quantity."""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

READER = "millwright_catalog_reader"

SPROCKET = """
CREATE TABLE catalog.sprocket (
    part_id text CONSTRAINT pk_sprocket PRIMARY KEY REFERENCES catalog.part ON DELETE CASCADE,
    chain text NOT NULL,
    teeth integer NOT NULL CHECK (teeth >= 3),
    pitch_mm double precision NOT NULL CHECK (pitch_mm > 0),
    pitch_d_mm double precision NOT NULL CHECK (pitch_d_mm > 0),
    roller_d_mm double precision NOT NULL CHECK (roller_d_mm > 0),
    tooth_width_mm double precision NOT NULL CHECK (tooth_width_mm > 0),
    bore_mm double precision CHECK (bore_mm > 0)
)
"""

PART_SEARCH = """
CREATE OR REPLACE VIEW catalog.part_search AS
SELECT p.part_id, p.name, c.name AS category, p.subcategory, p.bbox_x_mm, p.bbox_y_mm, p.bbox_z_mm, p.mass_g,
       p.material_id, p.confidence, p.searched, min(r.unit_usd) FILTER (WHERE r.min_quantity = 1) AS from_usd
FROM catalog.part p JOIN catalog.category c USING (category_id) LEFT JOIN catalog.price r USING (part_id)
WHERE NOT p.discontinued
GROUP BY p.part_id, c.name
"""


def upgrade() -> None:
    """Make the table, let the catalog's reader read it, and change the view in place."""
    for statement in (SPROCKET, f"GRANT SELECT ON catalog.sprocket TO {READER}", PART_SEARCH):
        op.get_bind().exec_driver_sql(statement)
