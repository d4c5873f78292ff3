"""Quantity prices: the unit price never rises with the quantity."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parts_catalog.parts import part, parts
from parts_catalog.quantity_prices import price_breaks, unit_price_usd

PARTS = st.sampled_from(sorted(parts()))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(part_id=PARTS, pieces=st.integers(1, 20_000), extra=st.integers(0, 20_000))
def test_unit_price_never_rises_with_quantity(part_id: str, pieces: int, extra: int) -> None:
    bought = part(part_id)
    assert 0 < unit_price_usd(bought, pieces + extra) <= unit_price_usd(bought, pieces) <= bought.price_usd


@pytest.mark.parametrize("part_id", ["iso4762-m4x16", "mg996r", "brg-625"])
def test_price_break_applies_from_its_least_quantity(part_id: str) -> None:
    bought = part(part_id)
    (one, price_usd), *breaks = price_breaks(bought)
    assert (one, price_usd) == (1, bought.price_usd)
    assert breaks
    for pieces, unit_usd in breaks:
        assert unit_price_usd(bought, pieces) == unit_usd < unit_price_usd(bought, pieces - 1)


def test_less_than_one_piece_is_refused() -> None:
    with pytest.raises(ValueError, match="0 pieces of mg996r cannot be bought"):
        unit_price_usd(part("mg996r"), 0)
