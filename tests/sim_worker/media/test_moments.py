"""Choice of the moments that get a picture."""

from itertools import pairwise

import pytest
from contracts.models.simulation import PhysicalEvent
from sim_worker.media.moments import MAX_MOMENTS, MIN_GAP_S, key_moments


def event(time_s: float, kind: str, **changes: object) -> PhysicalEvent:
    fields: dict[str, object] = {"time_s": time_s, "kind": kind, "subject": "payload", "place_mm": (0, 0, 0)}
    return PhysicalEvent.model_validate(fields | changes)


def test_simultaneous_events_share_a_moment() -> None:
    chosen = key_moments(
        [event(1.0, "contact", other="arm", value=0.5, unit="m/s"), event(1.01, "entered_goal", other="goal")], 0.0, 2.0
    )
    assert [each.time_s for each in chosen] == [1.01]
    assert chosen[0].lines == ("1.01 s  payload: enters goal", "payload: touches arm (0.5 m/s)")


def test_first_event_of_each_kind_precedes_repetitions() -> None:
    rattling = [event(0.2 * step, "contact", other="floor") for step in range(1, 30)]
    events = [event(0.0, "released"), *rattling, event(6.5, "joint_at_limit", subject="hinge"), event(9.0, "decided")]
    chosen = key_moments(events, 0.0, 9.0)
    assert len(chosen) == MAX_MOMENTS
    times = [each.time_s for each in chosen]
    assert times == sorted(times)
    assert {0.0, 0.2, 6.5, 9.0} <= set(times)
    assert all(later - earlier >= MIN_GAP_S for earlier, later in pairwise(times))


def test_window_has_its_own_moments() -> None:
    events = [event(0.0, "released"), event(1.0, "contact", other="arm"), event(3.0, "decided")]
    assert [each.time_s for each in key_moments(events, 0.5, 2.0)] == [1.0]


@pytest.mark.parametrize(("window", "times"), [((1.0, 2.0), [1.0, 2.0]), ((1.0, 1.0), [1.0])])
def test_window_without_events_gives_its_ends(window: tuple[float, float], times: list[float]) -> None:
    chosen = key_moments([event(0.0, "released")], *window)
    assert [each.time_s for each in chosen] == times
    assert chosen[0].caption == "1.00 s"
