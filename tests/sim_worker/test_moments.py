"""Which moments of a run get a picture."""

from itertools import pairwise

import pytest
from contracts.models.simulation import PhysicalEvent
from sim_worker.media.moments import APART_S, MOST, moments


def event(time_s: float, kind: str, **changes: object) -> PhysicalEvent:
    fields: dict[str, object] = {"time_s": time_s, "kind": kind, "subject": "payload", "place_mm": (0, 0, 0)}
    return PhysicalEvent.model_validate(fields | changes)


def test_what_happens_at_once_shares_a_picture() -> None:
    chosen = moments(
        [event(1.0, "contact", other="arm", value=0.5, unit="m/s"), event(1.01, "entered_goal", other="goal")], 0.0, 2.0
    )
    assert [each.time_s for each in chosen] == [1.01]
    assert chosen[0].lines == ("1.01 s  payload: enters goal", "payload: touches arm (0.5 m/s)")


def test_the_end_and_the_first_of_each_kind_come_before_what_happens_again() -> None:
    rattling = [event(0.2 * step, "contact", other="floor") for step in range(1, 30)]
    told = [event(0.0, "released"), *rattling, event(6.5, "joint_at_limit", subject="hinge"), event(9.0, "decided")]
    chosen = moments(told, 0.0, 9.0)
    assert len(chosen) == MOST
    times = [each.time_s for each in chosen]
    assert times == sorted(times)
    assert {0.0, 0.2, 6.5, 9.0} <= set(times)
    assert all(later - earlier >= APART_S for earlier, later in pairwise(times))


def test_a_window_has_its_own_moments() -> None:
    told = [event(0.0, "released"), event(1.0, "contact", other="arm"), event(3.0, "decided")]
    assert [each.time_s for each in moments(told, 0.5, 2.0)] == [1.0]


@pytest.mark.parametrize(("window", "times"), [((1.0, 2.0), [1.0, 2.0]), ((1.0, 1.0), [1.0])])
def test_where_nothing_happened_the_ends_are_shown(window: tuple[float, float], times: list[float]) -> None:
    chosen = moments([event(0.0, "released")], *window)
    assert [each.time_s for each in chosen] == times
    assert chosen[0].caption == "1.00 s"
