"""Boxes read from the tables of a prompt."""

from offline_expert.markdown import LabelledBox


def test_box_is_crossed_by_segment_through_it() -> None:
    box = LabelledBox("forbid", "f", (0, 0, 0), (10, 10, 10))
    assert box.crosses((-5, 5, 5), (15, 5, 5))
    assert not box.crosses((-5, 12, 5), (15, 12, 5))
    assert not box.crosses((-5, 5, 5), (-1, 5, 5))
