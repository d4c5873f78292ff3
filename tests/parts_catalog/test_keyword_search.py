import pytest
from parts_catalog.search.keywords import search


@pytest.mark.parametrize(
    ("words", "best"),
    [
        ("608 ball bearing", "608zz"),
        ("M3x12 socket head screw", "iso4762-m3x12"),
        ("M3 socket head screws, 12 mm", "iso4762-m3x12"),
        ("spur gear module 1, 20 teeth", "gear-m1-z20"),
        ("mg996r", "mg996r"),
    ],
)
def test_description_finds_the_part_that_it_describes(words: str, best: str) -> None:
    found, _ = search(words, 3)
    assert found[0].id == best


def test_torque_and_voltage_are_respected_and_the_cheapest_comes_first() -> None:
    found, note = search("a 12 V gear motor with at least 1 N m, cheap", 5)
    assert len(found) == 5
    assert all(find.figures["voltage_v"] == 12 and find.figures["stall_torque_n_m"] >= 1 for find in found)  # type: ignore[operator]
    assert [find.unit_price_usd for find in found] == sorted(find.unit_price_usd for find in found)
    assert "more parts" in note


def test_words_that_no_part_has_find_nothing_and_say_what_to_name() -> None:
    found, note = search("unobtainium", 5)
    assert found == ()
    assert "name one kind of part" in note
