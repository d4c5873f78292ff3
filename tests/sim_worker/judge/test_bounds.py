"""The bounds of the world: the first thing that leaves them, where, and at which step."""

from math import cos, pi, sin

import numpy as np
import pytest
from contracts.models.geometry import Vector
from contracts.models.scene import BoxGeom, CylinderGeom, Geom, HullGeom, MassProperties, Scene, SphereGeom
from sim_worker.judge.bounds import Departure, WorldBounds
from sim_worker.run.readings import Readings

from tests.sim_worker.judge import synthetic_readings as synthetic
from tests.sim_worker.judge.synthetic_readings import judged, layout_of, machine, part, still

EIGHTH_TURN = (cos(pi / 8), 0.0, 0.0, sin(pi / 8))
QUARTER_ABOUT_Y = (cos(pi / 4), 0.0, sin(pi / 4), 0.0)
CENTRE: Vector = (7.0, -8.0, 9.0)
SHAPES: dict[str, tuple[Geom, Vector, Vector]] = {
    "box": (
        BoxGeom(center_mm=(8, -6, 12), quaternion=(1, 0, 0, 0), size_mm=(10, 20, 30)),
        (-4.0, -8.0, -12.0),
        (6.0, 12.0, 18.0),
    ),
    "turned box": (
        BoxGeom(center_mm=CENTRE, quaternion=EIGHTH_TURN, size_mm=(20, 20, 30)),
        (-10 * 2**0.5, -10 * 2**0.5, -15.0),
        (10 * 2**0.5, 10 * 2**0.5, 15.0),
    ),
    "ball": (SphereGeom(center_mm=(9, -8, 8), radius_mm=12), (-10.0, -12.0, -13.0), (14.0, 12.0, 11.0)),
    "cylinder": (
        CylinderGeom(center_mm=CENTRE, quaternion=(1, 0, 0, 0), radius_mm=6, length_mm=40),
        (-6.0, -6.0, -20.0),
        (6.0, 6.0, 20.0),
    ),
    "lying cylinder": (
        CylinderGeom(center_mm=CENTRE, quaternion=QUARTER_ABOUT_Y, radius_mm=6, length_mm=40),
        (-20.0, -6.0, -6.0),
        (20.0, 6.0, 6.0),
    ),
    "hull": (
        HullGeom(vertices_mm=((4, -10, 5), (17, -8, 9), (7, 3, 9), (7, -8, 29))),
        (-3.0, -2.0, -4.0),
        (10.0, 11.0, 20.0),
    ),
}
"""Each with its lowest and highest point from the centre of mass."""


def scene_with(geom: Geom, origin: str = "design") -> Scene:
    mass = MassProperties(mass_kg=0.1, center_mm=CENTRE, inertia_kg_m2=(1, 1, 1, 0, 0, 0))
    arm = part("arm", origin).model_copy(update={"geoms": (geom,), "mass": mass})
    return machine(bodies=(part("ground", "environment", None), part("frame"), arm, part("motor")))


def departure(scene: Scene, at_mm: Vector, from_step: int = 12) -> Departure | None:
    """Return what leaves the bounds, which end at 1000 mm, with the arm at a place from one of 30 steps on."""
    readings = still(0.3, scene)
    readings.rows[from_step:, synthetic.ARM_POSITION] = np.array(at_mm) / 1000
    return WorldBounds.of(scene, layout_of(scene)).first_part(readings)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("side", [-1, 1])
def test_part_leaves_the_bounds_by_more_than_1_mm_with_its_outermost_point(shape: str, axis: int, side: int) -> None:
    geom, low, high = SHAPES[shape]
    reach_mm = high[axis] if side > 0 else -low[axis]
    places = [[0.0, 0.0, 0.0] for _ in range(2)]
    for place, beyond_mm in zip(places, (0.9, 1.1), strict=True):
        place[axis] = side * (1000.0 + beyond_mm - reach_mm)
    inside, outside = (departure(scene_with(geom), (x, y, z)) for x, y, z in places)
    assert inside is None
    assert outside is not None
    assert (outside.culprit, outside.step) == ("arm", 15), "parts are looked at in every fifth step"
    named, _, reached = outside.cause.removeprefix("arm came to ").partition(" = ")
    assert named == "xyz"[axis]
    assert float(reached.split()[0]) == pytest.approx(side * 1001.1, abs=0.11)
    assert f"the bounds end at {side * 1000:.1f} mm" in outside.cause


def test_turned_part_is_judged_as_it_is_turned() -> None:
    """20 mm along z, turned onto x."""
    scene = scene_with(SHAPES["cylinder"][0])
    readings = still(0.3, scene)
    readings.rows[:, synthetic.ARM_POSITION.start] = 0.985
    bounds = WorldBounds.of(scene, layout_of(scene))
    assert bounds.first_part(readings) is None
    readings.rows[10:, synthetic.ARM_QUATERNION] = QUARTER_ABOUT_Y
    found = bounds.first_part(readings)
    assert found is not None
    assert (found.step, found.culprit) == (10, "arm")
    assert "x = 1005.0 mm" in found.cause


def test_part_of_the_environment_may_leave_the_bounds() -> None:
    assert departure(scene_with(SHAPES["box"][0], "environment"), (2000, 0, 0)) is None


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize("shape", ["cylinder", "ball"])
def test_large_round_part_leaves_on_every_side_alike(shape: str, axis: int, side: int) -> None:
    """A radius of 400 mm: the points round it lie on the axes; those of a ball fall short by some millimetres."""
    cylinder = CylinderGeom(center_mm=(0, 0, 0), quaternion=(1, 0, 0, 0), radius_mm=400, length_mm=800)
    geom = cylinder if shape == "cylinder" else SphereGeom(center_mm=(0, 0, 0), radius_mm=400)
    mass = MassProperties(mass_kg=0.1, center_mm=(0, 0, 0), inertia_kg_m2=(1, 1, 1, 0, 0, 0))
    scene = scene_with(geom)
    bodies = [each.model_copy(update={"mass": mass}) if each.label == "arm" else each for each in scene.bodies]
    centred = scene.model_copy(update={"bodies": tuple(bodies)})
    place = [0.0, 0.0, 0.0]
    place[axis] = side * (601.05 if shape == "cylinder" else 604.0)
    assert departure(centred, (place[0], place[1], place[2])) is not None
    place[axis] = side * 600.9
    assert departure(centred, (place[0], place[1], place[2])) is None


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize(("beyond_mm", "leaves"), [(-0.01, False), (0.01, True)])
def test_payload_leaves_with_its_centre_at_once(axis: int, side: int, beyond_mm: float, leaves: bool) -> None:
    readings = still(0.3)
    readings.rows[13:, axis] = side * (1.0 + beyond_mm / 1000)
    found = WorldBounds.of(machine(), layout_of(machine())).lost_payload(readings, "the payload")
    if not leaves:
        assert found is None
        return
    assert found is not None
    step, cause = found
    assert step == 13
    assert f"the payload's centre came to {'xyz'[axis]} = {side * 1000.0:.1f} mm" in cause


def test_the_first_to_leave_is_named() -> None:
    def leaving(payload_step: int, arm_step: int) -> Readings:
        readings = still(0.3)
        readings.rows[payload_step:, 2] = -1.5
        readings.rows[arm_step:, synthetic.ARM_POSITION.start + 1] = 1.5
        return readings

    found = [judged(leaving(*steps), chunk=30) for steps in ((9, 10), (11, 10), (10, 10))]
    assert [each.culprit for each in found] == ["payload", "arm", "payload"]
    assert {each.ending for each in found} == {"left_bounds"}
