"""Balls in concave parts move as on the true surfaces."""

from collections.abc import Callable
from math import cos, radians, sin

import numpy as np
import pytest
from build123d import Box, Cylinder, GeomType, Pos, Rot, Solid, Sphere, fillet
from numpy.typing import NDArray
from sim_worker.model import ROLLING_M
from sim_worker.simulator import SimulationRecord

from tests.support.solids import known_solids
from tests.support.solids.ramp_environment import RAMP, SLOPE_DEG, RampEnvironment, at, ball, bonded, box

BALL_MM = 16.0
SLOPE = radians(SLOPE_DEG)


def rolling_mm_s2(radius_mm: float, lever_mm: float) -> float:
    """Return the acceleration of a ball down the ramp that rolls on points `lever_mm` from its axis (Newton, Euler)."""
    costs = ROLLING_M * 1000 / lever_mm * cos(SLOPE)
    return 9806.65 * (sin(SLOPE) - costs) / (1 + 2 / 5 * (radius_mm / lever_mm) ** 2)


def on_ramp_mm(run: SimulationRecord) -> NDArray[np.float64]:
    """Return the path of the ball (n, 3) in the frame of the ramp."""
    from_top = run.trajectory.position_m * 1000 - np.array(at(RAMP, (0, 0, 0)))
    axes = np.array([(cos(SLOPE), 0, -sin(SLOPE)), (0, 1, 0), (sin(SLOPE), 0, cos(SLOPE))])
    path: NDArray[np.float64] = from_top @ axes.T
    return path


def footed_bowl(rim_mm: float) -> Solid:
    """Return a bowl of 18 mm radius around the origin, on a foot that ends 25 mm below."""
    shell = Sphere(21) - Sphere(18) - Pos(0, 0, 30) * Box(60, 60, 60)
    shape = (shell + (Pos(0, 0, -22) * Cylinder(10, 6) - Sphere(18))).solid()
    rim = [edge for edge in shape.edges().filter_by(GeomType.CIRCLE) if abs(edge.center().Z) < 1e-6]
    return fillet(rim, rim_mm).solid() if rim_mm else shape


def keeled_tube(make: Callable[[], Solid]) -> Solid:
    """Return a tube along x with a bore of 30 mm around the origin, on a foot that ends 20 mm below."""
    foot = Pos(0, 0, -17) * Box(100, 10, 6) - Rot(0, 90, 0) * Cylinder(16, 200)
    return (make() + foot).solid()


def rounded_funnel() -> Solid:
    """Return a funnel with rounded ends."""
    shape = known_solids.funnel()
    return fillet([edge for edge in shape.edges().filter_by(GeomType.CIRCLE) if edge.center().Z in (0, 45)], 1).solid()


@pytest.mark.parametrize("rim_mm", [0.0, 1.0])
def test_ball_rests_in_bowl_at_true_height(rim_mm: float) -> None:
    ramp = RampEnvironment.of(payload=ball((203, 2, 30), BALL_MM), duration_s=4.0)
    run = ramp.run(ramp.part("bowl", Pos(200, 0, 25) * footed_bowl(rim_mm)))
    assert run.trajectory.position_m[-1, 2] * 1000 == pytest.approx(25 - 18 + BALL_MM / 2, abs=0.3)


@pytest.mark.parametrize("make", [known_solids.channel, known_solids.rounded_channel])
def test_ball_rolls_down_channel_as_on_plane(make: Callable[[], Solid]) -> None:
    ramp = RampEnvironment.of(payload=ball(at(RAMP, (-60, 0, 5 + BALL_MM / 2)), BALL_MM), duration_s=0.6)
    run = ramp.run(ramp.part("channel", RAMP * Pos(0, 0, 5) * make()), mechanism=[bonded("channel", "ramp")])
    path, time_s = on_ramp_mm(run), run.trajectory.time_s
    assert path[:, 2] == pytest.approx(np.full(len(path), 5 + BALL_MM / 2), abs=0.3)
    assert path[-1, 0] + 60 == pytest.approx(rolling_mm_s2(8, 8) / 2 * time_s[-1] ** 2, rel=0.03)


def test_ball_rolls_in_groove_on_two_points() -> None:
    lever = 20 / 2**0.5
    ramp = RampEnvironment.of(payload=ball(at(RAMP, (-60, 0, 5 + 20 * 2**0.5)), 40), duration_s=0.6)
    groove = RAMP * (
        Pos(0, 0, 15) * Box(200, 60, 30) - Pos(0, 0, 5) * Rot(45, 0, 0) * Pos(0, 50, 50) * Box(300, 100, 100)
    )
    run = ramp.run(ramp.part("groove", groove), mechanism=[bonded("groove", "ramp")])
    path, time_s = on_ramp_mm(run), run.trajectory.time_s
    assert path[-1, 0] + 60 == pytest.approx(rolling_mm_s2(20, lever) / 2 * time_s[-1] ** 2, rel=0.03)


@pytest.mark.parametrize("make", [known_solids.tube, known_solids.rounded_tube])
def test_ball_rolls_through_tube(make: Callable[[], Solid]) -> None:
    ramp = RampEnvironment.of(payload=ball(at(RAMP, (-50, 0, 13)), BALL_MM), duration_s=0.9)
    run = ramp.run(ramp.part("tube", RAMP * Pos(0, 0, 20) * keeled_tube(make)), mechanism=[bonded("tube", "ramp")])
    path = on_ramp_mm(run)
    inside = path[path[:, 0] < 55]
    assert inside[:, 2] == pytest.approx(np.full(len(inside), 13), abs=0.3)
    assert path[-1, 0] > 60 + BALL_MM / 2, "it came out at the lower end"


@pytest.mark.parametrize("make", [known_solids.funnel, rounded_funnel])
def test_ball_drops_through_funnel_into_goal(make: Callable[[], Solid]) -> None:
    goal = box((190, -10, 0), (210, 10, 20))
    ramp = RampEnvironment.of(payload=ball((216, 4, 152), BALL_MM), goal_zone=goal, hold_s=0.0, duration_s=4.0)
    funnel = ramp.part("funnel", Pos(200, 0, 100) * make())
    post = ramp.part("post", Pos(200, -22, 60) * Box(16, 18, 120) - Pos(200, 0, 100) * Cylinder(14, 45))
    mechanism = [bonded("funnel", "post"), bonded("post", "floor")]
    result = ramp.run(funnel, post, mechanism=mechanism).result
    assert (result.verdict, result.nominal.ending) == ("solved", "reached_goal")
