"""Front, right and top view of a run: measures, zones, path, part outlines, and text beside the views."""

import numpy as np
import pytest
from contracts.models.scene import Scene
from sim_worker.media.canvas import Picture
from sim_worker.media.drawings import legend
from sim_worker.media.drawings.captions import font, with_captions, wrapped
from sim_worker.media.drawings.run_views import ABOVE_PX, LEFT_PX, RunViewSheet
from sim_worker.media.motion import Motion
from sim_worker.simulator import SimulationSettings, Simulator

from tests.sim_worker import machines, scenes


def sheet_of(scene: Scene) -> tuple[RunViewSheet, Picture]:
    """Simulate a scene and return its sheet, and the picture of it."""
    simulation = Simulator(threads=1).simulate(scene, SimulationSettings(replicas=1, seed=0))
    sheet = RunViewSheet(simulation.world.scene, Motion.of(simulation.trajectory))
    return sheet, sheet.draw().picture


@pytest.fixture(scope="module")
def chute() -> tuple[RunViewSheet, Picture]:
    """Return the views of a ball on a chute."""
    return sheet_of(scenes.chute_scene())


def of_ink(picture: Picture, ink: legend.Ink, tolerance: int = 12) -> "np.ndarray[tuple[int, int], np.dtype[np.intp]]":
    """Return the places (n, 2), down and to the right, of the pixels of a colour."""
    return np.argwhere(np.abs(picture.astype(int) - ink[:3]).max(axis=2) <= tolerance)


def top_view(sheet: RunViewSheet, picture: Picture) -> Picture:
    """Return the part of the sheet with the view from above."""
    height = round(sheet.size_m[1] * sheet.px_per_m)
    width = round(sheet.size_m[0] * sheet.px_per_m)
    return picture[ABOVE_PX : ABOVE_PX + height, LEFT_PX : LEFT_PX + width]


def test_goal_zone_in_the_top_view_is_where_its_coordinates_say(chute: tuple[RunViewSheet, Picture]) -> None:
    sheet, picture = chute
    view, goal = top_view(sheet, picture), scenes.chute_scene().goal_zone
    found = of_ink(view, legend.GOAL)
    low_mm = 1000 * (sheet.center_m - sheet.size_m / 2)
    left_mm, right_mm = (low_mm[0] + 1000 * px / sheet.px_per_m for px in (found[:, 1].min(), found[:, 1].max()))
    assert (left_mm, right_mm) == pytest.approx((goal.min_mm[0], goal.max_mm[0]), abs=2500 / sheet.px_per_m)


def test_all_zones_and_the_path_are_drawn(chute: tuple[RunViewSheet, Picture]) -> None:
    sheet, picture = chute
    view = top_view(sheet, picture)
    for ink in (legend.GOAL, legend.FORBID, legend.BUILD, legend.PATH):
        assert len(of_ink(view, ink)) > 30, ink
    path = of_ink(view, legend.PATH)
    assert np.ptp(path[:, 1]) / sheet.px_per_m > 0.4, "from the start to the goal, across parts that cover it"


def test_parts_have_outlines_and_the_environment_hides_none() -> None:
    wall = scenes.block("wall", (250, -100, 250), (600, 4, 500), "environment")
    plain, hidden = scenes.chute_scene(), scenes.chute_scene()
    hidden = hidden.model_copy(update={"bodies": (*hidden.bodies, wall)})
    counts = [len(of_ink(sheet_of(scene)[1], (20, 35, 65, 255), 25)) for scene in (plain, hidden)]
    assert counts[0] > 500
    assert counts[1] > 0.5 * counts[0], (
        "the wall in front of the machine is translucent, and outlines are drawn over it"
    )


def test_views_have_one_scale_and_are_in_line(chute: tuple[RunViewSheet, Picture]) -> None:
    sheet, picture = chute
    middle = ABOVE_PX + round(sheet.size_m[1] * sheet.px_per_m)
    found = of_ink(picture[:, : LEFT_PX + round(sheet.size_m[0] * sheet.px_per_m)], legend.GOAL)
    above, below = found[found[:, 0] < middle], found[(found[:, 0] > middle) & (found[:, 0] < len(picture) - 60)]
    assert above[:, 1].min() == pytest.approx(below[:, 1].min(), abs=1)
    assert above[:, 1].max() == pytest.approx(below[:, 1].max(), abs=1)


def test_sheet_fits_the_pictures_that_agents_see(chute: tuple[RunViewSheet, Picture]) -> None:
    for _, picture in (chute, sheet_of(machines.sweeper())):
        assert picture.shape[1] <= 1024
        assert picture.shape[0] <= 1024


def test_description_names_axes_colours_and_moments(chute: tuple[RunViewSheet, Picture]) -> None:
    simulated = RunViewSheet.draw(chute[0]).description
    for words in ("top (x right, y up)", "grid 100 mm", "Orange", "Green: goal", "0.00 s to 1.7", "a dot every"):
        assert words in simulated


def test_captions_wrap_and_leave_the_picture_as_it_is() -> None:
    picture = np.full((40, 100, 3), 90, np.uint8)
    (captioned, other) = with_captions([picture, picture], [["several words that need lines"], ["one"]], 12)
    assert np.array_equal(captioned[:40], picture)
    assert captioned.shape == other.shape
    assert all(font(12).getlength(line) <= 88 for line in wrapped("several words that need lines", 88, 12))
