"""The delivery of a run: files, bill of materials, prices, and the panel's entries."""

import pytest
from cli.runs.result_panel import file_list, with_limit
from contracts.models.design import BillLine, BillOfMaterials, HardwareLine
from contracts.models.geometry import Box
from run_report.delivery import bill_csv, by_process, prices_md


def _bill() -> BillOfMaterials:
    line = BillLine(
        label="floor",
        method="3d_printing",
        material_id="pla",
        volume_mm3=1000.0,
        mass_kg=0.00124,
        unit_price_usd=2.5,
        box=Box(min_mm=(0, 0, 0), max_mm=(10, 20, 5)),
    )
    screws = HardwareLine(
        catalog_id="iso4762-m4x16", what="cap screw M4x16", count=4, mass_kg=0.002, unit_price_usd=0.1
    )
    return BillOfMaterials(lines=(line, line), hardware=(screws,), quantity=100, unit_price_usd=5.4, mass_kg=0.01048)


def test_bill_lists_made_parts_bought_parts_and_total() -> None:
    header, made, bought, total = bill_csv(_bill()).splitlines()
    amounts = "item,method,material_or_catalog_id,count,mass_kg_each,unit_price_usd"
    assert header == f"{amounts},volume_mm3,size_x_mm,size_y_mm,size_z_mm,places_mm"
    places = "5.00 10.00 2.50; 5.00 10.00 2.50"
    assert made == f'"floor, floor",3d_printing,pla,2,0.001240,2.50,1000.0,10.00,20.00,5.00,{places}'
    assert bought == "cap screw M4x16,bought,iso4762-m4x16,4,0.002000,0.10,,,,,"
    assert total == "total,,,,0.010480,5.40,,,,,"


def test_prices_are_summed_by_process() -> None:
    assert by_process(_bill()) == [
        ("3d printing", 2, pytest.approx(0.00248), 5.0),
        ("cap screw M4x16", 4, pytest.approx(0.008), pytest.approx(0.4)),
    ]
    assert "| cap screw M4x16 | 4 | 8.0 | 0.40 |" in prices_md(_bill())
    assert _bill().part_count == 2


def test_panel_entries_show_limits_and_count_parts() -> None:
    assert with_limit("1.20", 3.5, "USD") == "1.20 USD of at most 3.5 USD"
    assert with_limit("13", 40, "") == "13 of at most 40"
    assert with_limit("13", None, "") == "13 (no limit)"
    assert file_list(["parts/a.step", "parts/b.step", "video.mp4"]) == "video.mp4, parts/*.step (2)"
    built = ["build/README.md", "build/printed/a.3mf", "parts/a.step"]
    assert file_list(built) == "build/ (2, begin with README.md), parts/*.step (1)"
