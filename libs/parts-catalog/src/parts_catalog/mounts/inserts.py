"""Heat-set inserts: sleeves of brass that are melted into a printed part, for screws."""

from contracts.model import Model
from contracts.models.mechanism import CatalogId
from pydantic import PositiveFloat

from parts_catalog.rows import catalog_rows

INSERT = "heat_set_insert"
"""Their subcategory."""


class Insert(Model):
    """What a part with an insert needs."""

    id: CatalogId
    diameter_mm: PositiveFloat
    """Of its screw."""
    length_mm: PositiveFloat
    outer_mm: PositiveFloat
    """Over its knurls, by which it is drawn."""
    hole_mm: PositiveFloat
    """Diameter of the hole that it is melted into."""
    hole_depth_mm: PositiveFloat


INSERTS = {
    row.id: Insert(
        id=row.id,
        diameter_mm=float(row.spec["d_mm"]),
        length_mm=float(row.spec["length_mm"]),
        outer_mm=float(row.spec["od_mm"]),
        hole_mm=float(row.spec["hole_mm"]),
        hole_depth_mm=float(row.spec["hole_depth_mm"]),
    )
    for row in catalog_rows()
    if row.subcategory == INSERT
}
"""Every insert by its id."""
