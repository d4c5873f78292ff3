"""When a part fails, by which mean of its loads, and how much of its strength a run uses."""

from dataclasses import replace

import numpy as np
import pytest
from contracts.models.scene import Scene
from sim_worker.model import compile_scene
from sim_worker.run.readings import Readings
from sim_worker.structure.monitor import Failure, PartMonitor, part_uses
from sim_worker.structure.part_model import PartModel, applied_loads, part_models
from sim_worker.structure.window_means import WindowMeans, weighted
from sim_worker.units import Floats

from tests.sim_worker.scenes import block, machine_scene
from tests.sim_worker.structure.beams import glued, rod

STEPS, STEP_S = 10, 0.001
WALL = block("wall", (0, 0, 100), (10, 100, 200), "environment")
"""A strip of 100 x 20 x 4 mm that is glued to it by its end, and a short post on the floor."""


def scene_of() -> Scene:
    strip, post = rod("strip", (55, 0, 100), (100, 20, 4)), rod("post", (0, 200, 30), (6, 6, 60))
    floor = block("floor", (0, 200, -5), (100, 100, 10), "environment")
    welds = (
        glued("root", "strip", "wall", (5, 0, 100), (0, 20, 4)),
        glued("foot", "post", "floor", (0, 200, 0), (6, 6, 0)),
    )
    return machine_scene(WALL, floor, strip, post, welds=welds)


WORLD = compile_scene(scene_of())
PARTS = {part.label: part for part in part_models(WORLD.scene, WORLD.layout)}


def readings_of(strip_n: Floats, post_n: Floats | None = None) -> Readings:
    """Return readings in which the glue of the strip holds it up, and that of the post pushes it up, with forces."""
    rows = np.zeros((len(strip_n), WORLD.model.nsensordata))
    root, foot = WORLD.layout.weld_forces
    rows[:, root + 2] = strip_n
    rows[:, foot + 2] = 0.0 if post_n is None else post_n
    return Readings(np.arange(len(strip_n)).astype(np.float64) * STEP_S, rows, WORLD.layout)


def limited(part: PartModel, at_n: float, **limits: float) -> PartModel:
    """Return a part that is stressed to its limit by a steady force at its glue."""
    loads = applied_loads((part,), readings_of(np.full(1, at_n), np.full(1, at_n)))
    stress_mpa = float(part.stress_mpa(loads)[0])
    return replace(part, strength=part.strength.model_copy(update={"max_stress_mpa": stress_mpa, **limits}))


def failure_of(readings: Readings, parts: tuple[PartModel, ...], chunk: int) -> Failure | None:
    """Return the first failure of replica 4, which gets the readings in chunks."""
    monitor = PartMonitor(parts, STEPS)
    for first in range(0, len(readings.time_s), chunk):
        found = monitor.first_failures({4: readings[first : first + chunk]})
        if 4 in found:
            return found[4]
    return None


def test_part_in_replicas_breaks_at_its_strength() -> None:
    """The admissible stress of PLA is half of its strength; what it bears in every cycle has no such factor."""
    strip = limited(PARTS["strip"], 1.0)
    once, twice = readings_of(np.full(STEPS, 1.9)), readings_of(np.full(STEPS, 2.1))
    assert failure_of(once, (strip,), 50) is not None
    assert failure_of(once, (strip.in_replicas(),), 50) is None
    assert failure_of(twice, (strip.in_replicas(),), 50) is not None
    assert strip.in_replicas().cyclic_mpa == strip.cyclic_mpa


@pytest.mark.parametrize("chunk", [1, 7, 30, 200])
@pytest.mark.parametrize(("height_n", "time_s"), [(9.9, None), (10.1, 0.059)])
def test_part_breaks_by_the_mean_of_a_window(chunk: int, height_n: float, time_s: float | None) -> None:
    """Ten times the force for a step is as much as the force for ten; the windows follow each other."""
    strip = limited(PARTS["strip"], 1.0)
    force_n = np.zeros(200)
    force_n[53] = height_n
    failure = failure_of(readings_of(force_n), (strip,), chunk)
    if time_s is None:
        assert failure is None
    else:
        assert failure is not None
        assert (failure[0], failure[1]) == (pytest.approx(time_s), "strip")
        assert failure[2].startswith("was stressed to ")
    split = np.zeros(200)
    split[[59, 60]] = 6.0
    assert failure_of(readings_of(split), (strip,), chunk) is None, "a blow at the border of two windows is halved"


