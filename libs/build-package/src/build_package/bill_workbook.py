"""The bill of materials as an Excel workbook: the bill, where each piece is and how large, prices by quantity, work."""

# pyright: basic, reportMissingTypeStubs=false
# XlsxWriter ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

import io
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from contracts.models.design import BillOfMaterials
from parts_catalog.pricing.bill_table import COLUMNS, Cell, Row, bill_rows
from xlsxwriter import Workbook

from build_package.cost.quantities import Cost

PLACES = ("part", "place_x_mm", "place_y_mm", "place_z_mm", "size_x_mm", "size_y_mm", "size_z_mm")
"""A place is the middle of the box around a piece, in the machine."""
QUANTITIES = ("quantity", "parts_and_hardware_usd", "work_usd", "unit_price_usd", "supplied_by_the_benchmark_usd")
SUPPLIED = {"item": "", "catalog_id": "", "count": "", "unit_price_usd": ".2f"}
MOST_CHARS = 60
"""Width of a column."""
_FORMATS = {"": "General", ".6f": "0.000000", ".2f": "0.00", ".1f": "0.0"}


def bill_workbook(bill: BillOfMaterials, cost: Cost) -> bytes:
    """Return the workbook; equal bills give equal bytes."""
    stream = io.BytesIO()
    book = Workbook(stream, {"in_memory": True})
    book.set_properties({"created": datetime(2000, 1, 1, tzinfo=UTC)})
    _add_sheet(book, "bill", COLUMNS, list(bill_rows(bill)))
    places = [(line.label, *line.box.center_mm, *line.box.size_mm) for line in bill.lines]
    _add_sheet(book, "places and sizes", dict.fromkeys(PLACES, ".2f"), places)
    prices = [
        (each.quantity, each.parts_usd, each.work_usd, each.unit_price_usd, each.supplied_usd) for each in cost.prices
    ]
    _add_sheet(book, "quantities", dict.fromkeys(QUANTITIES, ".2f"), prices)
    supplied = [(each.what, each.catalog_id, each.count, each.unit_price_usd) for each in bill.supplied]
    if supplied:
        total = ("supplied by the benchmark, in no other total", "", "", bill.supplied_usd)
        _add_sheet(book, "power and control", SUPPLIED, [*supplied, total])
    _add_sheet(book, "work", {"work": "", "minutes": ".1f"}, [(each.what, each.minutes) for each in cost.work])
    book.close()
    return stream.getvalue()


def _add_sheet(book: Workbook, title: str, columns: Mapping[str, str], rows: Sequence[Row]) -> None:
    """Add a sheet whose first row names the columns; texts stay texts, whatever they begin with."""
    sheet = book.add_worksheet(title)
    head = book.add_format({"bold": True})
    formats = [book.add_format({"num_format": _FORMATS[form]}) for form in columns.values()]
    for number, name in enumerate(columns):
        sheet.write_string(0, number, name, head)
        sheet.set_column(number, number, _width([name, *(row[number] for row in rows)]))
    for at, row in enumerate(rows, start=1):
        for number, value in enumerate(row):
            if isinstance(value, str):
                sheet.write_string(at, number, value)
            else:
                sheet.write_number(at, number, value, formats[number] if isinstance(value, float) else None)
    sheet.freeze_panes(1, 0)


def _width(values: Iterable[Cell]) -> float:
    return min(MOST_CHARS, 2 + max(len(f"{value:.2f}" if isinstance(value, float) else str(value)) for value in values))
