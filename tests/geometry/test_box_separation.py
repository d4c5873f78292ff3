"""Distance and overlap of boxes in any rotation."""

import random

import numpy as np
import pytest
from build123d import Box, Location, Pos, Rot, Solid
from contracts.models.geometry import Vector
from geometry.boxes import OrientedBox, recognise_box, separation
from geometry.occt.distances import closest_points, intersection


def boxed(solid: Solid) -> OrientedBox:
    box = recognise_box(solid)
    assert box is not None
    return box


def random_box(dice: random.Random) -> Solid:
    def three(low: float, high: float) -> Vector:
        return (dice.uniform(low, high), dice.uniform(low, high), dice.uniform(low, high))

    return (Location(three(-12, 12), three(-180, 180)) * Box(*three(2, 20))).solid()


def sampled_overlap_mm3(first: OrientedBox, second: OrientedBox) -> float:
    """Share of a fine grid of the first box that lies in the second, times its volume."""
    steps = (np.arange(40) + 0.5) / 40 - 0.5
    grid = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3) * first.size_mm
    points = first.center_mm + grid @ first.axes
    inside = (np.abs((points - second.center_mm) @ second.axes.T) <= second.size_mm / 2).all(axis=1)
    return float(inside.mean()) * first.volume_mm3


def test_separation_agrees_with_intersection_on_random_pairs() -> None:
    dice = random.Random(7)
    verdicts = set[bool]()
    for _ in range(60):
        first, second = random_box(dice), random_box(dice)
        gap = separation(boxed(first), boxed(second)).gap_mm
        verdicts.add(gap < 0)
        if gap < -0.05:
            assert closest_points(first, second).gap_mm == pytest.approx(0, abs=1e-9)
            assert intersection(first, second).volume_mm3 > 0
        elif gap > 1e-6:
            assert closest_points(first, second).gap_mm >= gap - 1e-9
            assert intersection(first, second).volume_mm3 == 0
    assert verdicts == {True, False}


def test_intersection_of_rotated_boxes_agrees_with_sampling() -> None:
    dice = random.Random(11)
    compared = 0
    while compared < 12:
        first, second = random_box(dice), random_box(dice)
        expected = sampled_overlap_mm3(boxed(first), boxed(second))
        if expected > 50:
            compared += 1
            assert intersection(first, second).volume_mm3 == pytest.approx(expected, rel=0.03, abs=3)


def test_intersection_with_turned_cube_is_octagonal_prism() -> None:
    turned = (Pos(0, 0, 9.5) * Rot(0, 0, 45) * Box(10, 10, 10)).solid()
    shared = intersection(Box(10, 10, 10).solid(), turned)
    octagon_mm2 = 8 * 10**2 / 4 * np.tan(np.pi / 8)  # around a circle of radius 5
    assert shared.volume_mm3 == pytest.approx(0.5 * octagon_mm2)
    assert shared.center_mm == pytest.approx((0, 0, 4.75))


def test_separation_gives_depth_and_direction_of_overlap() -> None:
    found = separation(boxed(Box(10, 10, 10).solid()), boxed((Pos(0, 0, 9) * Box(4, 4, 10)).solid()))
    assert found.gap_mm == pytest.approx(-1)
    assert found.direction == pytest.approx((0, 0, 1))


def test_separation_of_crossing_edges_uses_edge_cross_product() -> None:
    first = Rot(45, 0, 0) * Box(100, 10, 10)
    top = 5 * 2**0.5
    second = Pos(0, 0, 2 * top + 0.01) * Rot(0, 45, 0) * Box(10, 100, 10)
    assert separation(boxed(first.solid()), boxed(second.solid())).gap_mm == pytest.approx(0.01)
