"""A table of sprockets; and the search view shows the price of one piece, since prices fall with the quantity."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

PART_SEARCH = """
CREATE OR REPLACE VIEW catalog.part_search AS
SELECT p.part_id, p.name, c.name AS category, p.subcategory, p.bbox_x_mm, p.bbox_y_mm, p.bbox_z_mm, p.mass_g,
       p.material_id, p.confidence, p.searched, min(r.unit_usd) FILTER (WHERE r.min_quantity = 1) AS from_usd
FROM catalog.part p JOIN catalog.category c USING (category_id) LEFT JOIN catalog.price r USING (part_id)
WHERE NOT p.discontinued
GROUP BY p.part_id, c.name
"""


def upgrade() -> None:
    """Create the table, and replace the view."""
    part_id = sa.ForeignKey("catalog.part.part_id", ondelete="CASCADE")
    op.create_table(
        "sprocket",
        sa.Column("part_id", sa.Text, part_id, primary_key=True),
        sa.Column("chain", sa.Text, nullable=False),
        sa.Column("teeth", sa.Integer, sa.CheckConstraint("teeth >= 3"), nullable=False),
        *(_positive(name) for name in ("pitch_mm", "pitch_d_mm", "roller_d_mm", "tooth_width_mm")),
        _positive("bore_mm", required=False),
        schema="catalog",
    )
    op.execute(PART_SEARCH)


def _positive(name: str, *, required: bool = True) -> sa.Column[float]:
    return sa.Column(name, sa.Double, sa.CheckConstraint(f"{name} > 0"), nullable=not required)