@pytest.mark.parametrize("chunk", [1, 7, 30, 200, 1000])
def test_part_bends_and_buckles_by_the_mean_of_ten_windows(chunk: int) -> None:
    """The force that bends the strip by 2 % of its length, for a tenth of a second; and Euler's for the post."""
    strip, post = (limited(PARTS[label], 1e9) for label in ("strip", "post"))
    loads = applied_loads((strip, post), readings_of(np.ones(1), np.ones(1)))
    bends_n = float(strip.yields(loads).max_deflection_mm[0] / strip.yields(loads).deflection_mm[0])
    buckles_n = float(1.0 / post.yields(loads).buckling[0])
    for share, fails in ((0.99, False), (1.01, True)):
        force_n = np.zeros(400)
        force_n[200:250] = 2 * share
        for readings, part, word in (
            (readings_of(bends_n * force_n), strip, "would bend by 2.02 mm"),
            (readings_of(np.zeros(400), buckles_n * force_n), post, "was compressed to 101%"),
        ):
            failure = failure_of(readings, (part,), chunk)
            assert (failure is not None) is fails
            if failure is not None:
                assert (failure[0], failure[1]) == (pytest.approx(0.299), part.label)
                assert word in failure[2]


def test_earliest_failure_of_all_parts_counts() -> None:
    strip, post = limited(PARTS["strip"], 1.0), limited(PARTS["post"], 1.0)
    late, early = np.zeros(60), np.zeros(60)
    late[40:50], early[20:30] = 2.0, 2.0
    for forces, label in (((late, early), "post"), ((early, late), "strip")):
        failure = failure_of(readings_of(*forces), (strip, post), chunk=60)
        assert failure is not None
        assert (failure[0], failure[1]) == (pytest.approx(0.029), label)


def test_only_replicas_that_fail_are_named_and_those_that_are_not_finite_are_left_out() -> None:
    strip = limited(PARTS["strip"], 1.0)
    loud, calm = readings_of(np.full(40, 2.0)), readings_of(np.zeros(40))
    broken = readings_of(np.full(40, 2.0))
    broken.rows[39, 0] = np.nan
    found = PartMonitor((strip,), STEPS).first_failures({1: calm, 2: loud, 3: broken, 6: loud[20:]})
    assert {replica: failure[0] for replica, failure in found.items()} == pytest.approx({2: 0.009, 6: 0.029})
    assert PartMonitor((strip,), STEPS).first_failures({3: broken}) == {}
    assert PartMonitor((), STEPS).first_failures({2: loud}) == {}
    assert PartMonitor((strip,), STEPS).first_failures({2: loud[:9]}) == {}


def test_use_of_a_part_is_its_highest_mean() -> None:
    """Stress over windows of ten steps, deflection and buckling over ten of them."""
    strip, post = limited(PARTS["strip"], 1.0), limited(PARTS["post"], 1.0)
    loads = applied_loads((strip, post), readings_of(np.ones(1), np.ones(1)))
    force_n = np.zeros(300)
    force_n[105:115] = 1.0
    uses = part_uses((strip, post), readings_of(force_n, 2 * force_n), STEPS)
    assert [use.label for use in uses] == ["strip", "post"]
    assert uses[0].peak_stress_mpa == pytest.approx(0.5 * strip.strength.max_stress_mpa)
    assert uses[0].peak_deflection_mm == pytest.approx(0.1 * float(strip.yields(loads).deflection_mm[0]))
    assert (uses[0].max_deflection_mm, uses[0].material_id) == (pytest.approx(2.0), "pla")
    assert uses[1].peak_buckling == pytest.approx(0.2 * float(post.yields(loads).buckling[0]))
    assert part_uses((), readings_of(force_n), STEPS) == ()


def test_use_in_a_run_shorter_than_a_window_is_the_mean_of_all() -> None:
    strip = limited(PARTS["strip"], 1.0)
    (use,) = part_uses((strip,), readings_of(np.array([1.0, 0.0, 0.5])), STEPS)
    assert use.peak_stress_mpa == pytest.approx(0.5 * strip.strength.max_stress_mpa)
    assert use.peak_deflection_mm > 0.0


@pytest.mark.parametrize("chunk", [1, 3, 8, 100])
def test_centre_of_a_contact_is_its_mean_by_force(chunk: int) -> None:
    """Where nothing touches, the simulator gives the origin as centre."""
    readings = readings_of(np.zeros(25))
    first = WORLD.layout.contact_loads["strip"]
    readings.rows[2, first : first + 9] = (3.0, 0.0, 4.0, 0.1, 0.2, 0.3, 0.05, 0.01, 0.1)
    readings.rows[7, first : first + 9] = (0.0, 15.0, 0.0, 0.1, 0.2, 0.3, 0.09, 0.03, 0.1)
    windows = WindowMeans(STEPS)
    found = Readings.joined([windows.means(weighted(readings[begin : begin + chunk])) for begin in range(0, 25, chunk)])
    assert found.time_s.tolist() == pytest.approx([0.009, 0.019])
    np.testing.assert_allclose(
        found.contact_load("strip")[0], (0.3, 1.5, 0.4, 0.02, 0.04, 0.06, 0.08, 0.025, 0.1), atol=1e-12
    )
    np.testing.assert_allclose(found.contact_load("strip")[1], 0.0, atol=1e-12)
    np.testing.assert_allclose(found.contact_load("post"), 0.0, atol=1e-12)
