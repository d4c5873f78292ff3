"""The bill of materials as a table: one row for each kind of made and of bought part, for CSV and workbooks."""

from collections.abc import Iterator
from typing import Literal

from contracts.models.design import BillOfMaterials

Cell = str | int | float
Row = tuple[Cell, ...]
SUPPLIED = "supplied by the benchmark"

COLUMNS: dict[str, Literal["", ".6f", ".2f", ".1f"]] = {
    "item": "",
    "method": "",
    "material_or_catalog_id": "",
    "count": "",
    "mass_kg_each": ".6f",
    "unit_price_usd": ".2f",
    "volume_mm3": ".1f",
    "size_x_mm": ".2f",
    "size_y_mm": ".2f",
    "size_z_mm": ".2f",
}
"""With the format of a number. Sizes are those of the first piece's box."""


def bill_rows(bill: BillOfMaterials) -> Iterator[Row]:
    """Yield the rows by `COLUMNS`, the total last; a cell without a value is empty."""
    for kind in bill.kinds:
        line = kind[0]
        named = ", ".join(each.label for each in kind)
        yield (
            *(named, line.method, line.material_id, len(kind), line.mass_kg, line.unit_price_usd, line.volume_mm3),
            *line.box.size_mm,
        )
    for bought in bill.hardware:
        yield (bought.what, "bought", bought.catalog_id, bought.count, bought.mass_kg, bought.unit_price_usd, *_EMPTY)
    for each in bill.supplied:
        worth = f"{each.what}, worth {each.unit_price_usd:.2f} USD each"
        yield (worth, SUPPLIED, each.catalog_id, each.count, each.mass_kg, 0.0, *_EMPTY)
    yield ("total", "", "", "", bill.mass_kg, bill.unit_price_usd, *_EMPTY)


_EMPTY = ("", "", "", "")
