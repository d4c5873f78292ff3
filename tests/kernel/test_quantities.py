"""Whoever buys more never pays more for one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parts_catalog.parts import part, parts
from parts_catalog.quantity_prices import price_breaks, unit_price_usd

PARTS = st.sampled_from(sorted(parts()))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(part_id=PARTS, few=st.integers(1, 20_000), more=st.integers(0, 20_000))
def test_more_pieces_never_raise_the_price_of_one(part_id: str, few: int, more: int) -> None:
    sold = part(part_id)
    assert 0 < unit_price_usd(sold, few + more) <= unit_price_usd(sold, few) <= sold.price_usd


@pytest.mark.parametrize("part_id", ["iso4762-m4x16", "mg996r", "brg-625"])
def test_one_costs_its_price_and_a_break_counts_from_its_first_piece_on(part_id: str) -> None:
    sold = part(part_id)
    (one, price_usd), *breaks = price_breaks(sold)
    assert (one, price_usd) == (1, sold.price_usd)
    assert breaks
    for pieces, unit_usd in breaks:
        assert unit_price_usd(sold, pieces) == unit_usd < unit_price_usd(sold, pieces - 1)


def test_nothing_is_bought_less_than_once() -> None:
    with pytest.raises(ValueError, match="0 pieces of mg996r cannot be bought"):
        unit_price_usd(part("mg996r"), 0)
