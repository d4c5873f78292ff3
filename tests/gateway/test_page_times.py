"""Times on pages."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from gateway.pages.page_templates import clock, moment


def test_time_is_shown_in_utc() -> None:
    evening = datetime(2026, 11, 24, 23, 30, 5, tzinfo=timezone(timedelta(hours=2)))
    assert (moment(evening), clock(evening)) == ("2026-11-24 21:30 UTC", "21:30:05")


@pytest.mark.parametrize("time", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)])
def test_extreme_time_of_an_event_does_not_break_the_page(time: datetime) -> None:
    assert moment(time).endswith(" UTC")
