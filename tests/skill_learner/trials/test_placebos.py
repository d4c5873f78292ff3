"""A text that changes nothing is not adopted; all of it is `./run perf models/placebos`."""

import pytest

from tests.support.event_logs.placebos import placebo_verdicts


@pytest.mark.parametrize("target", ["", "error: "])
def test_placebos_are_adopted_in_at_most_1_of_20(target: str) -> None:
    found = placebo_verdicts(20, 0.5, target, 12, "placebos")
    assert found.total() == 20
    assert found["adopted"] <= 1, found
