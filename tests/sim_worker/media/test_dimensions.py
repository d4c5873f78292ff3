"""Dimension lines of a machine, as a camera sees them."""

import numpy as np
import pytest
from sim_worker.media.camera import closest_view
from sim_worker.media.drawings.dimensions import dimension_lines, with_dimensions

CORNERS_M = np.array([(x, y, z) for x in (0.0, 0.3) for y in (0.1, 0.3) for z in (0.0, 0.1)])


@pytest.mark.parametrize("azimuth_deg", [20.0, 110.0, 200.0, 290.0])
def test_lines_measure_the_machine_outside_of_it(azimuth_deg: float) -> None:
    view = closest_view(CORNERS_M, azimuth_deg, -30.0, 4 / 3)
    lines = dimension_lines(CORNERS_M, view)
    assert [line.text for line in lines] == ["300 mm", "200 mm", "100 mm"]
    low, high = CORNERS_M.min(axis=0), CORNERS_M.max(axis=0)
    for line in lines:
        middle_m = (line.start_m + line.end_m) / 2
        assert ((middle_m < low) | (middle_m > high)).any()
    for line in lines[:2]:
        assert (line.tick_m @ view.forward) < 0, "it is on the side that the camera sees"


def test_dimensions_are_drawn_where_the_camera_sees_them() -> None:
    lines = dimension_lines(CORNERS_M, closest_view(CORNERS_M, 40.0, -30.0, 4 / 3))
    ends_m = np.array([end_m for line in lines for end_m in (line.start_m, line.end_m)])
    view = closest_view(np.concatenate([CORNERS_M, ends_m]), 40.0, -30.0, 4 / 3)
    drawn = with_dimensions(np.full((240, 320, 3), 128, np.uint8), lines, view)
    for line in lines:
        x, y = view.pixel(line.start_m, 320, 240)
        assert 0 <= x <= 320
        assert 0 <= y <= 240
        assert (drawn[round(y) - 2 : round(y) + 3, round(x) - 2 : round(x) + 3] != 128).any()
