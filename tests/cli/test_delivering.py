"""What a user takes home."""

import io
import zipfile

import pytest
from cli.delivering import bill_csv, out_of_the_way, unzipped
from cli.errors import CannotGoOnError
from cli.verdict import against, shown
from contracts.design import BillLine, BillOfMaterials
from contracts.geometry import Box


def archive(*names: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        for name in names:
            file.writestr(name, name)
    return data.getvalue()


def test_a_workspace_comes_out_as_it_went_in() -> None:
    assert unzipped(archive("script.py", "notes/a.md")) == {"script.py": b"script.py", "notes/a.md": b"notes/a.md"}


@pytest.mark.parametrize("name", ["../evil.py", "/etc/passwd", "a/../../b", "..\\evil.py"])
def test_no_file_of_an_agent_leads_out_of_the_folder(name: str) -> None:
    with pytest.raises(CannotGoOnError, match="leads out of the folder"):
        unzipped(archive("script.py", name))


def test_a_file_of_an_agent_takes_no_place_of_the_delivery() -> None:
    names = ("script.py", "parts", "video.mp4/x", "parts/mine.py", "report.md")
    theirs: dict[str, bytes] = dict.fromkeys(names, b"")
    kept = out_of_the_way(theirs, ("parts/floor.step", "video.mp4", "report.md"))
    assert list(kept) == ["script.py", "parts/mine.py"]


def test_the_bill_has_a_line_for_each_part_and_a_sum() -> None:
    line = BillLine(
        label="floor",
        method="3d_printing",
        material_id="pla",
        volume_mm3=1000.0,
        mass_kg=0.00124,
        unit_price_usd=2.5,
        box=Box(min_mm=(0, 0, 0), max_mm=(10, 20, 5)),
    )
    bill = BillOfMaterials(lines=(line, line), quantity=100, unit_price_usd=5.0, mass_kg=0.00248)
    header, first, _, total = bill_csv(bill).splitlines()
    assert header.startswith("part,method,material,volume_mm3,mass_kg,unit_price_usd")
    assert first == "floor,3d_printing,pla,1000.0,0.001240,2.50,10.00,20.00,5.00"
    assert total == "total,,,,0.002480,5.00,,,"


def test_measures_stand_beside_their_limits() -> None:
    assert against("1.20", 3.5, "USD") == "1.20 USD of at most 3.5 USD"
    assert against("13", 40, "") == "13 of at most 40"
    assert against("13", None, "") == "13 (no limit)"
    assert shown(["parts/a.step", "parts/b.step", "video.mp4"]) == "video.mp4, parts/*.step (2)"
