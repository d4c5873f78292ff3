"""Plates are found however they are turned, whatever friction adds to the force on them."""

from math import cos, radians, sin

import numpy as np
import pytest
from contracts.models.geometry import Vector
from contracts.models.scene import Body, BoxGeom, Scene
from sim_worker.structure.thin_plates import Plates, ThinPlate

from tests.sim_worker import scenes

THICK_MM, HALF_SPAN_MM = 2.5, 38.0


def turned(vector: Vector, yaw_deg: float) -> Vector:
    (x, y, z), yaw = vector, radians(yaw_deg)
    return (x * cos(yaw) - y * sin(yaw), x * sin(yaw) + y * cos(yaw), z)


def panel(label: str, center_mm: Vector, size_mm: Vector, yaw_deg: float) -> Body:
    half = radians(yaw_deg) / 2
    turn = (cos(half), 0.0, 0.0, sin(half))
    geom = BoxGeom(center_mm=turned(center_mm, yaw_deg), quaternion=turn, size_mm=size_mm)
    return scenes.solid(label, center_mm, size_mm, geoms=(geom,))


def end_of_a_channel(yaw_deg: float) -> Scene:
    """Return a panel across x that two walls as thin as itself hold, before its face, on a floor."""
    width = 2 * (HALF_SPAN_MM + THICK_MM)
    beside = HALF_SPAN_MM + THICK_MM / 2
    bodies = [
        panel("end", (0, 0, 40), (THICK_MM, width, 80), yaw_deg),
        panel("left", (-40 - THICK_MM / 2 - 0.01, beside, 40), (80, THICK_MM, 80), yaw_deg),
        panel("right", (-40 - THICK_MM / 2 - 0.01, -beside, 40), (80, THICK_MM, 80), yaw_deg),
    ]
    floor = scenes.block("floor", (0, 0, -5), (400, 400, 10), "environment")
    welds = [scenes.weld(f"{name}-end", name, "end", (0, 0, 0)) for name in ("left", "right")]
    welds += [scenes.weld(f"{name}-floor", name, "floor", (0, 0, 0)) for name in ("left", "right")]
    return scenes.machine_scene(*bodies, floor, welds=tuple(welds))


def struck(yaw_deg: float, along: Vector) -> ThinPlate | None:
    place = np.array(turned((-THICK_MM / 2, 0, 45), yaw_deg))
    return Plates(end_of_a_channel(yaw_deg)).at("end", place, np.array(turned(along, yaw_deg)))


@pytest.mark.parametrize("yaw_deg", [0.0, 9.0, 45.0, 157.0, 270.0])
@pytest.mark.parametrize("along", [(1.0, 0.0, 0.0), (1.0, 0.0, -0.42), (1.0, 0.3, 0.2)], ids=str)
def test_end_of_a_channel_spans_from_wall_to_wall(yaw_deg: float, along: Vector) -> None:
    plate = struck(yaw_deg, along)
    assert plate is not None
    assert not plate.is_one_sided
    assert plate.thickness_mm == pytest.approx(THICK_MM)
    assert plate.radius_mm == pytest.approx(HALF_SPAN_MM, abs=THICK_MM)


def test_blow_along_a_face_is_not_one_on_a_plate() -> None:
    assert struck(0.0, (0.0, 0.0, -1.0)) is None
